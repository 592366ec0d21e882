// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view/watched_run.h"

#include "core/plan/result/launch_commands.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

struct WatchedRun {
    Q_DECLARE_TR_FUNCTIONS(WatchedRun)
};

} // namespace

QString commandText(const std::vector<std::string>& words) {
    QStringList text;
    for (const std::string& word : words)
        text << QString::fromStdString(plan::shellWord(word));
    return text.join(u' ');
}

QString rankCountText(const launch::RunInfo& info) {
    if (info.worldSize > 0 || !info.watched())
        return WatchedRun::tr("%n rank(s)", nullptr, info.worldSize);
    return launch::isLive(info.state) ? WatchedRun::tr("waiting for the first rank…")
                                      : WatchedRun::tr("no rank was seen");
}

QString noRecipeText() {
    return WatchedRun::tr("This run is your own program, which has no recipe. To repeat it with changes, start it with "
                          "another command.");
}

QString relaunchObstacle(const launch::RunInfo& info) {
    if (info.canRelaunch())
        return {};
    return !info.hasRecipe()
               ? noRecipeText()
               : WatchedRun::tr("Rankscope's trainer cannot train this run's recipe; Configure shows why. "
                                "To repeat it with changes, start it with another command.");
}

} // namespace rankscope::ui
