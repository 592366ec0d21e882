// SPDX-License-Identifier: GPL-3.0-or-later
// The row that names NeMo's Python, before it is shown. tst_launch_panel asks real programs for their NeMo.
#include "tests/support/test_runner.h"
#include "widgets/config/nemo/nemo_python.h"

#include <QDir>
#include <QTest>

using namespace rankscope::ui;

class TestNemoPython : public QObject {
    Q_OBJECT

private slots:
    /// A launch may have another working folder than the window.
    void aRelativePathIsCompleted() {
        NemoPython nemo;
        QVERIFY(nemo.python().isEmpty());
        nemo.setPython(QStringLiteral(" env/bin/python "));
        QCOMPARE(nemo.python(), QDir::currentPath() + QStringLiteral("/env/bin/python"));
        nemo.setPython(QStringLiteral("/opt/nemo/bin/python"));
        QCOMPARE(nemo.python(), QStringLiteral("/opt/nemo/bin/python"));
        nemo.setPython(QStringLiteral("python3.11")); // is looked up in PATH
        QCOMPARE(nemo.python(), QStringLiteral("python3.11"));
    }

    void aPythonThatIsNotShownIsNotAsked() {
        NemoPython nemo;
        nemo.setPython(QStringLiteral("/bin/false"));
        QVERIFY(!nemo.isFound());
        QVERIFY2(nemo.status().isEmpty(), qPrintable(nemo.status()));
    }
};

RANKSCOPE_GUI_TEST(TestNemoPython)
#include "tst_nemo_python.moc"
