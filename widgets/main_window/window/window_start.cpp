// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/window_start.h"

#include "core/base/files/paths.h"
#include "widgets/config/page/config_page.h"
#include "widgets/explain/explain_page.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/settings/window_settings.h"
#include "widgets/main_window/window/navigator.h"
#include "widgets/models/text/text_format.h"

#include <QFileInfo>

namespace rankscope::ui {

void openAtStart(const WindowOptions& options, const WindowSettings& settings, PageTabs* tabs, Navigator* navigator) {
    const QString run = options.run.isEmpty() && options.config.isEmpty() ? settings.lastRun : options.run;
    const QString config = options.config.isEmpty() ? withSampleSpeech(settings.lastConfig) : options.config;
    const Page wanted = options.page.value_or(!options.explain.isEmpty()  ? Page::Explain
                                              : !options.run.isEmpty()    ? Page::Review
                                              : !options.config.isEmpty() ? Page::Configure
                                                                          : static_cast<Page>(settings.page));
    ConfigFile* file = tabs->config()->file();
    if (options.remember)
        file->setDraftDir(stateFolder(QStringLiteral("drafts")));
    // what was open last may have been removed, which is not an error
    if (options.remember &&
        ((options.config.isEmpty() && file->recoverUntitled()) || (!config.isEmpty() && file->recoverLost(config))))
        navigator->showPages();
    else if (!config.isEmpty() && (!options.config.isEmpty() || QFileInfo::exists(config)))
        navigator->openConfig(config);
    if (options.launch)
        navigator->launchWhenRead();
    tabs->showPage(wanted); // before the run, so that other pages are not prepared for it
    if (!run.isEmpty() && (!options.run.isEmpty() || QFileInfo::exists(run)))
        navigator->openRun(run);
    if (options.run.isEmpty() && file->isOpen())
        tabs->config()->showRecipe();
    if (!options.explain.isEmpty())
        tabs->explain()->open(options.explain);
    if (options.page || !options.explain.isEmpty())
        navigator->showPages();
    tabs->showPage(wanted);
    if (!navigator->showsPages())
        navigator->showWelcome();
}

} // namespace rankscope::ui
