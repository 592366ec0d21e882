// SPDX-License-Identifier: GPL-3.0-or-later
#include "walk_stage.h"

#include "widgets/config/page/config_page.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/models/run/run_session.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QProcess>

namespace rankscope::test {

using namespace ui;

QString WalkStage::writeRecipe(const QString& name, int step, int seconds) {
    QFile quickstart(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"));
    if (!quickstart.open(QIODevice::ReadOnly))
        return {};
    QByteArray text = quickstart.readAll();
    if (!text.contains("\n      step: 60\n") || !text.contains("\n      seconds: 5"))
        return {};
    text.replace("\n      step: 60\n", "\n      step: " + QByteArray::number(step) + '\n')
        .replace("\n      seconds: 5", "\n      seconds: " + QByteArray::number(seconds));
    const QString path = m_home.filePath(name);
    QFile recipe(path);
    return recipe.open(QIODevice::WriteOnly) && recipe.write(text) == text.size() ? path : QString();
}

QString WalkStage::open() {
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
        qputenv(name, m_home.path().toLocal8Bit());
    qputenv("RANKSCOPECTL", RANKSCOPE_BIN_DIR "/rankscopectl");
    if (QGuiApplication::platformName() != QLatin1String("xcb"))
        return QStringLiteral("the platform is %1, not xcb").arg(QGuiApplication::platformName());
    if (!QDir::setCurrent(QStringLiteral(RANKSCOPE_SOURCE_DIR)) ||
        !QFileInfo::exists(QStringLiteral("resources/sample/data/train.json")))
        return QStringLiteral("resources/sample/make.sh was not run");
    Theme::instance().apply(Theme::Mode::Light);
    setLanguage(QStringLiteral("en"));
    WindowOptions options;
    options.runsDir = m_home.filePath(QStringLiteral("runs"));
    m_window = std::make_unique<MainWindow>(options);
    m_window->show();
    // A window manager that starts later than the window does not activate it by itself.
    if (!QTest::qWaitFor([this] { return m_window->activateWindow(), m_window->isActiveWindow(); }, 30'000))
        return QStringLiteral("the window does not become active");
    m_window->start();
    m_walker = std::make_unique<Walker>(m_window.get());
    return QString::fromStdString(m_walker->hand().problem());
}

void WalkStage::close() {
    const QDir runs(m_home.filePath(QStringLiteral("runs")));
    for (const QString& name : runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QProcess stop;
        stop.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"stop", runs.filePath(name), "--now"});
        QVERIFY(stop.waitForFinished(60'000));
    }
    m_window.reset();
}

void WalkStage::afterStep() {
    shot();
    if (!QTest::currentTestFailed() || m_failed)
        return;
    m_failed = true;
    for (const QWidget* widget : QApplication::topLevelWidgets())
        if (widget->isVisible())
            qWarning("in sight: %s \"%s\"%s", widget->metaObject()->className(), qPrintable(widget->windowTitle()),
                     widget->isActiveWindow() ? ", active" : "");
    if (m_window->session())
        qWarning("shown:\n%s", qPrintable(Shown::of(*m_window, m_run).asText()));
}

void WalkStage::shot() const {
    const QString folder = qEnvironmentVariable("RANKSCOPE_SHOTS");
    if (!folder.isEmpty())
        m_window->grab().save(
            QStringLiteral("%1/walk-%2.png").arg(folder, QLatin1String(QTest::currentTestFunction())));
}

QString WalkStage::agree() {
    constexpr int kPatienceMs = 5'000;
    QElapsedTimer timer;
    timer.start();
    for (;;) {
        const Reported before = Reported::of(m_run);
        const Shown shown = inWindow([this] { return Shown::of(*m_window, m_run); });
        const Reported after = Reported::of(m_run);
        if (!after.problem.isEmpty())
            return after.problem;
        const QString problem = before.agreesWith(after) ? contradiction(after, shown)
                                                         : QStringLiteral("what the run does changes all the time");
        if (problem.isEmpty())
            return {};
        if (timer.elapsed() > kPatienceMs)
            return QStringLiteral("%1 (rankscopectl: %2, %3 of %4 steps)\n%5")
                .arg(problem, after.state)
                .arg(after.steps)
                .arg(after.total)
                .arg(shown.asText());
        QThread::msleep(100);
    }
}

QString WalkStage::openByDialog(const QString& file) {
    const auto field = []() -> QWidget* {
        for (const QWidget* window : QApplication::topLevelWidgets())
            if (const auto* dialog = qobject_cast<const QFileDialog*>(window); dialog && dialog->isVisible())
                return dialog->findChild<QLineEdit*>();
        return nullptr;
    };
    if (!Walker::until([&] { return field() && field()->hasFocus(); }, 15'000))
        return QStringLiteral("no dialog came");
    // On a slow machine Qt's dialog may enter the folder that is only the first part of the path. It stays open then,
    // and a user types again.
    for (int tries = 0; tries < 3; ++tries) {
        for (const QString& missed : {m_walker->type(file), m_walker->press("Return")})
            if (!missed.isEmpty())
                return missed;
        if (Walker::until([&] { return !field(); }, 5'000))
            return {};
        for (const QString& missed : {m_walker->click(field), m_walker->press("ctrl+a")})
            if (!missed.isEmpty())
                return missed;
    }
    return QStringLiteral("the dialog does not take %1").arg(file);
}

QString WalkStage::openRecipe(const QString& file) {
    for (const QString& missed : {m_walker->press("ctrl+o"), openByDialog(file)})
        if (!missed.isEmpty())
            return missed;
    if (Walker::until([&] { return config()->file()->path() == file && config()->isComplete(); }, 60'000))
        return {};
    return inWindow(
        [&] { return QStringLiteral("%1 was not opened: %2 is open").arg(file, config()->file()->path()); });
}

bool WalkStage::goesOn(const QString& besides, int steps) {
    const bool begun = Walker::until(
        [&] {
            return m_window->session() && m_window->session()->run().dir.string() != besides.toStdString() &&
                   m_window->session()->view().step >= steps && m_window->page() == Page::Review;
        },
        120'000);
    m_run = session();
    return begun;
}

bool WalkStage::becomes(const QString& state) {
    QElapsedTimer timer;
    for (timer.start(); timer.elapsed() < 120'000; QThread::msleep(200))
        if (Reported::of(m_run).state == state)
            return true;
    return false;
}

ConfigPage* WalkStage::config() const {
    return m_window->findChild<ConfigPage*>();
}

QString WalkStage::session() const {
    return inWindow([this] {
        return m_window->session() ? QString::fromStdString(m_window->session()->run().dir.string()) : QString();
    });
}

} // namespace rankscope::test
