// SPDX-License-Identifier: GPL-3.0-or-later
// The x axis in samples seen: places of steps, compared with counting.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/models/run/run_session.h"
#include "widgets/waits/waits_pane.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

namespace {

constexpr int kSteps = 120;

int batchOf(int rank, std::int64_t step) {
    return rank == 0 ? 8 : 1 + static_cast<int>(step % 5);
}

std::unique_ptr<SyntheticRun> counted(bool withBatches = true) {
    auto run = std::make_unique<SyntheticRun>(2, RunState::Running, kSteps);
    const auto describeOne = [withBatches](int rank, std::int64_t step) {
        RankStep s = describe(rank, step);
        s.batch = withBatches ? batchOf(rank, step) : 0;
        return s;
    };
    run->addSteps(kSteps / 2, describeOne);
    run->addValidation(8.5);
    run->addSteps(kSteps / 2, describeOne);
    run->addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 3'000'000'000);
    run->addCheckpoint(80);
    run->addEnds(telemetry::EndCause::Finished);
    run->finishStore();
    run->setState(RunState::Finished);
    return run;
}

double seenBy(std::int64_t step) {
    double sum = 0;
    for (std::int64_t s = 0; s <= step; ++s)
        sum += batchOf(0, s) + batchOf(1, s);
    return sum;
}

} // namespace

class TestReviewAxis : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void everythingStandsAtItsSamples() {
        const auto run = counted();
        Shown shown(*run);
        QVERIFY(shown.complete());
        shown.page.setAxis(CurveAxis::SampleCount);
        QVERIFY(shown.complete());
        QVERIFY(shown.page.axis() == CurveAxis::SampleCount);
        const auto* plot = shown.plots()[0];
        QCOMPARE(plot->line(0)->dataCount(), kSteps);
        for (int step = 0; step < kSteps; ++step)
            QVERIFY(std::abs(plot->line(1)->dataMainKey(step) - seenBy(step)) < 1e-6);
        QCOMPARE(plot->reference()->dataMainKey(0), seenBy(kSteps / 2 - 1));
        QVERIFY(plot->xAxis->range().lower <= 0 && plot->xAxis->range().upper >= seenBy(kSteps - 1));
        QCOMPARE(shown.plots().last()->xAxis->label(), QStringLiteral("samples over all ranks"));
        bool checkpoint = false;
        for (const PlotMark& mark : plot->marks())
            if (mark.kind == PlotMark::PlotMarkKind::Checkpoint) {
                checkpoint = true;
                QVERIFY(std::abs(mark.lo - seenBy(80)) < 1e-6);
            }
        QVERIFY(checkpoint);
        shown.page.setFilter(20, 30);
        QVERIFY(shown.complete());
        if (const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES"); !folder.isEmpty())
            QVERIFY(shown.page.grab().save(folder + QStringLiteral("/review-samples.png")));
        QVERIFY(std::abs(plot->filter()->hi - (seenBy(30) + seenBy(31)) / 2) < 1e-6);
    }

    void zoomAndBrushMeanSteps() {
        const auto run = counted();
        Shown shown(*run);
        QVERIFY(shown.complete());
        shown.page.setAxis(CurveAxis::SampleCount);
        QVERIFY(shown.complete());
        shown.page.showSteps(40, 50);
        QVERIFY(shown.complete());
        auto* plot = shown.plots()[0];
        QVERIFY(std::abs(plot->xAxis->range().lower - (seenBy(39) + seenBy(40)) / 2) < 1e-6);
        const auto steps = shown.page.seenSteps();
        QVERIFY(steps && steps->first == 40 && steps->second == 50);
        const int y = plot->axisRect()->center().y();
        const auto at = [&](std::int64_t step) {
            return QPoint(static_cast<int>(std::lround(plot->xAxis->coordToPixel(seenBy(step)))), y);
        };
        QSignalSpy filters(&shown.page, &ReviewPage::filterChanged);
        QTest::mousePress(plot, Qt::LeftButton, Qt::ShiftModifier, at(43) - QPoint(3, 0));
        QTest::mouseMove(plot, at(46));
        QTest::mouseRelease(plot, Qt::LeftButton, Qt::ShiftModifier, at(46) + QPoint(3, 0));
        QCOMPARE(filters.size(), 1);
        QCOMPARE(filters[0][0].toLongLong(), 43);
        QCOMPARE(filters[0][1].toLongLong(), 46);
        // the view is kept on another axis and back
        shown.page.setAxis(CurveAxis::Step);
        QVERIFY(shown.complete());
        QVERIFY(std::abs(plot->xAxis->range().lower - 39.5) < 1e-6 &&
                std::abs(plot->xAxis->range().upper - 50.5) < 1e-6);
        shown.page.goBack(); // the view before the filter, with its axis
        QVERIFY(shown.complete());
        QVERIFY(shown.page.axis() == CurveAxis::SampleCount);
    }

    void aViewOfBeforeTheTableComesAlong() {
        const auto run = counted();
        Shown shown(*run);
        QVERIFY(shown.complete());
        shown.page.showSteps(40, 50);
        QVERIFY(shown.complete());
        shown.page.setAxis(CurveAxis::SampleCount); // the table of samples has not been read yet
        QVERIFY(shown.complete());
        const QCPRange range = shown.plots()[0]->xAxis->range();
        QVERIFY2(std::abs(range.lower - (seenBy(39) + seenBy(40)) / 2) < 1e-6,
                 qPrintable(QString::number(range.lower)));
        QVERIFY(std::abs(range.upper - (seenBy(50) + seenBy(51)) / 2) < 1e-6);
    }

    void theKeyGoesAround() {
        const auto run = counted();
        Shown shown(*run);
        QVERIFY(shown.complete());
        for (const CurveAxis next : {CurveAxis::Time, CurveAxis::SampleCount, CurveAxis::Step}) {
            shown.page.nextAxis();
            QVERIFY(shown.complete());
            QVERIFY(shown.page.axis() == next);
        }
        shown.page.setAxis(CurveAxis::SampleCount);
        const QByteArray layout = shown.page.saveLayout();
        shown.page.setAxis(CurveAxis::Step);
        shown.page.restoreLayout(layout);
        QVERIFY(shown.complete());
        QVERIFY(shown.page.axis() == CurveAxis::SampleCount);
        shown.page.restoreLayout("{\"time\":true}"); // as saved by a version with only two axes
        QVERIFY(shown.page.axis() == CurveAxis::Time);
    }

    void exportsSayTheSamples() {
        const auto run = counted();
        Shown shown(*run);
        QVERIFY(shown.complete());
        shown.page.setAxis(CurveAxis::SampleCount);
        QVERIFY(shown.complete());
        QTemporaryDir dir;
        QCOMPARE(shown.page.exportTo(dir.filePath(QStringLiteral("a.csv"))), QString());
        QFile csv(dir.filePath(QStringLiteral("a.csv")));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const auto lines = QString::fromUtf8(csv.readAll()).split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 1 + 3 * 2 * kSteps);
        const auto column = lines[0].split(u',').indexOf(QStringLiteral("samples"));
        QVERIFY(column > 0);
        QCOMPARE(lines[1 + 70].split(u',')[column].toDouble(), seenBy(70));
        QCOMPARE(shown.page.exportTo(dir.filePath(QStringLiteral("a.png"))), QString());
    }

    void aRunWithoutBatchSizesSaysWhyNot() {
        const auto run = counted(false);
        Shown shown(*run);
        QVERIFY(shown.complete());
        const auto* button = shown.page.findChild<QToolButton*>(QStringLiteral("samplesAxis"));
        QVERIFY(button && !button->isEnabled());
        QVERIFY(button->toolTip().contains(QStringLiteral("batch sizes")));
        QSignalSpy messages(&shown.page, &ReviewPage::message);
        shown.page.setAxis(CurveAxis::SampleCount);
        QVERIFY(shown.complete());
        QVERIFY(shown.page.axis() == CurveAxis::Step);
        QVERIFY(messages.last()[0].toString().contains(QStringLiteral("batch sizes")));
        QCOMPARE(shown.plots()[0]->line(0)->dataCount(), kSteps);
        shown.page.setAxis(CurveAxis::Time);
        shown.page.nextAxis(); // a missing axis is skipped
        QVERIFY(shown.page.axis() == CurveAxis::Step);
        // another run has batch sizes, and the chosen axis is shown
        shown.page.setAxis(CurveAxis::SampleCount);
        const auto other = counted();
        RunSession next(other->paths());
        shown.page.setSession(&next);
        QVERIFY(shown.complete());
        QVERIFY(shown.page.axis() == CurveAxis::SampleCount);
        QVERIFY(button->isEnabled());
        QCOMPARE(shown.plots()[0]->line(0)->dataMainKey(0), seenBy(0));
        shown.page.setSession(nullptr);
    }

    void aLiveRunGrows() {
        SyntheticRun run(2, RunState::Running);
        const auto one = [](int rank, std::int64_t step) {
            RankStep s = describe(rank, step);
            s.batch = batchOf(rank, step);
            return s;
        };
        run.addSteps(20, one);
        Shown shown(run);
        shown.page.setAxis(CurveAxis::SampleCount);
        QVERIFY(shown.complete());
        run.addSteps(20, one);
        const auto* plot = shown.plots()[0];
        QVERIFY(QTest::qWaitFor([&] { return plot->line(0) && plot->line(0)->dataCount() == 40; }, 10'000));
        QVERIFY(QTest::qWaitFor([&] { return plot->xAxis->range().upper >= seenBy(39); }, 10'000));
        QVERIFY(std::abs(plot->line(0)->dataMainKey(39) - seenBy(39)) < 1e-6);
    }
};

RANKSCOPE_GUI_TEST(TestReviewAxis)
#include "tst_review_axis.moc"
