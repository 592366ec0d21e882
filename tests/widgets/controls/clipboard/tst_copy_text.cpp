// SPDX-License-Identifier: GPL-3.0-or-later
// A copy button says so, without a change of the layout.
#include "tests/support/test_runner.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/copy_line.h"
#include "widgets/theme/theme.h"

#include <QClipboard>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

using namespace rankscope::ui;

class TestCopyText : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void theButtonSaysCopied();
};

/// Returns the note in the window; null if there is none.
static QLabel* noteIn(const QWidget& window) {
    return window.findChild<QLabel*>(QStringLiteral("copiedNote"));
}

void TestCopyText::theButtonSaysCopied() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* line = new CopyLine;
    line->setText(QStringLiteral("rankscopectl show last"), QStringLiteral("command"));
    column->addStretch();
    column->addWidget(line);
    window.resize(300, 100);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    auto* button = line->findChild<QToolButton*>();
    const QRect place = button->geometry(), row = line->geometry();
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("rankscopectl show last"));
    const QLabel* note = noteIn(window);
    QVERIFY(note && note->isVisible());
    QCOMPARE(note->text(), QStringLiteral("Copied"));
    QVERIFY2(window.rect().contains(note->geometry()), "the line is at the window's lower right corner");
    QCOMPARE(note->accessibleDescription(), QStringLiteral("Copied")); // which screen readers say
    QCoreApplication::sendPostedEvents();
    QCOMPARE(button->geometry(), place);
    QCOMPARE(line->geometry(), row);
    QTRY_VERIFY_WITH_TIMEOUT(!noteIn(window), 20'000);
}

RANKSCOPE_GUI_TEST(TestCopyText)
#include "tst_copy_text.moc"
