// SPDX-License-Identifier: GPL-3.0-or-later
// The panel that starts a watched command: how it splits the command, and what it passes on.
#include "tests/support/test_runner.h"
#include "widgets/main_window/exchange/watch_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

using namespace rankscope::ui;

class TestWatchPanel : public QObject {
    Q_OBJECT

    template <typename Widget> static Widget* part(const WatchPanel& panel, const char* name) {
        return panel.findChild<Widget*>(QLatin1String(name));
    }

private slots:
    void aCommandIsProposedAsItWas() {
        WatchPanel panel(QStringLiteral("/runs"));
        panel.setRecent({QStringLiteral("another command")});
        const QStringList words{"python", "train.py", "name=a b", "say \"x\"", "it's", "--fast"};
        panel.setCommand(words);
        QCOMPARE(panel.arguments().mid(6), words);
    }

    void splitsTheCommand() {
        const WatchPanel panel(QStringLiteral("/runs"));
        QVERIFY(panel.arguments().isEmpty());
        part<QComboBox>(panel, "watchCommand")->setEditText(QStringLiteral("python train.py \"name=a b\" --fast"));
        QCOMPARE(part<QLabel>(panel, "watchWords")->text(), QStringLiteral("[python] [train.py] [name=a b] [--fast]"));
        QCOMPARE(panel.arguments(), (QStringList{"run", "--detach", "--json", "--runs", "/runs", "--", "python",
                                                 "train.py", "name=a b", "--fast"}));
        part<QLineEdit>(panel, "watchName")->setText(QStringLiteral("mine"));
        part<QSpinBox>(panel, "watchRanks")->setValue(4);
        QCOMPARE(panel.arguments().mid(3, 4), (QStringList{"--name", "mine", "--ranks", "4"}));
    }

    void proposesTheNewestCommand() {
        WatchPanel panel(QStringLiteral("/runs"));
        panel.setRecent({QStringLiteral("torchrun b.py"), QStringLiteral("python a.py")});
        QCOMPARE(panel.arguments().last(), QStringLiteral("b.py"));
        part<QComboBox>(panel, "watchCommand")->setEditText(QStringLiteral("python c.py"));
        panel.setRecent({QStringLiteral("torchrun b.py")});
        QCOMPARE(panel.arguments().last(), QStringLiteral("c.py")); // what was typed stays
    }

    void aMissingFolderIsSaid() {
        WatchPanel panel(QStringLiteral("/runs"));
        QSignalSpy started(&panel, &WatchPanel::started);
        part<QComboBox>(panel, "watchCommand")->setEditText(QStringLiteral("true"));
        part<QLineEdit>(panel, "watchFolder")->setText(QStringLiteral("/does/not/exist"));
        panel.begin();
        QVERIFY(!panel.isBusy());
        QVERIFY(part<QLabel>(panel, "watchStatus")->text().contains(QStringLiteral("/does/not/exist")));
        QVERIFY(started.isEmpty());
    }
};

RANKSCOPE_GUI_TEST(TestWatchPanel)
#include "tst_watch_panel.moc"
