// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/header_bar.h"
#include "widgets/main_window/language.h"
#include "tests/support/test_runner.h"

#include <QLabel>
#include <QSignalSpy>
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

    void runsThatBelongToIt() {
        HeaderBar header;
        header.resize(1200, 56);
        header.show();
        QSignalSpy asked(&header, &HeaderBar::runRequested);
        QVERIFY(header.kinText().isEmpty());
        RunKin kin;
        kin.repeated = {QStringLiteral("run-1"), QStringLiteral("/runs/run-1")};
        kin.later = {{QStringLiteral("run<3>"), QStringLiteral("/runs/run-3")}};
        header.setKin(kin);
        QVERIFY2(header.kinText().contains(QStringLiteral("repeats run-1")), qPrintable(header.kinText()));
        QVERIFY(header.kinText().contains(QStringLiteral("followed by run&lt;3&gt;"))); // names are no markup
        auto* label = header.findChild<QLabel*>(QStringLiteral("related"));
        QVERIFY(label && label->isVisible());
        QTest::mouseClick(label, Qt::LeftButton, {},
                          QPoint(label->fontMetrics().horizontalAdvance("repeats ") + 6, label->height() / 2));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().front().toString(), QStringLiteral("/runs/run-1"));
        kin.repeated.dir.clear(); // deleted since: its name stays, without a link
        kin.later << RunKin::One{QStringLiteral("run-4"), QStringLiteral("/runs/run-4")};
        header.setKin(kin);
        QVERIFY(!label->text().contains(QStringLiteral("/runs/run-1")));
        QVERIFY(header.kinText().contains(QStringLiteral("followed by 2 runs")));
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

RANKSCOPE_GUI_TEST(Header)
#include "tst_header.moc"
