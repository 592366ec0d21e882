// SPDX-License-Identifier: GPL-3.0-or-later
// Language and theme change immediately and everywhere: after switching to and fro, each page looks as in a window that
// was started that way.
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/theme/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QTabBar>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

class LiveSwitch : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        m_run = std::make_unique<SyntheticRun>(3, RunState::Finished, 50);
        m_run->addSteps(50, [](int rank, std::int64_t step) {
            return RankStep{10.0 - rank, 300 + step, rank * 1'000'000};
        });
        m_run->addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
        m_run->addStack(1, 1, "main", "read");
        m_run->addCheck(0, "config", telemetry::CheckStatus::Failed, "hashes differ");
        m_run->addNote(telemetry::NoteSeverity::Warning, "a note of the store");
        m_run->writeLog(0, "a line\nwarning: low memory\n");
        m_run->addEnds(telemetry::EndCause::Finished);
        m_run->finishStore();
    }

    void textsOfEachPage_data() { pages(); }
    void textsOfEachPage() {
        QFETCH(Page, page);
        look("en", Theme::Mode::Light);
        auto switched = open(page);
        for (const char* language : {"zh", "en", "zh", "en", "zh"}) {
            look(language, Theme::Mode::Light);
            settle(switched.get());
        }
        const QStringList chinese = texts(switched.get());
        auto fresh = open(page);
        compare(chinese, texts(fresh.get()));
        look("en", Theme::Mode::Light);
        settle(switched.get());
        const QStringList english = texts(switched.get());
        fresh = open(page);
        compare(english, texts(fresh.get()));
        QVERIFY(english != chinese);
    }

    void coloursOfEachPage_data() { pages(); }
    void coloursOfEachPage() {
        QFETCH(Page, page);
        look("en", Theme::Mode::Light);
        auto switched = open(page);
        for (const Theme::Mode mode : {Theme::Mode::Dark, Theme::Mode::Light, Theme::Mode::Dark}) {
            look("en", mode);
            settle(switched.get());
        }
        const QImage dark = switched->grab().toImage();
        auto fresh = open(page);
        compareImages(dark, fresh->grab().toImage(), "dark");
        look("en", Theme::Mode::Light);
        settle(switched.get());
        const QImage light = switched->grab().toImage();
        fresh = open(page);
        compareImages(light, fresh->grab().toImage(), "light");
    }

private:
    static void pages() {
        QTest::addColumn<Page>("page");
        QTest::newRow("review") << Page::Review;
        QTest::newRow("timeline") << Page::Timeline;
        QTest::newRow("incidents") << Page::Incidents;
        QTest::newRow("logs") << Page::Logs;
        QTest::newRow("runs") << Page::Runs;
    }
    static void look(const char* language, Theme::Mode mode) {
        setLanguage(QLatin1String(language));
        Theme::instance().apply(mode);
    }
    std::unique_ptr<MainWindow> open(Page page) {
        WindowOptions options;
        options.runsDir = QString::fromStdString(m_run->paths().dir.parent_path().string());
        options.run = QString::fromStdString(m_run->paths().dir.string());
        options.page = page;
        options.remember = false;
        auto window = std::make_unique<MainWindow>(options);
        window->resize(1300, 800);
        window->show();
        window->start();
        settle(window.get());
        return window;
    }
    static void settle(MainWindow* window) {
        QCoreApplication::processEvents();
        QTRY_VERIFY_WITH_TIMEOUT(window->isComplete(), 60'000);
        QTest::qWait(400); // for answers of threads, and the layout that follows
        window->clearFocus();
        if (QWidget* focus = window->focusWidget())
            focus->clearFocus();
    }
    static QString nameOf(const QWidget* widget) {
        return QStringLiteral("%1#%2").arg(
            QString::fromLatin1(widget->metaObject()->className()),
            widget->objectName().startsWith(QLatin1String("qt_")) ? QString() : widget->objectName());
    }
    static void addView(QStringList& all, const QString& who, const QAbstractItemView* view) {
        const QAbstractItemModel* model = view->model();
        if (!model)
            return;
        for (int c = 0; c < model->columnCount(); ++c)
            all << who + QStringLiteral(" header ") + model->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
        for (int r = 0; r < std::min(30, model->rowCount()); ++r)
            for (int c = 0; c < model->columnCount(); ++c)
                for (const int role : {static_cast<int>(Qt::DisplayRole), static_cast<int>(Qt::ToolTipRole)})
                    all << who + QStringLiteral(" cell ") + model->index(r, c).data(role).toString();
    }
    /// Returns the visible texts in the order of the widgets.
    static QStringList texts(MainWindow* window) {
        QStringList all{window->windowTitle()};
        for (const QAction* action : window->findChildren<QAction*>())
            if (action->isVisible())
                all << QStringLiteral("action ") + action->text() + u' ' + action->toolTip();
        for (auto* widget : window->findChildren<QWidget*>()) {
            if (!widget->isVisible())
                continue;
            const QString who = nameOf(widget);
            for (const char* property : {"text", "title", "placeholderText", "toolTip", "accessibleName"})
                if (const QString text = widget->property(property).toString(); !text.isEmpty())
                    all << QStringLiteral("%1 %2 %3").arg(who, QLatin1String(property), text);
            if (const auto* box = qobject_cast<QComboBox*>(widget))
                for (int i = 0; i < box->count(); ++i)
                    all << who + QStringLiteral(" item ") + box->itemText(i);
            if (const auto* bar = qobject_cast<QTabBar*>(widget))
                for (int i = 0; i < bar->count(); ++i)
                    all << who + QStringLiteral(" tab ") + bar->tabText(i);
            if (const auto* view = qobject_cast<QAbstractItemView*>(widget);
                view && !qobject_cast<QHeaderView*>(widget))
                addView(all, who, view);
        }
        all.sort();
        return all;
    }
    static void compare(const QStringList& switched, const QStringList& fresh) {
        QStringList stale, missing;
        for (const QString& text : switched)
            if (!fresh.contains(text))
                stale << text;
        for (const QString& text : fresh)
            if (!switched.contains(text))
                missing << text;
        QVERIFY2(stale.isEmpty() && missing.isEmpty(),
                 qPrintable(QStringLiteral("only in the switched window:\n  %1\nonly in a fresh one:\n  %2")
                                .arg(stale.join(QStringLiteral("\n  ")), missing.join(QStringLiteral("\n  ")))));
    }
    static void compareImages(const QImage& switched, const QImage& fresh, const char* name) {
        QCOMPARE(switched.size(), fresh.size());
        qint64 differ = 0;
        QRect where;
        for (int y = 0; y < fresh.height(); ++y)
            for (int x = 0; x < fresh.width(); ++x)
                if (switched.pixel(x, y) != fresh.pixel(x, y)) {
                    ++differ;
                    where |= QRect(x, y, 1, 1);
                }
        const QString kept = qEnvironmentVariable("RANKSCOPE_TEST_PICTURES");
        if (differ > 0 && !kept.isEmpty()) {
            const QString base =
                QStringLiteral("%1/%2-%3-").arg(kept, QLatin1String(QTest::currentDataTag()), QLatin1String(name));
            QVERIFY(switched.save(base + QStringLiteral("switched.png")) &&
                    fresh.save(base + QStringLiteral("fresh.png")));
        }
        QVERIFY2(differ == 0, qPrintable(QStringLiteral("%1 pixels in %2,%3 %4x%5")
                                             .arg(differ)
                                             .arg(where.x())
                                             .arg(where.y())
                                             .arg(where.width())
                                             .arg(where.height())));
    }

    std::unique_ptr<SyntheticRun> m_run;
};

RANKSCOPE_GUI_TEST(LiveSwitch)
#include "tst_live_switch.moc"
