// SPDX-License-Identifier: GPL-3.0-or-later
#include "claims.h"

#include "core/base/values/clock.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/plots/overview/overview_strip.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/failure_panel.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>

namespace rankscope::test {

namespace {

std::set<int> ranksOf(const QJsonValue& list) {
    std::set<int> ranks;
    for (const auto& rank : list.toArray())
        ranks.insert(rank.toInt());
    return ranks;
}

QString text(const QWidget* of, const char* label) {
    const auto* found = of->findChild<QLabel*>(QLatin1String(label));
    return found ? found->text() : QStringLiteral("(no %1)").arg(QLatin1String(label));
}

/// Returns 12 for "stalled 12 s, rank 1"; -1 for any other text.
int stalledSeconds(const QString& words) {
    static const QRegularExpression pattern(QStringLiteral("^stalled (?:(\\d+) min )?(?:(\\d+) s)?, rank"));
    const auto match = pattern.match(words);
    return match.hasMatch() ? match.captured(1).toInt() * 60 + match.captured(2).toInt() : -1;
}

QString stalledRanks(const std::set<int>& holders) {
    return holders.size() == 1 ? QStringLiteral("rank %1").arg(*holders.begin()) : QStringLiteral("ranks ");
}

/// Returns the shaded steps, without those of slow ranks that the command line reports.
std::vector<ShadedSteps> shadesOfStalls(const Reported& reported, const Shown& shown) {
    std::vector<ShadedSteps> shades;
    std::copy_if(shown.open.begin(), shown.open.end(), std::back_inserter(shades),
                 [&](const ShadedSteps& shade) { return !reported.slow.contains(shade.incident); });
    return shades;
}

void readPlots(const ui::MainWindow& window, Shown& shown) {
    for (const auto* plot : window.findChildren<ui::RankPlot*>()) {
        if (!plot->isVisible() || plot->visibleRegion().isEmpty())
            continue;
        ++shown.plots;
        for (const auto& span : plot->spans())
            if (span.open)
                shown.open.push_back({span.id, plot->spec().title, span.lo, span.hi});
        for (const auto& value : plot->openValues())
            shown.growing.insert(value.rank);
    }
    const auto* strip = window.findChild<ui::OverviewStrip*>();
    if (!strip || !strip->isVisible())
        return;
    ++shown.plots;
    for (const auto& span : strip->spans())
        if (span.open)
            shown.open.push_back({span.id, QStringLiteral("overview strip"), span.lo, span.hi});
}

void readTimeline(const ui::MainWindow& window, Shown& shown) {
    const auto* page = window.findChild<ui::TimelinePage*>();
    shown.timeline = page->isVisible();
    if (!shown.timeline)
        return;
    for (const auto& wait : page->view()->scene().openWaits)
        shown.lanes.insert(wait.rank);
    const auto* notice = page->findChild<QLabel*>(QStringLiteral("timelineNotice"));
    if (notice && notice->isVisible())
        shown.timelineNotice = notice->text();
}

QString ofStall(const Reported& reported, const Shown& shown) {
    const OpenStall& stall = *reported.stall;
    const std::vector<ShadedSteps> stallShades = shadesOfStalls(reported, shown);
    const QString ranks = stalledRanks(stall.holders);
    const int inHeader = stalledSeconds(shown.header), inList = stalledSeconds(shown.list);
    if (inHeader < 0 || !shown.header.contains(ranks))
        return QStringLiteral("the header does not show the stall");
    if (inList < 0 || !shown.list.contains(ranks))
        return QStringLiteral("the list does not show the stall");
    if (std::abs(inHeader - inList) > 2)
        return QStringLiteral("header and list differ by more than 2 s");
    if (shown.rate != QStringLiteral("–") || shown.left != QStringLiteral("–"))
        return QStringLiteral("a rate or a time left is shown while no step ends");
    if (shown.banner.isEmpty() || !shown.banner.contains(QStringLiteral("Rank %1").arg(*stall.holders.begin())))
        return QStringLiteral("the banner does not show the stall");
    for (int rank = 0; rank < shown.tiles.size(); ++rank) {
        const QString& tile = shown.tiles[rank];
        if (stall.holders.contains(rank) && !tile.contains(QStringLiteral("holding up others")))
            return QStringLiteral("tile of rank %1 does not say that it holds up others").arg(rank);
        if (stall.waiters.contains(rank) && !tile.contains(QStringLiteral("waiting")))
            return QStringLiteral("tile of rank %1 does not say that it waits").arg(rank);
    }
    for (const auto& shade : stallShades)
        if (shade.lo != stall.step - 0.5 || shade.hi != stall.step + 0.5)
            return QStringLiteral("%1 shades %2 to %3").arg(shade.of).arg(shade.lo).arg(shade.hi);
    if (static_cast<int>(stallShades.size()) != shown.plots)
        return QStringLiteral("%1 of %2 plots shade the open stall").arg(stallShades.size()).arg(shown.plots);
    if (!shown.tiles.isEmpty() && shown.growing != stall.waiters)
        return QStringLiteral("the wait plot grows for other ranks than wait");
    if (shown.timeline &&
        !std::includes(shown.lanes.begin(), shown.lanes.end(), stall.waiters.begin(), stall.waiters.end()))
        return QStringLiteral("the Timeline has no box of the wait that goes on");
    if (shown.timelineNotice.contains(QStringLiteral("Nothing is recorded")))
        return QStringLiteral("the Timeline says that nothing is recorded");
    return {};
}

QString ofHealth(const Reported& reported, const Shown& shown) {
    if (shown.header != reported.state || shown.list != reported.state)
        return QStringLiteral("header or list do not say \"%1\"").arg(reported.state);
    const bool isSlow = reported.isLive() && !reported.slow.empty();
    if (shown.banner.isEmpty() == isSlow)
        return QStringLiteral("a banner is there: %1; an incident is open: %2").arg(!isSlow).arg(isSlow);
    if (const auto shades = shadesOfStalls(reported, shown); !shades.empty())
        return QStringLiteral("%1 shades an incident as open").arg(shades.front().of);
    for (const auto& tile : shown.tiles)
        if (tile.contains(QStringLiteral("holding up others")))
            return QStringLiteral("a tile says that it holds up others");
    return {};
}

QString ofEnd(const Reported& reported, const Shown& shown) {
    const auto figure = [](qint64 n) { return QLocale().toString(n); };
    if (shown.step != QStringLiteral("%1 of %2").arg(figure(reported.steps), figure(reported.total)))
        return QStringLiteral("the header's steps are not %1 of %2").arg(reported.steps).arg(reported.total);
    if (shown.left != QStringLiteral("–"))
        return QStringLiteral("a time left is shown of a run that is over");
    if (!shown.growing.empty() || !shown.lanes.empty())
        return QStringLiteral("a wait goes on in a run that is over");
    for (const auto& tile : shown.tiles)
        if (tile.contains(QStringLiteral("computing")) || tile.contains(QStringLiteral("waiting")))
            return QStringLiteral("a tile shows a rank at work");
    if (shown.review && (reported.state == QLatin1String("failed")) == shown.failure.isEmpty())
        return QStringLiteral("the failure's panel is there: %1").arg(!shown.failure.isEmpty());
    if (!shown.failure.isEmpty() && !shown.failure.contains(reported.cause, Qt::CaseInsensitive))
        return QStringLiteral("the failure's panel shows another cause");
    return {};
}

} // namespace

Reported Reported::of(const QString& run) {
    Reported reported;
    QProcess show;
    show.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
               {QStringLiteral("show"), QStringLiteral("--json"), run});
    if (!show.waitForFinished(30'000) || show.exitCode() != 0) {
        reported.problem = QString::fromUtf8(show.readAllStandardError()) + show.errorString();
        return reported;
    }
    const QJsonObject json = QJsonDocument::fromJson(show.readAllStandardOutput()).object();
    reported.state = json[QLatin1String("state")].toString();
    reported.cause = json[QLatin1String("cause")].toString();
    reported.steps = json[QLatin1String("steps")].toInteger(-1);
    reported.total = json[QLatin1String("total_steps")].toInteger(-1);
    for (const auto& value : json[QLatin1String("incidents")].toArray()) {
        const QJsonObject incident = value.toObject();
        if (incident[QLatin1String("closed")].toString() != QLatin1String("open"))
            continue;
        if (incident[QLatin1String("straggler")].toBool())
            reported.slow.insert(incident[QLatin1String("id")].toInteger());
        else
            reported.stall =
                OpenStall{incident[QLatin1String("step")].toInt(), ranksOf(incident[QLatin1String("holders")]),
                          ranksOf(incident[QLatin1String("waiters")])};
    }
    return reported;
}

Shown Shown::of(const ui::MainWindow& window, const QString& run) {
    Shown shown;
    const auto* header = window.findChild<ui::HeaderBar*>();
    shown.header = text(header, "headerState").section(QStringLiteral(" · "), 0, 0);
    shown.step = text(header, "headerStep");
    shown.rate = text(header, "headerRate");
    shown.left = text(header, "headerLeft");
    shown.title = window.windowTitle();
    const auto* list = window.findChild<ui::RunsPanel*>()->findChild<ui::RunListModel*>();
    if (const int row = list->rowOf(run); row >= 0)
        shown.list = list->index(row).data(ui::RunListModel::StateWordRole).toString();
    const auto* board = window.findChild<ui::RankBoard*>();
    if (board->isVisible())
        for (int i = 0; i < board->count(); ++i)
            shown.tiles << board->spoken(i);
    const auto* banner = window.findChild<ui::IncidentBanner*>();
    if (banner->isVisible())
        shown.banner = banner->findChild<ui::ClampedLabel*>()->text();
    const auto* failure = window.findChild<ui::FailurePanel*>();
    if (failure && failure->isVisible())
        shown.failure = failure->asText();
    const auto* review = window.findChild<ui::ReviewPage*>();
    shown.review = review->isVisible();
    shown.follows = review->follow();
    readPlots(window, shown);
    readTimeline(window, shown);
    return shown;
}

QString Shown::asText() const {
    QStringList lines{
        QStringLiteral("header \"%1\", %2, rate %3, left %4; list \"%5\"").arg(header, step, rate, left, list),
        QStringLiteral("banner \"%1\"").arg(banner), QStringLiteral("tiles: ") + tiles.join(QStringLiteral(" | ")),
        QStringLiteral("failure: ") + failure.left(200)};
    for (const auto& shade : open)
        lines << QStringLiteral("%1 shades %2 to %3").arg(shade.of).arg(shade.lo).arg(shade.hi);
    lines << QStringLiteral("%1 plots; open waits: %2 in the plot, %3 in the Timeline; %4")
                 .arg(plots)
                 .arg(growing.size())
                 .arg(lanes.size())
                 .arg(timelineNotice);
    return lines.join(QLatin1Char('\n'));
}

QString contradiction(const Reported& reported, const Shown& shown) {
    if (reported.stall && reported.isLive())
        return ofStall(reported, shown);
    if (const QString problem = ofHealth(reported, shown); !problem.isEmpty())
        return problem;
    return reported.isLive() ? QString() : ofEnd(reported, shown);
}

} // namespace rankscope::test
