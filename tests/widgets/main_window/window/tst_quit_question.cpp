// SPDX-License-Identifier: GPL-3.0-or-later
// A quit while a run is active asks a question, which says that the run continues and can be turned off. Unsaved edits
// are asked about as well.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/config/page/config_page.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"

#include <QCheckBox>
#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using test::SyntheticRun;

class QuitQuestion : public QObject {
    Q_OBJECT
    QTemporaryDir m_home;

    std::unique_ptr<MainWindow> open(const SyntheticRun& run) {
        WindowOptions options;
        options.runsDir = m_home.path();
        auto window = std::make_unique<MainWindow>(options);
        window->show();
        window->start();
        window->openRun(QString::fromStdString(run.paths().dir.string()));
        return window;
    }
    /// Closes the window and presses this button of the question, which is not shown again if `tick` is set. Returns
    /// the question, empty if there was none.
    static QString closeAnd(MainWindow& window, const QString& press, bool tick = false) {
        QString asked;
        QTimer answer;
        answer.setInterval(20);
        connect(&answer, &QTimer::timeout, &window, [&] {
            const auto boxes = window.findChildren<QMessageBox*>();
            const auto shown =
                std::find_if(boxes.begin(), boxes.end(), [](const auto* one) { return one->isVisible(); });
            if (shown == boxes.end())
                return;
            QMessageBox* box = *shown;
            asked = box->text() + u'\n' + box->informativeText();
            if (tick)
                box->checkBox()->setChecked(true);
            for (auto* button : box->findChildren<QPushButton*>())
                if (button->text() == press)
                    QTest::mouseClick(button, Qt::LeftButton);
        });
        answer.start();
        window.close();
        return asked;
    }

private slots:
    void init() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_CACHE_HOME", m_home.filePath(QStringLiteral("cache")).toLocal8Bit());
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }
    void itIsAskedUntilToldNotTo() {
        SyntheticRun run(2, launch::RunState::Running, 400);
        run.addSteps(5, test::describe);
        const auto opened = [&] {
            auto window = open(run);
            return QTest::qWaitFor([&] { return window->session()->view().step == 4; }, 10'000) ? std::move(window)
                                                                                                : nullptr;
        };
        auto window = opened();
        QVERIFY(window);
        const QString asked = closeAnd(*window, QStringLiteral("Cancel"));
        QVERIFY2(asked.contains(QLatin1String("synthetic will keep running after you close the window")),
                 qPrintable(asked));
        QVERIFY2(asked.contains(QLatin1String("rankscopectl stop ")), qPrintable(asked));
        QVERIFY(window->isVisible());
        QVERIFY(!closeAnd(*window, QStringLiteral("Quit")).isEmpty());
        QVERIFY(!window->isVisible());
        window = opened(); // the box was left empty, so the question is asked again
        QVERIFY(window);
        QVERIFY(!closeAnd(*window, QStringLiteral("Quit"), true).isEmpty());
        window = opened();
        QVERIFY(window);
        QCOMPARE(closeAnd(*window, QStringLiteral("Quit")), QString());
        QVERIFY(!window->isVisible());
    }

    void unsavedEditsAreAskedAbout() {
        const QString recipe = m_home.filePath(QStringLiteral("recipe.yaml"));
        const QByteArray text = "name: test\ntrainer:\n  devices: 2\n";
        {
            QFile file(recipe);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        }
        WindowOptions options;
        options.runsDir = m_home.path();
        MainWindow window(options);
        window.show();
        window.start();
        window.openConfig(recipe);
        auto* open = window.findChild<ConfigPage*>()->file();
        QVERIFY(open->setValue(QStringLiteral("trainer.devices"), QStringLiteral("4")));
        const QString asked = closeAnd(window, QStringLiteral("Cancel"));
        QVERIFY2(asked.startsWith(QStringLiteral("recipe.yaml has unsaved edits.")), qPrintable(asked));
        QVERIFY(window.isVisible() && open->isDirty());
        QVERIFY(!closeAnd(window, QStringLiteral("Discard")).isEmpty());
        QVERIFY(!window.isVisible());
        QFile left(recipe);
        QVERIFY(left.open(QIODevice::ReadOnly));
        QCOMPARE(left.readAll(), text);
    }
};

RANKSCOPE_GUI_TEST(QuitQuestion)
#include "tst_quit_question.moc"
