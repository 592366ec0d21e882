// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/navigator.h"

#include "widgets/config/page/config_page.h"
#include "widgets/explain/explain_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/control/exchange_actions.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/control/tour_guide.h"
#include "widgets/main_window/exchange/dropped_files.h"
#include "widgets/main_window/help/installed_files.h"
#include "widgets/main_window/window/window_memory.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QStackedWidget>

#include <memory>
#include <utility>

namespace rankscope::ui {

Navigator::Navigator(const Parts& parts, QString runsDir) : m_parts(parts), m_runsDir(std::move(runsDir)) {}

void Navigator::connectActions(const Actions* actions) {
    static constexpr std::pair<ActionId, Page> pages[] = {
        {ActionId::PageConfigure, Page::Configure}, {ActionId::PageReview, Page::Review},
        {ActionId::PageTimeline, Page::Timeline},   {ActionId::PageIncidents, Page::Incidents},
        {ActionId::PageLogs, Page::Logs},           {ActionId::PageRuns, Page::Runs},
        {ActionId::PageExplain, Page::Explain}};
    for (const auto& [act, page] : pages)
        actions->on(act, this, [this, page = page] { showPage(page); });
    actions->on(ActionId::Open, this, [this] { chooseRecipe(); });
    actions->on(ActionId::OpenRun, this, [this] { chooseRun(); });
    actions->on(ActionId::ExplainLog, this, [this] { chooseLogs(); });
    connect(m_parts.welcome, &WelcomePage::quickstartRequested, this, [this] { openConfig(findQuickstart()); });
    connect(m_parts.welcome, &WelcomePage::openRequested, this, [this] { chooseRecipe(); });
    connect(m_parts.welcome, &WelcomePage::openRunRequested, this, &Navigator::chooseRun);
    connect(m_parts.welcome, &WelcomePage::explainRequested, this, &Navigator::chooseLogs);
    connect(m_parts.tabs->explain(), &ExplainPage::settingRequested, this, &Navigator::showSetting);
}

bool Navigator::showsPages() const {
    return m_parts.stack->currentWidget() == m_parts.pages;
}

void Navigator::showPages() {
    m_parts.stack->setCurrentWidget(m_parts.pages);
    m_parts.memory->writeSoon();
}

void Navigator::showPage(Page page) {
    showPages();
    m_parts.tabs->showPage(page);
}

void Navigator::showWelcome() {
    m_parts.stack->setCurrentWidget(m_parts.welcome);
    m_parts.welcome->takeFocus();
}

bool Navigator::openRun(const QString& dir) {
    if (!m_parts.opener->open(dir)) {
        m_problem = m_parts.opener->problem();
        return false;
    }
    showPages();
    return true;
}

void Navigator::openInReview(const QString& dir) {
    if (openRun(dir))
        showPage(Page::Review);
}

void Navigator::openConfig(const QString& path) {
    ConfigPage* config = m_parts.tabs->config();
    config->open(path);
    if (config->file()->path() != QFileInfo(path).absoluteFilePath() && !config->file()->hasEdits())
        m_problem = tr("%1 cannot be opened").arg(path);
    showPage(Page::Configure);
    if (!m_parts.tour->isActive())
        config->takeFocus();
}

void Navigator::relaunch(const QString& runDir, const QString& key, const QString& yaml) {
    if (m_parts.tour->isRecording(runDir))
        return m_parts.tour->relaunch(key, yaml);
    showPage(Page::Configure);
    if (key.isEmpty())
        m_parts.tabs->config()->openCopyOf(runDir);
    else
        m_parts.tabs->config()->openCopyWith(runDir, key, yaml);
}

void Navigator::openDropped(const DroppedFiles& dropped) {
    switch (dropped.use) {
    case DroppedFiles::DropUse::Import:
        return m_parts.exchange->importRun(dropped.paths.front(), true);
    case DroppedFiles::DropUse::OpenRun:
        if (openRun(dropped.paths.front()) && !m_parts.tabs->isAboutOneRun())
            m_parts.tabs->showPage(Page::Review);
        return;
    case DroppedFiles::DropUse::OpenRecipe:
        return openConfig(dropped.paths.front());
    case DroppedFiles::DropUse::Explain:
        showPage(Page::Explain);
        return m_parts.tabs->explain()->open(dropped.paths);
    case DroppedFiles::DropUse::Nothing:
        return;
    }
}

void Navigator::launchWhenRead() {
    auto once = std::make_shared<QMetaObject::Connection>();
    const auto launchOnce = [this, once] {
        ConfigPage* config = m_parts.tabs->config();
        if (!config->isComplete())
            return;
        disconnect(*once);
        if (config->file()->evaluation()->ok())
            config->launch();
        else
            m_parts.notices->showError(tr("Not launched: the recipe has errors."));
    };
    *once = connect(m_parts.tabs->config()->file(), &ConfigFile::evaluationChanged, this, launchOnce);
    launchOnce();
}

void Navigator::chooseRecipe(const std::function<void()>& opened) {
    const QString open = m_parts.tabs->config()->file()->path();
    auto* dialog = new QFileDialog(m_parts.window, tr("Open recipe"), QFileInfo(open).absolutePath(),
                                   tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, opened](const QString& path) {
        openConfig(path);
        if (opened)
            opened();
    });
    dialog->open();
}

void Navigator::chooseRun() {
    auto* dialog = new QFileDialog(m_parts.window, tr("Open run folder"), m_runsDir);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &Navigator::openInReview);
    dialog->open();
}

void Navigator::chooseLogs() {
    showPage(Page::Explain);
    m_parts.tabs->explain()->chooseFiles();
}

/// Shows a suggested setting in the open recipe, else in the one that collectives are named by, else in one to choose.
void Navigator::showSetting(const QString& key, const QString& yaml) {
    const QString named = m_parts.tabs->explain()->request().recipe;
    const auto show = [this, key, yaml] {
        m_parts.tabs->showPage(Page::Configure);
        m_parts.tabs->config()->suggest(key, yaml);
    };
    if (!m_parts.tabs->config()->file()->isOpen() && named.isEmpty())
        return chooseRecipe(show);
    if (!m_parts.tabs->config()->file()->isOpen())
        openConfig(named);
    show();
}

} // namespace rankscope::ui
