// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "tests/widgets/incidents/shown_incident.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/theme/theme.h"

#include <QClipboard>
#include <QLabel>
#include <QLocale>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using test::button;
using test::stall;

class TestIncidentBanner : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void bannerSaysWhoWhomWhereWhy();
    void anInjectedFaultIsSaidToBeOne();
    void anOverrideIsCopied();
    void bannerVanishes();
    void bannerHasTwoLines();
    void bannerSpeaksChinese();
};

void TestIncidentBanner::initTestCase() {
    QLocale::setDefault(QLocale::English);
    Theme::instance().apply(Theme::Mode::Light);
}

void TestIncidentBanner::bannerSaysWhoWhomWhereWhy() {
    IncidentBanner banner;
    banner.resize(1180, 40);
    QVERIFY(banner.isHidden());
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(!banner.isHidden());
    for (const char* part : {"Rank 1 has been holding up ranks 0, 2, 3", "3.2 s",
                             "all-reduce 512 (sync_max_audio_length)", "utt_0412.flac", "3.4 s"})
        QVERIFY2(banner.findChild<ClampedLabel*>()->text().contains(QLatin1String(part)),
                 qPrintable(banner.findChild<ClampedLabel*>()->text()));
    QSignalSpy remedy(&banner, &IncidentBanner::remedyRequested), detail(&banner, &IncidentBanner::detailRequested);
    auto* set = button(banner, QStringLiteral("num_workers: 4"));
    QVERIFY(set);
    set->click();
    QCOMPARE(remedy[0][0].toString(), QStringLiteral("model.train_ds.num_workers"));
    QCOMPARE(remedy[0][1].toString(), QStringLiteral("4"));
    button(banner, QStringLiteral("Details"))->click();
    QCOMPARE(detail[0][0].toLongLong(), 7);
}

/// Only an incident of the injected rank and step is shown as an injected fault.
void TestIncidentBanner::anInjectedFaultIsSaidToBeOne() {
    const std::vector<std::string> faults{"dead on rank 3 at step 90", "data_loading on rank 1 at step 40, 12 s"};
    QCOMPARE(injectedFault(stall(1), faults), QStringLiteral("data_loading on rank 1 at step 40, 12 s"));
    auto other = stall(1);
    other.step = 44;
    QVERIFY(injectedFault(other, faults).isEmpty());
    QVERIFY(!injectedFault(other, {"slow_reader on rank 1 at step 10 and all that follow, 1 s"}).isEmpty());
    QVERIFY(!injectedFault(other, {"data_loading on rank 1 at step 40 to 45, 1 s"}).isEmpty());
    other.holders = {2};
    QVERIFY(injectedFault(other, {"slow_reader on rank 1 at step 10 and all that follow, factor 3"}).isEmpty());

    IncidentBanner banner;
    banner.resize(1180, 40);
    const auto* said = banner.findChild<QLabel*>(QStringLiteral("injectedFault"));
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(said && said->isHidden());
    banner.setFaults(faults);
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(!said->isHidden());
    QVERIFY2(said->toolTip().contains(QStringLiteral("12 s")), qPrintable(said->toolTip()));
    QSignalSpy removed(&banner, &IncidentBanner::remedyRequested);
    QVERIFY(!button(banner, QStringLiteral("num_workers"))); // it would not help
    auto* remove = button(banner, QStringLiteral("Remove the injected faults"));
    QVERIFY(remove && !remove->isHidden());
    remove->click();
    QCOMPARE(removed[0], (QVariantList{QStringLiteral("rankscope.faults"), QString()}));
    banner.setFaults({faults.back()});
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QCOMPARE(remove->text(), QStringLiteral("Remove the injected fault"));
    banner.setWatched(true); // there is no recipe to change
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(remove->isHidden());
    IncidentDetail detail;
    detail.setFaults(faults);
    detail.show(stall(7), 4'200'000'000, QStringLiteral("open"));
    bool told = false;
    for (const auto* label : detail.findChildren<QLabel*>())
        told = told || (label->text().contains(QStringLiteral("This fault was injected")) &&
                        label->text().contains(QStringLiteral("num_workers")));
    QVERIFY(told);
    QSignalSpy removedThere(&detail, &IncidentDetail::remedyRequested);
    button(detail, QStringLiteral("Remove the injected faults"))->click();
    QCOMPARE(removedThere[0][0].toString(), QStringLiteral("rankscope.faults"));
}

/// The run is a program that uses Hydra: its setting is changed in its command.
void TestIncidentBanner::anOverrideIsCopied() {
    auto incident = stall(7);
    incident.remedy.text = {"Add {} to the command", "+model.train_ds.num_workers=4"};
    IncidentBanner banner;
    banner.resize(1180, 40);
    banner.setWatched(true);
    banner.setIncidents({incident}, 4'200'000'000, true);
    QVERIFY(banner.findChild<ClampedLabel*>()->text().contains(QStringLiteral("Add +model.train_ds.num_workers=4")));
    IncidentDetail detail;
    detail.setWatched(true);
    detail.show(incident, 4'200'000'000, QStringLiteral("open"));
    QSignalSpy there(&banner, &IncidentBanner::remedyRequested), here(&detail, &IncidentDetail::remedyRequested);
    for (QWidget* shown : std::initializer_list<QWidget*>{&banner, &detail}) {
        QGuiApplication::clipboard()->clear();
        auto* copy = button(*shown, QStringLiteral("Copy override"));
        QVERIFY(copy && !copy->isHidden());
        copy->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("+model.train_ds.num_workers=4"));
    }
    QVERIFY(there.isEmpty() && here.isEmpty());
}

void TestIncidentBanner::bannerVanishes() {
    IncidentBanner banner;
    banner.setIncidents({stall(1), stall(2), stall(3)}, 0, true);
    bool more = false;
    for (const auto* label : banner.findChildren<QLabel*>())
        more = more || (!label->isHidden() && label->text() == QStringLiteral("+2"));
    QVERIFY(more);
    auto closed = stall(1);
    closed.closed = diagnosis::CloseReason::Recovered;
    closed.closedNs = 5'000'000'000;
    banner.setIncidents({closed}, 0, true);
    QVERIFY(banner.isHidden());
    banner.setIncidents({stall(1)}, 0, true);
    QVERIFY(!banner.isHidden());
    banner.setIncidents({stall(1)}, 0, false); // an ended run has no open incident
    QVERIFY(banner.isHidden());
    QVERIFY(banner.findChild<ClampedLabel*>()->text().isEmpty());
}

void TestIncidentBanner::bannerHasTwoLines() {
    IncidentBanner banner;
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    const auto* sentence = banner.findChild<ClampedLabel*>();
    const auto fit = [&](int width) {
        banner.resize(width, 40);
        QTest::qWait(10);
        QCOMPARE(banner.height(), 40);
        QCOMPARE(banner.width(), width);
    };
    fit(1600);
    QCOMPARE(sentence->lines(), QStringList{banner.findChild<ClampedLabel*>()->text()});
    fit(900);
    QCOMPARE(sentence->lines().size(), 2);
    QCOMPARE(sentence->lines().join(QLatin1Char(' ')), banner.findChild<ClampedLabel*>()->text());
    QVERIFY2(sentence->toolTip().isEmpty(), qPrintable(sentence->toolTip()));
    fit(520);
    QVERIFY(sentence->lines().last().endsWith(QChar(0x2026)));
    QCOMPARE(sentence->toolTip(), banner.findChild<ClampedLabel*>()->text());
}

void TestIncidentBanner::bannerSpeaksChinese() {
    QLocale::setDefault(QLocale(QLocale::Chinese));
    IncidentBanner banner;
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QLocale::setDefault(QLocale::English);
    QVERIFY2(banner.findChild<ClampedLabel*>()->text().contains(QStringLiteral("拖住")),
             qPrintable(banner.findChild<ClampedLabel*>()->text()));
}

RANKSCOPE_GUI_TEST(TestIncidentBanner)
#include "tst_incident_banner.moc"
