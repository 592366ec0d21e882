// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "tests/widgets/incidents/shown_incident.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/incidents/incident_picture.h"
#include "widgets/models/run/run_session.h"
#include "widgets/theme/theme.h"

#include <QLocale>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::button;
using test::RankStep;
using test::stall;
using test::SyntheticRun;

class TestIncidentPicture : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void pictureShowsTheRanksAroundTheHolder();
    void pictureShowsTheTimeOfTheStall();
    void pictureOfAStall();
    void pictureOfAStallThatNeverEnded();
    void pictureOfAnOpenIncidentGrows();
    void pictureWithoutRecords();
};

void TestIncidentPicture::initTestCase() {
    QLocale::setDefault(QLocale::English);
    Theme::instance().apply(Theme::Mode::Light);
}

void TestIncidentPicture::pictureShowsTheRanksAroundTheHolder() {
    auto in = stall(1);
    QCOMPARE(pictureRanks(in, 2, 4), (RankRange{0, 2}));
    QCOMPARE(pictureRanks(in, 4, 4), (RankRange{0, 4}));
    in.holders = {5};
    in.waiters = {0, 1, 2, 3, 4, 6, 7};
    QCOMPARE(pictureRanks(in, 8, 4), (RankRange{2, 4}));
    in.waiters = {6, 7, 8};
    QCOMPARE(pictureRanks(in, 16, 4), (RankRange{5, 4}));
    in.holders = {};
    in.waiters = {};
    QCOMPARE(pictureRanks(in, 8, 4), (RankRange{0, 4}));
    in.holders = {4000}; // of a store that does not fit the run
    QCOMPARE(pictureRanks(in, 2, 4), (RankRange{0, 2}));
    QCOMPARE(pictureRanks(in, 0, 4), RankRange{});
}

void TestIncidentPicture::pictureShowsTheTimeOfTheStall() {
    auto in = stall(1); // opened at 1 s
    const PlotRange open = pictureTime(in, 500'000'000, 2'000'000'000);
    QVERIFY(open.lo > 0 && open.lo < 0.5e9 && open.hi > 1.5e9);
    QVERIFY(pictureTime(in, 500'000'000, 9'000'000'000).hi > 8.5e9); // it grows
    in.closedNs = 3'000'000'000;
    const PlotRange closed = pictureTime(in, 500'000'000, 9'000'000'000);
    QVERIFY(closed.hi > 2.5e9 && closed.hi < 3e9);
    in.closedNs = 100'000'000'000;
    in.straggler = true;
    in.evidence.typicalStepSeconds = 0.5;
    QVERIFY(pictureTime(in, 500'000'000, in.closedNs).width() < 6e9);
}

void TestIncidentPicture::pictureOfAStall() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, test::timelineStep);
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1180, 700);
    page.show();
    page.setSession(&session);
    auto* picture = page.findChild<IncidentPicture*>();
    QVERIFY(picture);
    QTRY_VERIFY_WITH_TIMEOUT(picture->isVisible() && picture->isComplete(), 10'000);
    QCOMPARE(picture->scene().firstVisibleRank(), 0);
    QCOMPARE(picture->scene().lastVisibleRank(), 1);
    QVERIFY(!picture->scene().loading && !picture->grab().isNull());
    QVERIFY2(picture->description().contains(QStringLiteral("rank 0: waited 3.0 s for rank 1")),
             qPrintable(picture->description()));
    QVERIFY(!picture->accessibleName().isEmpty());
    QSignalSpy wanted(&page, &IncidentPage::timelineRequested);
    button(page, QStringLiteral("Show in the Timeline"))->click();
    picture->setFocus();
    QTest::keyClick(picture, Qt::Key_Return);
    QTest::mouseDClick(picture, Qt::LeftButton);
    QCOMPARE(wanted.count(), 3);
    for (const auto& arguments : wanted)
        QCOMPARE(arguments[0].toLongLong(), 1);
}

/// The ranks were stopped while they waited, so that no record reports the wait.
void TestIncidentPicture::pictureOfAStallThatNeverEnded() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(60, test::timelineStep);
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000, diagnosis::CloseReason::StoppedByUser);
    run.finishStore();
    run.setState(RunState::Stopped);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1180, 700);
    page.show();
    page.setSession(&session);
    auto* picture = page.findChild<IncidentPicture*>();
    QTRY_VERIFY_WITH_TIMEOUT(picture->isVisible() && picture->isComplete(), 10'000);
    QVERIFY2(picture->description().contains(QStringLiteral("rank 0: waited 2.9 s for rank 1")),
             qPrintable(picture->description()));
    const auto& scene = picture->scene();
    QCOMPARE(scene.openWaits.size(), std::size_t{1});
    const double middle = static_cast<double>((scene.openWaits[0].sinceNs + scene.openUntilNs) / 2 - scene.startNs);
    const QImage image = picture->grab().toImage();
    const auto differ = [&](LanePart part) {
        const QPoint at = scene.pointOf(0, middle, part), other = scene.pointOf(1, middle, part);
        for (int x = 0; x < 12; ++x) // a hatch has gaps
            if (image.pixelColor(at + QPoint(x, 0)) != image.pixelColor(other + QPoint(x, 0)))
                return true;
        return false;
    };
    QVERIFY(differ(LanePart::Collectives)); // only rank 0 waited
    QVERIFY(differ(LanePart::Phases));      // only of rank 1 is it known what it did
}

void TestIncidentPicture::pictureOfAnOpenIncidentGrows() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 40, 0);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1000, 700);
    page.show();
    page.setSession(&session);
    auto* picture = page.findChild<IncidentPicture*>();
    QTRY_VERIFY_WITH_TIMEOUT(picture->isVisible() && picture->isComplete(), 10'000);
    QVERIFY(picture->scene().live);
    const double first = picture->scene().scale.window.hi;
    QTRY_VERIFY_WITH_TIMEOUT(picture->scene().scale.window.hi > first, 10'000);
}

void TestIncidentPicture::pictureWithoutRecords() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(8, [](int, std::int64_t) { return RankStep{}; });
    auto late = run.addIncident(1, diagnosis::Cause::Dead, 1, 5, 100'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    QTRY_VERIFY_WITH_TIMEOUT(!session.view().ranks.empty(), 10'000);
    IncidentPicture picture;
    picture.resize(600, 200);
    late.openedNs += 600'000'000'000; // long after the newest step
    late.closedNs = late.openedNs + 1'000'000'000;
    picture.setIncident(late, session.view(), session.run().store());
    picture.show();
    QTRY_VERIFY_WITH_TIMEOUT(picture.isComplete(), 10'000);
    QCOMPARE(picture.description(), QStringLiteral("Nothing was recorded of these ranks in this time"));
}

RANKSCOPE_GUI_TEST(TestIncidentPicture)
#include "tst_incident_picture.moc"
