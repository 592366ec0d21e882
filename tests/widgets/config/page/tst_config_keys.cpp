// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and wheel on the Configure page: no field takes input meant for another, Tab reaches everything and the focus is
// always visible, each key has one meaning.
#include "tests/support/test_runner.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/sync/sync_card.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/sync/sync_value_box.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/add_key_bar.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTreeView>
#include <QWheelEvent>

using namespace rankscope::ui;

class ConfigKeys : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }

    void init() {
        const QString recipe = m_home.filePath(QStringLiteral("recipe.yaml"));
        QFile::remove(recipe);
        QVERIFY(QFile::copy(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"), recipe));
        QFile::setPermissions(recipe, QFile::ReadOwner | QFile::WriteOwner);
        WindowOptions options;
        options.runsDir = m_home.filePath(QStringLiteral("runs"));
        options.config = recipe;
        options.remember = false;
        m_window = std::make_unique<MainWindow>(options);
        m_window->resize(1280, 800);
        m_window->show();
        m_window->start();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTRY_VERIFY(page()->isComplete());
    }
    void cleanup() { m_window.reset(); }

    void thePageOpensWithTheTree() { QCOMPARE(QApplication::focusWidget(), page()->recipe()->tree()); }

    void slashSearchesFromADecisiveField() {
        SyncValueBox* box = page()->cards()->card(0)->editor();
        box->setFocus();
        QTest::keyClicks(box->lineEdit(), QStringLiteral("/"));
        QCOMPARE(QApplication::focusWidget(), page()->recipe()->search());
        QCOMPARE(box->currentText(), QStringLiteral("true"));
    }

    void aWrongValueStaysAndIsNotSet() {
        const auto before = page()->file()->bytes();
        SyncValueBox* box = page()->cards()->card(0)->editor();
        box->setFocus();
        box->lineEdit()->selectAll();
        QTest::keyClicks(box->lineEdit(), QStringLiteral("sync_max"));
        QVERIFY(!box->problem().isEmpty());
        QTest::keyClick(box->lineEdit(), Qt::Key_Return);
        page()->recipe()->tree()->setFocus();
        QCOMPARE(page()->file()->bytes(), before);
        QCOMPARE(box->currentText(), QStringLiteral("sync_max"));
        QVERIFY2(page()
                     ->cards()
                     ->card(0)
                     ->findChild<ClampedLabel*>(QStringLiteral("effect"))
                     ->text()
                     .startsWith(box->problem()),
                 qPrintable(page()->cards()->card(0)->findChild<ClampedLabel*>(QStringLiteral("effect"))->text()));
        emit page()->file()->evaluationChanged(); // an evaluation must not discard the typed text
        QCOMPARE(box->currentText(), QStringLiteral("sync_max"));
        box->setFocus();
        QTest::keyClick(box->lineEdit(), Qt::Key_Escape);
        QCOMPARE(box->currentText(), QStringLiteral("true"));
        QVERIFY(box->problem().isEmpty());
    }

    void aTypedValueIsSet() {
        SyncValueBox* box = page()->cards()->card(0)->editor();
        box->setFocus();
        box->lineEdit()->selectAll();
        QTest::keyClicks(box->lineEdit(), QStringLiteral("false"));
        QTest::keyClick(box->lineEdit(), Qt::Key_Return);
        QVERIFY(page()->file()->bytes().find("sync_max_audio_length: false") != std::string::npos);
    }

    void aClickOpensTheChoices() {
        SyncValueBox* box = page()->cards()->card(2)->editor();
        const QString before = box->currentText();
        const QString other = before == QLatin1String("true") ? QStringLiteral("false") : QStringLiteral("true");
        QTest::mouseClick(box->lineEdit(), Qt::LeftButton);
        QTRY_VERIFY(box->view()->isVisible());
        box->hidePopup();
        QTest::keyClicks(box->lineEdit(), other); // replaces the value
        QCOMPARE(box->currentText(), other);
        QVERIFY(box->problem().isEmpty());
        box->reset();
        QCOMPARE(box->currentText(), before);
    }

    void theWheelChangesNothing() {
        const auto before = page()->file()->bytes();
        for (int i = 0; i < 3; ++i) {
            wheel(page()->cards()->card(i)->editor());
            wheel(page()->cards()->card(i)->editor()->lineEdit());
        }
        auto* ranks = page()->launchPanel()->findChild<QSpinBox*>();
        ranks->setFocus();
        wheel(ranks);
        QCOMPARE(page()->file()->bytes(), before);
        QCOMPARE(ranks->value(), 0);
    }

    void tabAndEscapeLeaveTheText() {
        const auto before = page()->file()->bytes();
        YamlEditor* editor = page()->textPane()->editor();
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_Tab);
        QVERIFY(QApplication::focusWidget() != editor);
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_Backtab);
        QVERIFY(QApplication::focusWidget() != editor);
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_Escape);
        QCOMPARE(QApplication::focusWidget(), page()->recipe()->tree());
        QCOMPARE(page()->file()->bytes(), before);
    }

    void linesAreIndentedTogether() {
        YamlEditor* editor = page()->textPane()->editor();
        editor->selectAll();
        editor->insertPlainText(QStringLiteral("a:\nb: 1\nc: 2\n"));
        editor->setFocus();
        QTextCursor lines(editor->document()->findBlockByNumber(1));
        lines.setPosition(editor->document()->findBlockByNumber(3).position(), QTextCursor::KeepAnchor);
        editor->setTextCursor(lines);
        QTest::keyClick(editor, Qt::Key_Tab);
        QCOMPARE(editor->toPlainText(), QStringLiteral("a:\n  b: 1\n  c: 2\n"));
        QTest::keyClick(editor, Qt::Key_BracketLeft, Qt::ControlModifier);
        QCOMPARE(editor->toPlainText(), QStringLiteral("a:\nb: 1\nc: 2\n"));
        QTest::keyClick(editor, Qt::Key_BracketRight, Qt::ControlModifier);
        QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier); // undone in one step
        QCOMPARE(editor->toPlainText(), QStringLiteral("a:\nb: 1\nc: 2\n"));
        QCOMPARE(QString::fromStdString(page()->file()->bytes()), editor->toPlainText());
    }

    void ctrlIExplains() {
        page()->recipe()->reveal(QStringLiteral("model.optim.lr"));
        page()->textPane()->info()->showTab(InfoPane::Plan);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_I, Qt::ControlModifier);
        QCOMPARE(page()->textPane()->info()->currentIndex(), static_cast<int>(InfoPane::Key));
        QCOMPARE(page()->textPane()->info()->detail()->key(), QStringLiteral("model.optim.lr"));
        QVERIFY(!m_window->findChild<QWidget*>(QStringLiteral("importPanel")));
    }

    void ctrlEnterLaunchesFromConfigureOnly() {
        m_window->showPage(Page::Review);
        QSignalSpy asked(page()->launchPanel(), &LaunchPanel::launched);
        (*m_window->actions())[ActionId::Launch]->trigger();
        QCOMPARE(m_window->page(), Page::Configure);
        QVERIFY(page()->launchPanel()->problem().isEmpty()); // rankscopectl, which does not exist here, was not started
        QVERIFY(page()->notice()->text().contains(QStringLiteral("recipe.yaml")));
        (*m_window->actions())[ActionId::Launch]->trigger();
        QTRY_VERIFY(!page()->launchPanel()->problem().isEmpty());
    }

    void noTwoActionsShareAShortcut() {
        struct Taken {
            QString keys, name;
            const QWidget* where; ///< the shortcut works in it and its children
        };
        QList<Taken> all;
        const auto take = [&](const QList<QKeySequence>& keys, const QString& name, const QWidget* where) {
            for (const QKeySequence& one : keys)
                if (!one.isEmpty())
                    all << Taken{one.toString(), name, where};
        };
        for (const QAction* action : m_window->findChildren<QAction*>()) {
            const auto* parent = qobject_cast<const QWidget*>(action->parent());
            const bool everywhere = action->shortcutContext() == Qt::WindowShortcut || !parent;
            if (!qobject_cast<const QMenu*>(parent))
                take(action->shortcuts(), plainText(action->text()), everywhere ? m_window.get() : parent);
        }
        for (const QShortcut* shortcut : m_window->findChildren<QShortcut*>())
            take({shortcut->key()}, QLatin1String(shortcut->parent()->metaObject()->className()),
                 shortcut->context() == Qt::WindowShortcut ? m_window.get()
                                                           : qobject_cast<const QWidget*>(shortcut->parent()));
        QVERIFY(all.size() > 40);
        QStringList wrong;
        for (qsizetype i = 0; i < all.size(); ++i)
            for (qsizetype j = 0; j < i; ++j)
                if (all[i].keys == all[j].keys &&
                    (all[i].where == all[j].where || all[i].where->isAncestorOf(all[j].where) ||
                     all[j].where->isAncestorOf(all[i].where)))
                    wrong << QStringLiteral("%1: %2 and %3").arg(all[i].keys, all[i].name, all[j].name);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    /// The focus is visible: a picture with it differs from one without it.
    void theFocusIsSeen() {
        QStringList unseen;
        const QPixmap none = [&] {
            QApplication::focusWidget()->clearFocus();
            return settled();
        }();
        int stops = 0;
        for (QWidget* widget : page()->findChildren<QWidget*>()) {
            if (!widget->isVisible() || !widget->isEnabled() || !(widget->focusPolicy() & Qt::TabFocus) ||
                widget->focusProxy())
                continue;
            ++stops;
            widget->setFocus(Qt::TabFocusReason);
            if (QApplication::focusWidget() != widget)
                continue;
            if (settled().toImage() == none.toImage())
                unseen << QStringLiteral("%1 in %2")
                              .arg(QLatin1String(widget->metaObject()->className()),
                                   QLatin1String(widget->parent()->metaObject()->className()));
            widget->clearFocus();
        }
        QVERIFY(stops > 15);
        QVERIFY2(unseen.isEmpty(), qPrintable(unseen.join(QLatin1Char('\n'))));
    }

private:
    ConfigPage* page() const { return m_window->findChild<ConfigPage*>(); }
    QPixmap settled() {
        QApplication::setCursorFlashTime(0); // no blinking caret
        QCoreApplication::processEvents();
        return page()->grab();
    }
    static void wheel(QWidget* widget) {
        const QPointF at(widget->rect().center());
        QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(widget, &event);
    }

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;
};

RANKSCOPE_GUI_TEST(ConfigKeys)
#include "tst_config_keys.moc"
