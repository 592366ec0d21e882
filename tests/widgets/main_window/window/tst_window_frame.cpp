// SPDX-License-Identifier: GPL-3.0-or-later
// The frame around the pages: notices, the message next to the tabs, menus, the list of keys, the palette, the guide.
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/config/page/config_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/command_palette.h"
#include "widgets/main_window/actions/recent_menu.h"
#include "widgets/main_window/actions/shortcut_list.h"
#include "widgets/main_window/actions/shortcuts_panel.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/help/guide_window.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/main_window/window/window_memory.h"
#include "widgets/models/run/run_session.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/annotations/annotation_bar.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/theme/theme.h"
#include "widgets/waits/waits_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

class WindowFrame : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_CACHE_HOME", m_home.filePath(QStringLiteral("cache")).toLocal8Bit());
        m_run = std::make_unique<SyntheticRun>(2, RunState::Finished, 20);
        m_run->addSteps(20, [](int, std::int64_t) { return RankStep{}; });
        m_run->addEnds(telemetry::EndCause::Finished);
        m_run->finishStore();
        QFile file(recipe());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("name: test\ntrainer:\n  devices: 2\n");
        QVERIFY(QDir().mkpath(m_home.filePath(QStringLiteral("notrun"))));
    }

    void init() {
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }

    void whatIsNoRunIsSaidInThePageWhichStays() {
        auto window = make();
        window->openConfig(recipe());
        window->showPage(Page::Configure);
        (*window->actions())[ActionId::OpenRun]->trigger();
        auto* dialog = window->findChild<QFileDialog*>();
        QVERIFY(dialog);
        emit dialog->fileSelected(m_home.filePath(QStringLiteral("notrun")));
        dialog->reject();
        NoticeStrip* strip = window->findChild<NoticeStrip*>();
        QVERIFY(strip->isVisible());
        QCOMPARE(strip->text(),
                 m_home.filePath(QStringLiteral("notrun")) + QStringLiteral(" is not a Rankscope run (no run.json)."));
        QVERIFY(window->page() == Page::Configure);
        QVERIFY(window->findChild<StatusLine*>()->currentMessage().isEmpty() ||
                !window->findChild<StatusLine*>()->currentMessage().contains(QStringLiteral("run.json")));
        auto* text = strip->findChild<QLabel*>(QStringLiteral("noticeText"));
        QVERIFY(text->textInteractionFlags() & Qt::TextSelectableByMouse);
        picture(window.get(), "notice");
        // the whole text is copied, including the details that a button shows
        QTest::mouseClick(strip->findChild<QToolButton*>(QStringLiteral("noticeDetails")), Qt::LeftButton);
        QVERIFY(strip->details().contains(QStringLiteral("exp_manager")));
        picture(window.get(), "notice-details");
        QTest::mouseClick(strip->findChild<QToolButton*>(QStringLiteral("noticeCopy")), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), strip->text() + u'\n' + strip->details());
        // in the other language as well
        (*window->actions())[ActionId::LanguageChinese]->trigger();
        QCoreApplication::processEvents();
        QVERIFY(!strip->text().contains(QStringLiteral("is not")));
        picture(window.get(), "notice-zh");
        (*window->actions())[ActionId::LanguageEnglish]->trigger();
        QCoreApplication::processEvents();
        // the button opens the import for that folder, and the notice disappears
        auto* import = strip->findChild<QPushButton*>(QStringLiteral("noticeAction"));
        QCOMPARE(import->text(), QStringLiteral("Import…"));
        QTest::mouseClick(import, Qt::LeftButton);
        QVERIFY(!strip->isVisible());
        bool found = false;
        for (auto* line : window->findChildren<QLineEdit*>())
            found |= line->isVisible() && line->text() == m_home.filePath(QStringLiteral("notrun"));
        QVERIFY(found);
    }

    void noticesWaitForEachOther() {
        NoticeStrip strip;
        const auto notice = [](const char* text, const char* topic) {
            Notice made;
            made.topic = QLatin1String(topic);
            made.text = [text] { return QString::fromLatin1(text); };
            return made;
        };
        QVERIFY(strip.text().isEmpty());
        strip.add(notice("first", "a"));
        strip.add(notice("second", "b"));
        strip.add(notice("third", "b")); // replaces the second one
        QCOMPARE(strip.text(), QStringLiteral("third"));
        strip.show();
        QTest::keyClick(&strip, Qt::Key_Escape);
        QCOMPARE(strip.text(), QStringLiteral("first"));
        strip.add(notice("fourth", "c"));
        strip.drop(QStringLiteral("a"));
        QCOMPARE(strip.text(), QStringLiteral("fourth"));
        QTest::mouseClick(strip.findChild<QToolButton*>(QStringLiteral("noticeClose")), Qt::LeftButton);
        QVERIFY(strip.text().isEmpty() && strip.isHidden());
    }

    void openingARunTakesTheNoticeAway() {
        auto window = make();
        QVERIFY(!window->openRun(m_home.filePath(QStringLiteral("not there"))));
        QVERIFY(window->findChild<NoticeStrip*>()->text().endsWith(QStringLiteral("does not exist.")));
        window->resize(800, 500);
        QVERIFY(!window->openRun(m_home.filePath(QString(300, u'x')))); // a long name does not widen the window
        QTest::qWait(50);
        QCOMPARE(window->size(), QSize(800, 500));
        QVERIFY(window->openRun(runDir()));
        QVERIFY(!window->findChild<NoticeStrip*>()->isVisible());
    }

    void anAnnotationThatCannotBeStoredStaysInItsLine() {
        SyntheticRun run(2, RunState::Finished, 20);
        run.addSteps(20, [](int, std::int64_t) { return RankStep{}; });
        run.addEnds(telemetry::EndCause::Finished);
        run.finishStore();
        const QString lock = QString::fromStdString((run.paths().dir / ".marks.lock").string());
        QVERIFY(QDir().mkpath(lock)); // the lock file cannot be created, even by root
        auto window = make();
        window->openRun(QString::fromStdString(run.paths().dir.string()));
        window->showPage(Page::Review);
        QTRY_VERIFY_WITH_TIMEOUT(window->isComplete(), 20'000);
        (*window->actions())[ActionId::Annotate]->trigger();
        auto* line = qobject_cast<QLineEdit*>(window->focusWidget());
        QVERIFY(line);
        QTest::keyClicks(line, QStringLiteral("the disk was slow"));
        QTest::keyClick(line, Qt::Key_Return);
        const auto* bar = window->findChild<AnnotationBar*>();
        QTRY_VERIFY2(bar->problem().contains(QStringLiteral(".marks.lock")), qPrintable(bar->problem()));
        QVERIFY(!window->findChild<NoticeStrip*>()->isVisible()); // it is said once
        QVERIFY(line->isVisible());
        QCOMPARE(line->text(), QStringLiteral("the disk was slow"));
        QVERIFY(QDir().rmdir(lock)); // now it can be created
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_VERIFY(QFile::exists(QString::fromStdString((run.paths().dir / "marks.json").string())));
        QTest::qWait(100);
        QVERIFY(!line->isVisible());
    }

    void whatIsSaidTakesNoRow() {
        auto window = make();
        window->openRun(runDir());
        window->showPage(Page::Logs);
        auto* tabs = window->findChild<QTabWidget*>();
        QCoreApplication::processEvents();
        const QRect before = tabs->currentWidget()->geometry();
        QCOMPARE(tabs->mapTo(window.get(), QPoint(0, tabs->height())).y(), window->height());
        const QString text = QStringLiteral("said ").repeated(100);
        emit window->findChild<RunsPanel*>()->message(text);
        QCoreApplication::processEvents();
        QCOMPARE(window->findChild<StatusLine*>()->currentMessage(), text);
        QVERIFY(window->findChild<StatusLine*>()->isVisible() && window->findChild<StatusLine*>()->width() > 100);
        QCOMPARE(tabs->currentWidget()->geometry(), before);
        QVERIFY(tabs->tabBar()->width() >= tabs->tabBar()->sizeHint().width()); // no tab shrinks
        QVERIFY(window->findChild<StatusLine*>()->toolTip().contains(QStringLiteral("said said")));
        // it is visible: right of the tabs, in their row
        const QRect place(window->findChild<StatusLine*>()->mapTo(window.get(), QPoint()),
                          window->findChild<StatusLine*>()->size());
        QVERIFY2(window->rect().contains(place), qPrintable(QStringLiteral("%1 %2").arg(place.x()).arg(place.y())));
        const QImage row = window->grab(place).toImage();
        QSet<QRgb> colours;
        for (int y = 0; y < row.height(); ++y)
            for (int x = 0; x < row.width(); ++x)
                colours.insert(row.pixel(x, y));
        QVERIFY2(
            colours.size() > 4,
            qPrintable(
                QStringLiteral("%1,%2 %3x%4").arg(place.x()).arg(place.y()).arg(place.width()).arg(place.height())));
        picture(window.get(), "status");
    }

    void theFirstWindowFitsTheScreen() {
        const QRect screen(0, 0, 1440, 900);
        const QMargins frame(2, 28, 2, 4);
        const QRect fitted = fittedClient(QRect(0, 0, 1440, 900), frame, screen);
        QCOMPARE(fitted.marginsAdded(frame), screen);
        // next to a panel; a window that fits is not moved
        QCOMPARE(fittedClient(QRect(1000, 700, 800, 500), frame, QRect(64, 0, 1376, 900)).bottomRight(),
                 QPoint(1437, 895));
        QCOMPARE(fittedClient(QRect(100, 100, 800, 500), frame, screen), QRect(100, 100, 800, 500));
        MainWindow window({.runsDir = m_home.filePath(QStringLiteral("runs"))});
        const QSize room = window.screen()->availableSize();
        QVERIFY(window.width() <= std::max(room.width(), window.minimumWidth()));
        QVERIFY(window.height() < room.height() || room.height() > 900 + 48);
        QVERIFY(window.minimumHeight() <= 500);
    }

    void recentOnesAreKeptAndTheMissingAreGrey() {
        const QString gone = m_home.filePath(QStringLiteral("gone.yaml"));
        {
            auto window = make(true);
            QVERIFY(QFile::copy(recipe(), gone));
            window->openConfig(gone);
            window->openConfig(recipe());
            window->openRun(runDir());
            window->close();
        }
        QVERIFY(QFile::remove(gone));
        auto window = make(true);
        RecentMenu* menu = window->findChild<RecentMenu*>();
        menu->popup({});
        const auto action = [&](const QString& path) -> QAction* {
            for (QAction* one : menu->actions())
                if (one->data().toString() == path)
                    return one;
            return nullptr;
        };
        QTRY_VERIFY(action(gone) && !action(gone)->isEnabled());
        QVERIFY(action(gone)->text().contains(QStringLiteral("no longer there")));
        QVERIFY(action(recipe()) && action(recipe())->isEnabled());
        QVERIFY(action(runDir()) && action(runDir())->isEnabled());
        menu->close();
        (*window->actions())[ActionId::CloseRun]->trigger();
        QVERIFY(!window->session());
        QVERIFY(!(*window->actions())[ActionId::CloseRun]->isEnabled());
        action(runDir())->trigger();
        QVERIFY(window->session());
        menu->actions().last()->trigger(); // Clear
        QVERIFY(!action(recipe()) && !action(runDir()));
        window->close();
        QVERIFY(WindowSettings::load().recentRecipes.isEmpty());
    }

    void closeRunByKey() {
        auto window = make();
        window->openConfig(recipe());
        window->openRun(runDir());
        QTest::keyClick(window.get(), Qt::Key_W, Qt::ControlModifier);
        QVERIFY(!window->session());
    }

    void editActsOnTheFocusedWidget() {
        auto window = make();
        window->openRun(runDir());
        window->showPage(Page::Review);
        (*window->actions())[ActionId::Search]->trigger();
        auto* line = qobject_cast<QLineEdit*>(window->focusWidget());
        QVERIFY(line);
        QTest::keyClicks(line, QStringLiteral("some words"));
        const auto edit = [&](ActionId act) {
            QMenu* menu = window->menuBar()->actions().at(1)->menu();
            menu->popup({});
            QAction* action = (*window->actions())[act];
            const bool enabled = action->isEnabled();
            menu->close();
            if (enabled)
                action->trigger();
            return enabled;
        };
        QVERIFY(!edit(ActionId::Copy)); // nothing is selected
        QVERIFY(edit(ActionId::SelectAll));
        QCOMPARE(line->selectedText(), QStringLiteral("some words"));
        QVERIFY(edit(ActionId::Cut));
        QCOMPARE(line->text(), QString());
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("some words"));
        QVERIFY(edit(ActionId::Undo));
        QCOMPARE(line->text(), QStringLiteral("some words"));
        QVERIFY(edit(ActionId::Redo));
        QCOMPARE(line->text(), QString());
        QVERIFY(edit(ActionId::Paste));
        QCOMPARE(line->text(), QStringLiteral("some words"));
        QVERIFY((*window->actions())[ActionId::Copy]->text().endsWith(QStringLiteral("\tCtrl+C")));
        QVERIFY((*window->actions())[ActionId::Copy]->shortcut().isEmpty()); // each page has its own
    }

    /// Blue means selection and focus; in the list of keys nothing is selected.
    void keysHaveTheColourOfText() {
        auto window = make();
        ShortcutsPanel* panel = window->findChild<ShortcutsPanel*>();
        panel->open();
        const QImage list = panel->findChild<KeyList*>()->grab().toImage().convertToFormat(QImage::Format_RGB32);
        const QRgb accent = Theme::instance().palette().accent.rgb();
        for (int y = 0; y < list.height(); ++y) {
            const auto* line = reinterpret_cast<const QRgb*>(list.constScanLine(y));
            QVERIFY2(std::find(line, line + list.width(), accent) == line + list.width(),
                     qPrintable(QString::number(y)));
        }
        panel->leave();
    }

    void keysAreNeitherCutNorHidden() {
        auto window = make();
        for (const char* language : {"en", "zh"})
            for (const QSize size : {QSize(1440, 900), QSize(800, 500)}) {
                setLanguage(QLatin1String(language));
                window->resize(size);
                QCoreApplication::processEvents();
                ShortcutsPanel* panel = window->findChild<ShortcutsPanel*>();
                panel->open();
                QVERIFY(window->rect().contains(panel->geometry()));
                auto* list = panel->findChild<KeyList*>();
                QVERIFY(list->width() <= panel->findChild<QScrollArea*>()->viewport()->width());
                const QFontMetrics keys(monoFont(9)), words(bodyFont());
                for (const KeySection& section : panel->sections())
                    for (const KeyLine& line : section.lines) {
                        QVERIFY2(keys.horizontalAdvance(line.key) <= list->keyWidth(), qPrintable(line.key));
                        const QRect room(0, 0, list->textWidth(), 1000); // a long text takes two lines
                        QVERIFY2(words.boundingRect(room, Qt::TextWordWrap, line.text).width() <= list->textWidth(),
                                 qPrintable(line.text));
                    }
                picture(window.get(),
                        qPrintable(QStringLiteral("keys-%1-%2").arg(QLatin1String(language)).arg(size.width())));
                panel->leave();
            }
    }

    void keysAreSearched() {
        auto window = make();
        QTest::keyClick(window.get(), Qt::Key_Question);
        ShortcutsPanel* panel = window->findChild<ShortcutsPanel*>();
        QVERIFY(panel->isVisible());
        QTRY_VERIFY(panel->findChild<QLineEdit*>()->hasFocus());
        const QSize before = panel->size();
        const auto all = panel->sections().size();
        QTest::keyClicks(panel->findChild<QLineEdit*>(), QStringLiteral("go to a line"));
        QCOMPARE(panel->sections().size(), qsizetype{1});
        QCOMPARE(panel->sections().first().lines.size(), qsizetype{1});
        QCOMPARE(panel->size(), before);
        picture(window.get(), "keys-searched");
        panel->findChild<QLineEdit*>()->clear();
        QCOMPARE(panel->sections().size(), all);
        QTest::mouseClick(panel->findChild<QToolButton*>(QStringLiteral("overlayClose")), Qt::LeftButton);
        QVERIFY(!panel->isVisible());
        QTest::keyClick(window.get(), Qt::Key_F1);
        QVERIFY(panel->isVisible());
        QTest::keyClick(panel->findChild<QLineEdit*>(), Qt::Key_Escape);
        QVERIFY(!panel->isVisible());
        QTest::keyClick(window.get(), Qt::Key_F1);
        QTest::keyClick(panel->findChild<QLineEdit*>(), Qt::Key_Question); // the key that opened it
        QVERIFY(!panel->isVisible());
    }

    void theKeysPageNamesEveryKey() {
        auto window = make();
        QTest::keyClick(window.get(), Qt::Key_Question);
        QFile file(QStringLiteral(RANKSCOPE_SOURCE_DIR "/docs/keys.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        int keys = 0;
        for (const KeySection& section : window->findChild<ShortcutsPanel*>()->sections())
            for (const KeyLine& line : section.lines) {
                const QString names = line.key.split(QStringLiteral("  ")).join(QStringLiteral(", "));
                const QString row = QStringLiteral("\n| %1 |").arg(names);
                QVERIFY2(page.contains(row), qPrintable(section.title + row));
                ++keys;
            }
        QVERIFY(keys > 70);
    }

    void thePaletteFindsAndActs() {
        auto window = make();
        window->openRun(runDir());
        window->showPage(Page::Review);
        QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        CommandPalette* palette = window->findChild<CommandPalette*>();
        QVERIFY(palette->isVisible());
        QTRY_VERIFY(palette->findChild<QLineEdit*>()->hasFocus());
        picture(window.get(), "palette");
        QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("view log"));
        QVERIFY(palette->findChild<QTreeWidget*>()->currentItem());
        QCOMPARE(palette->findChild<QTreeWidget*>()->currentItem()->text(0), QStringLiteral("View: Logs"));
        QCOMPARE(palette->findChild<QTreeWidget*>()->currentItem()->text(1), QStringLiteral("Ctrl+5"));
        QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QVERIFY(window->page() == Page::Logs);
        QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("no such thing"));
        QVERIFY(!palette->findChild<QTreeWidget*>()->currentItem());
        QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return); // nothing happens
        QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
        // everything can be found
        palette->open();
        int actions = 0;
        for (int i = 0; i < static_cast<int>(ActionId::Count); ++i)
            actions += (*window->actions())[static_cast<ActionId>(i)]->isVisible();
        QCOMPARE(palette->findChild<QTreeWidget*>()->topLevelItemCount(), actions - 1); // except the palette itself
        QTest::mouseClick(window->findChild<StatusLine*>()->parentWidget(), Qt::LeftButton);
        QVERIFY(!palette->isVisible());
    }

    void theGuideIsReadOffline() {
        auto window = make();
        QVERIFY(QFile::exists(findGuide()));
        (*window->actions())[ActionId::Guide]->trigger();
        GuideWindow* guide = window->findChild<GuideWindow*>();
        auto* pages = guide->findChild<QListWidget*>();
        auto* browser = guide->findChild<QTextBrowser*>();
        QVERIFY(guide && guide->isVisible());
        QCOMPARE(pages->currentItem()->text(), QStringLiteral("First run"));
        QVERIFY(browser->toPlainText().contains(QStringLiteral("The welcome page")));
        if (!m_pictures.isEmpty())
            QVERIFY(guide->grab().save(QDir(m_pictures).filePath(QStringLiteral("guide.png"))));
        browser->setSource(QUrl(QStringLiteral("security.md"))); // as a click on a link does
        QVERIFY2(pages->currentItem()->text().contains(QStringLiteral("ecurity")),
                 qPrintable(pages->currentItem()->text()));
        const int count = pages->count();
        QVERIFY(count > 20);
        for (int i = 0; i < count; ++i) // developer pages are not listed, but links open them
            QVERIFY(!pages->item(i)->data(Qt::UserRole).toString().contains(QStringLiteral("/dev/")));
        QVERIFY(pages->findItems(QStringLiteral("Contributing"), Qt::MatchExactly).isEmpty());
        pages->setCurrentRow(count - 1);
        QCOMPARE(pages->currentItem()->text(), pages->item(count - 1)->text());
        QVERIFY(!browser->toPlainText().isEmpty());
    }

    void theGuideIsSearchedOnAllPages() {
        auto window = make();
        (*window->actions())[ActionId::Guide]->trigger();
        const auto* guide = window->findChild<GuideWindow*>();
        auto* find = guide->findChild<QLineEdit*>();
        const auto* browser = guide->findChild<QTextBrowser*>();
        const auto* pages = guide->findChild<QListWidget*>();
        const QString only = QStringLiteral("hparams"); // on one page
        QVERIFY(!browser->toPlainText().contains(only));
        QTest::keyClicks(find, only);
        QTest::keyClick(find, Qt::Key_Return);
        QCOMPARE(browser->source().fileName(), QStringLiteral("exchange.md"));
        QCOMPARE(pages->currentItem()->data(Qt::UserRole).toString(), browser->source().toLocalFile());
        QCOMPARE(browser->textCursor().selectedText(), only);
        find->setText(QStringLiteral("on no page of the guide"));
        QTest::keyClick(find, Qt::Key_Return);
        QCOMPARE(browser->source().fileName(), QStringLiteral("exchange.md"));
    }

    void theGuideGoesToHeadings() {
        auto window = make();
        (*window->actions())[ActionId::Guide]->trigger();
        auto* browser = window->findChild<GuideWindow*>()->findChild<QTextBrowser*>();
        const auto firstLine = [&] { return browser->cursorForPosition(QPoint(20, 10)).block().text(); };
        browser->setSource(QUrl(QStringLiteral("my-run-hangs.md#not_finite"))); // as a click on a link does
        QCOMPARE(firstLine(), QStringLiteral("not_finite"));
        browser->setSource(QUrl(QStringLiteral("#long_batch"))); // in the same page
        QCOMPARE(firstLine(), QStringLiteral("long_batch"));
        // in Chinese, by the heading's words or by the id written after it
        (*window->actions())[ActionId::LanguageChinese]->trigger();
        QCoreApplication::processEvents();
        browser->setSource(QUrl(QStringLiteral("#三分钟")));
        QCOMPARE(firstLine(), QStringLiteral("三分钟"));
        browser->setSource(QUrl(QStringLiteral("#when-the-run-is-not-watched")));
        QVERIFY2(firstLine().startsWith(QStringLiteral("任务没有被监视")), qPrintable(firstLine()));
    }

    void theGuideIsInTheWindowsLanguage() {
        auto window = make();
        (*window->actions())[ActionId::LanguageChinese]->trigger();
        QCoreApplication::processEvents();
        (*window->actions())[ActionId::Guide]->trigger();
        GuideWindow* guide = window->findChild<GuideWindow*>();
        QVERIFY(guide);
        auto* pages = guide->findChild<QListWidget*>();
        auto* browser = guide->findChild<QTextBrowser*>();
        QCOMPARE(pages->currentItem()->text(), QStringLiteral("第一次训练"));
        QVERIFY(browser->toPlainText().contains(QStringLiteral("欢迎页")));
        if (!m_pictures.isEmpty())
            QVERIFY(guide->grab().save(QDir(m_pictures).filePath(QStringLiteral("guide-zh.png"))));
        const auto shows = [&](const char* page) { return browser->source().path().endsWith(QLatin1String(page)); };
        browser->setSource(QUrl(QStringLiteral("runs.md"))); // as a click on a link does
        QVERIFY2(shows("/docs/zh/runs.md"), qPrintable(browser->source().path()));
        browser->setSource(QUrl(QStringLiteral("../security.md"))); // has not been translated
        QVERIFY2(shows("/docs/security.md"), qPrintable(browser->source().path()));
        QVERIFY2(pages->currentItem()->text().contains(QStringLiteral("ecurity")),
                 qPrintable(pages->currentItem()->text()));
        // a link in an English page leads back to the Chinese ones
        browser->setSource(QUrl(QStringLiteral("guide.md")));
        QVERIFY2(shows("/docs/zh/guide.md"), qPrintable(browser->source().path()));
        // the same page in the other language, and Back does not lead to this one
        (*window->actions())[ActionId::LanguageEnglish]->trigger();
        QCoreApplication::processEvents();
        QVERIFY2(shows("/docs/guide.md"), qPrintable(browser->source().path()));
        QCOMPARE(pages->currentItem()->text(), QStringLiteral("First run"));
        QVERIFY(!browser->isBackwardAvailable());
    }

    void plotsScrollRatherThanSquash() {
        auto window = make();
        window->openRun(runDir());
        window->showPage(Page::Review);
        QTRY_VERIFY_WITH_TIMEOUT(window->isComplete(), 20'000);
        auto* area = window->findChild<QScrollArea*>(QStringLiteral("plotsArea"));
        QVERIFY(area);
        for (const QSize size : {QSize(1440, 900), QSize(900, 600), QSize(800, 500)}) {
            window->resize(size);
            QTest::qWait(50);
            QCOMPARE(window->size(), size);
            for (auto* plot : window->findChildren<RankPlot*>())
                QVERIFY2(plot->height() >= 80, qPrintable(QString::number(plot->height())));
            if (size.height() != 600)
                QCOMPARE(area->verticalScrollBar()->maximum() > 0, size.height() < 600);
            picture(window.get(), qPrintable(QStringLiteral("review-%1").arg(size.width())));
        }
        auto* waits = window->findChild<ReviewPage*>()->findChild<WaitsPane*>();
        QVERIFY(waits);
        waits->show(); // the plots keep their heights, and the window its size
        QTest::qWait(50);
        QVERIFY(waits->isVisible());
        QCOMPARE(window->size(), QSize(800, 500));
        for (auto* plot : window->findChildren<RankPlot*>())
            QVERIFY2(plot->height() >= 80, qPrintable(QString::number(plot->height())));
        picture(window.get(), "review-800-waits");
    }

    void themeAndLanguageAreMarkedAlike() {
        auto window = make();
        for (const QAction* menu : window->menuBar()->actions())
            for (const QAction* entry : menu->menu()->actions())
                QVERIFY2(!entry->isCheckable() || !entry->isIconVisibleInMenu(), qPrintable(entry->text()));
        for (const ActionId act : {ActionId::ThemeSystem, ActionId::ThemeLight, ActionId::ThemeDark,
                                   ActionId::LanguageEnglish, ActionId::LanguageChinese}) {
            const QAction* action = (*window->actions())[act];
            QVERIFY(action->isCheckable() && action->icon().isNull()); // an icon would hide the check mark
        }
        (*window->actions())[ActionId::ThemeDark]->trigger();
        QVERIFY((*window->actions())[ActionId::LanguageEnglish]->isChecked());
    }

    void themesAndLanguagesHaveAHeading() {
        auto window = make();
        const auto& actions = *window->actions();
        const auto above = [&](ActionId act) {
            const auto entries =
                window->menuBar()->actions().at(static_cast<int>(ActionGroup::View))->menu()->actions();
            const QAction* title = entries.at(entries.indexOf(actions[act]) - 1);
            return title->isSeparator() ? title->text() : QStringLiteral("an entry");
        };
        QCOMPARE(above(ActionId::ThemeSystem), QStringLiteral("Theme"));
        QCOMPARE(above(ActionId::LanguageEnglish), QStringLiteral("Language"));
        actions[ActionId::LanguageChinese]->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(above(ActionId::ThemeSystem), QStringLiteral("主题"));
        QCOMPARE(above(ActionId::LanguageEnglish), QStringLiteral("语言"));
        actions[ActionId::LanguageEnglish]->trigger();
        QCoreApplication::processEvents();
        QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = window->findChild<CommandPalette*>();
        QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("dark theme"));
        QCOMPARE(palette->findChild<QTreeWidget*>()->currentItem()->text(0), QStringLiteral("View: Theme: Dark"));
    }

private:
    QString recipe() const { return m_home.filePath(QStringLiteral("recipe.yaml")); }
    QString runDir() const { return QString::fromStdString(m_run->paths().dir.string()); }
    std::unique_ptr<MainWindow> make(bool remember = false) {
        WindowOptions options;
        options.runsDir = m_home.filePath(QStringLiteral("runs"));
        options.remember = remember;
        auto window = std::make_unique<MainWindow>(options);
        window->resize(1440, 900);
        window->show();
        window->start();
        if (!QTest::qWaitForWindowActive(window.get()))
            qWarning("the window is not active");
        return window;
    }
    void picture(MainWindow* window, const char* name) const {
        if (m_pictures.isEmpty())
            return;
        QTest::qWait(300);
        QVERIFY(window->grab().save(QDir(m_pictures).filePath(QLatin1String(name) + QStringLiteral(".png"))));
    }

    QTemporaryDir m_home;
    QString m_pictures = qEnvironmentVariable("RANKSCOPE_TEST_PICTURES");
    std::unique_ptr<SyntheticRun> m_run;
};

RANKSCOPE_GUI_TEST(WindowFrame)
#include "tst_window_frame.moc"
