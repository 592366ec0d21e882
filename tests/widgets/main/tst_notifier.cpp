// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/main_window/notifier.h"

#include <QLocale>
#include <QSignalSpy>
#include <QTest>
#include <QWidget>

using namespace rankscope;
using namespace rankscope::ui;

class TestNotifier : public QObject {
    Q_OBJECT

    static RunView view(std::initializer_list<std::pair<std::int64_t, bool>> incidents, std::int64_t version = 1) {
        RunView v;
        v.storeVersion = version;
        v.info.name = "nest";
        v.nowNs = 9'000'000'000;
        for (const auto& [id, open] : incidents) {
            diagnosis::Incident in;
            in.id = id;
            in.cause = diagnosis::Cause::DataLoading;
            in.holders = {static_cast<int>(id)};
            in.waiters = {0};
            in.openedNs = in.detectedNs = 5'000'000'000;
            in.closed = open ? diagnosis::CloseReason::Open : diagnosis::CloseReason::Recovered;
            v.incidents.push_back(in);
        }
        return v;
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::English); }

    void onlyWhatIsNew() {
        QWidget window;
        Notifier notifier(&window);
        QSignalSpy told(&notifier, &Notifier::notified);
        notifier.see(view({}, 0)); // before anything was read
        notifier.see(view({{1, true}}));
        QCOMPARE(told.size(), 0); // it was there when the run was opened
        notifier.see(view({{1, true}, {2, true}}));
        QCOMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toString(), QStringLiteral("nest"));
        QVERIFY2(told[0][1].toString().contains("Rank 2 has held up rank 0"), qPrintable(told[0][1].toString()));
        notifier.see(view({{1, false}, {2, true}}));
        notifier.see(view({{1, false}, {2, false}, {3, false}})); // over before it was seen
        QCOMPARE(told.size(), 1);
        notifier.forget();
        notifier.see(view({{9, true}})); // another run
        QCOMPARE(told.size(), 1);
        notifier.see(view({{9, true}, {10, true}}));
        QCOMPARE(told.size(), 2);
    }
    void theFirstIncidentOfARun() {
        QWidget window;
        Notifier notifier(&window);
        QSignalSpy told(&notifier, &Notifier::notified);
        notifier.see(view({}));
        notifier.see(view({{1, true}}));
        QCOMPARE(told.size(), 1);
    }
    void notWhenSwitchedOff() {
        QWidget window;
        Notifier notifier(&window);
        QSignalSpy told(&notifier, &Notifier::notified);
        notifier.see(view({}));
        notifier.setEnabled(false);
        notifier.see(view({{1, true}}));
        notifier.setEnabled(true);
        notifier.see(view({{1, true}}));
        QCOMPARE(told.size(), 0);
    }
    void notWhileSomebodyLooks() {
        QWidget window;
        window.show();
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window))
            QSKIP("this platform makes no window the active one");
        Notifier notifier(&window);
        QSignalSpy told(&notifier, &Notifier::notified);
        notifier.see(view({}));
        notifier.see(view({{1, true}}));
        QCOMPARE(told.size(), 0);
    }
};

RANKSCOPE_GUI_TEST(TestNotifier)
#include "tst_notifier.moc"
