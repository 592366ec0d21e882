// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/header_bar.h"
#include "widgets/main_window/language.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

class Header : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { setLanguage(QStringLiteral("en")); }

    void liveRun() {
        RunView view;
        view.info.id = "r";
        view.info.name = "nest";
        view.info.state = launch::RunState::Running;
        view.info.worldSize = 4;
        view.info.totalSteps = 5000;
        view.step = 411; // the 412th
        view.stepsPerSecond = 2;
        const HeaderTexts texts = HeaderTexts::of(view);
        QCOMPARE(texts.step, QStringLiteral("412 / 5,000"));
        QCOMPARE(texts.rate, QStringLiteral("2.00 steps/s"));
        QCOMPARE(texts.left, QStringLiteral("38 min 14 s"));
        QVERIFY(texts.under.startsWith(QStringLiteral("running · 4 ranks")));
        QCOMPARE(texts.share, 412.0 / 5000);
    }

    void beforeTheFirstStep() {
        RunView view;
        view.info.state = launch::RunState::Starting;
        view.info.worldSize = 1;
        const HeaderTexts texts = HeaderTexts::of(view);
        QCOMPARE(texts.step, QStringLiteral("0"));
        QCOMPARE(texts.rate, QStringLiteral("–"));
        QCOMPARE(texts.left, QStringLiteral("–"));
        QVERIFY(texts.under.startsWith(QStringLiteral("starting · 1 rank")));
        QVERIFY(!texts.under.contains(QStringLiteral("ranks")));
        QCOMPARE(texts.share, -1.0);
    }

    void endedRunSaysWhy() {
        RunView view;
        view.info.state = launch::RunState::Failed;
        view.info.worldSize = 2;
        view.info.totalSteps = 10;
        view.info.startRealtimeNs = 1'700'000'000'000'000'000;
        view.info.endRealtimeNs = view.info.startRealtimeNs + 132'000'000'000;
        view.info.cause = "rank 1 was killed by SIGSEGV at step 4";
        view.step = 3;
        view.stepsPerSecond = 1;
        const HeaderTexts texts = HeaderTexts::of(view);
        QVERIFY(texts.under.contains(QStringLiteral("SIGSEGV")));
        QVERIFY(texts.under.contains(QStringLiteral("took 2 min 12 s")));
        QCOMPARE(texts.left, QStringLiteral("–")); // nothing is left of a run that ended
    }

    void slowRatesAreSecondsPerStep() {
        RunView view;
        view.stepsPerSecond = 0.05;
        QCOMPARE(HeaderTexts::of(view).rate, QStringLiteral("20.0 s/step"));
    }
};

QTEST_MAIN(Header)
#include "tst_header.moc"
