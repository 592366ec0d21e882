// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/main_window/chrome/desktop_notifier.h"

#include <QDBusConnection>
#include <QDBusError>
#include <QLocale>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>
#include <QWidget>

using namespace rankscope;
using namespace rankscope::ui;

/// Answers as a desktop that shows notifications does.
class FakeDesktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    QStringList shown, actions;

public slots:
    uint Notify(const QString&, uint, const QString&, const QString& title, const QString&, const QStringList& offered,
                const QVariantMap&, int) {
        shown << title;
        actions = offered;
        return 41 + static_cast<uint>(shown.size());
    }
signals:
    void ActionInvoked(uint id, const QString& action);
    void NotificationClosed(uint id, uint reason);
};

class TestNotifier : public QObject {
    Q_OBJECT

    using Incidents = std::vector<diagnosis::Incident>;
    static Incidents of(std::initializer_list<std::pair<std::int64_t, bool>> list) {
        Incidents incidents;
        for (const auto& [id, open] : list) {
            diagnosis::Incident in;
            in.id = id;
            in.cause = diagnosis::Cause::DataLoading;
            in.holders = {static_cast<int>(id)};
            in.waiters = {0};
            in.openedNs = in.detectedNs = 5'000'000'000;
            in.closed = open ? diagnosis::CloseReason::Open : diagnosis::CloseReason::Recovered;
            incidents.push_back(in);
        }
        return incidents;
    }
    static void see(Notifier& notifier, const Incidents& incidents, const QString& dir = QStringLiteral("/runs/a")) {
        notifier.see(dir, QStringLiteral("nest"), incidents, 9'000'000'000);
    }

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::English);
        // a private bus: the person running the tests sees no notifications
        if (const QString program = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")); !program.isEmpty()) {
            m_bus.start(program,
                        {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
            QVERIFY(m_bus.waitForStarted() && m_bus.waitForReadyRead());
            qputenv("DBUS_SESSION_BUS_ADDRESS", m_bus.readLine().trimmed());
        }
    }
    void cleanupTestCase() {
        if (m_bus.state() == QProcess::NotRunning)
            return;
        QDBusConnection::disconnectFromBus(QDBusConnection::sessionBus().name());
        m_bus.terminate();
        QVERIFY(m_bus.waitForFinished());
    }

    void onlyWhatIsNew() {
        QWidget window;
        Notifier notifier(&window);
        QSignalSpy told(&notifier, &Notifier::notified);
        see(notifier, of({{1, true}}));
        QCOMPARE(told.size(), 0); // already open when the run was first seen
        see(notifier, of({{1, true}, {2, true}}));
        QCOMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toString(), QStringLiteral("nest"));
        QVERIFY2(told[0][1].toString().contains("Rank 2 has been holding up rank 0"),
                 qPrintable(told[0][1].toString()));
        see(notifier, of({{1, true}, {2, true}}));               // not reported again
        see(notifier, of({{1, false}, {2, false}, {3, false}})); // closed before it was seen
        QCOMPARE(told.size(), 1);
    }
    void ofEachRunByItself() {
        QWidget window;
        Notifier notifier(&window);
        QSignalSpy told(&notifier, &Notifier::notified);
        const QString other = QStringLiteral("/runs/b");
        see(notifier, {});
        see(notifier, {}, other);
        see(notifier, of({{1, true}}), other); // an incident of a run that is not open
        QCOMPARE(told.size(), 1);
        see(notifier, of({{1, true}})); // the same id in another run is another incident
        QCOMPARE(told.size(), 2);
        // this run was opened since and is read by its session: not reported again
        see(notifier, of({{1, true}}), other);
        QCOMPARE(told.size(), 2);
    }
    void notWhenSwitchedOff() {
        QWidget window;
        Notifier notifier(&window);
        QSignalSpy told(&notifier, &Notifier::notified);
        see(notifier, {});
        notifier.setEnabled(false);
        see(notifier, of({{1, true}}));
        notifier.setEnabled(true);
        see(notifier, of({{1, true}}));
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
        see(notifier, {});
        see(notifier, of({{1, true}}));
        QCOMPARE(told.size(), 0);
    }
    void aClickOpensTheRun() {
        if (m_bus.state() == QProcess::NotRunning)
            QSKIP("there is no dbus-daemon here");
        auto session = QDBusConnection::sessionBus();
        QVERIFY2(session.isConnected(), qPrintable(session.lastError().message()));
        FakeDesktop desktop;
        QVERIFY(session.registerObject(QStringLiteral("/org/freedesktop/Notifications"), &desktop,
                                       QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals));
        QVERIFY(session.registerService(QStringLiteral("org.freedesktop.Notifications")));

        QWidget window;
        Notifier notifier(&window);
        QSignalSpy asked(&notifier, &Notifier::openRequested);
        for (const QString& dir : {QStringLiteral("/runs/a"), QStringLiteral("/runs/b")}) {
            see(notifier, {}, dir);
            see(notifier, of({{1, true}}), dir);
        }
        QTRY_COMPARE(desktop.shown.size(), 2);
        QVERIFY(desktop.actions.contains(QStringLiteral("default")));
        QTest::qWait(50);                                         // until the ids have arrived
        emit desktop.ActionInvoked(7, QStringLiteral("default")); // an id of another program
        emit desktop.ActionInvoked(43, QStringLiteral("default"));
        QTRY_COMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), QStringLiteral("/runs/b"));
        emit desktop.NotificationClosed(42, 1);
        emit desktop.ActionInvoked(42, QStringLiteral("default")); // it was closed
        QTest::qWait(50);
        QCOMPARE(asked.size(), 1);
    }

private:
    QProcess m_bus;
};

RANKSCOPE_GUI_TEST(TestNotifier)
#include "tst_desktop_notifier.moc"
