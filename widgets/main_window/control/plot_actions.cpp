// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/plot_actions.h"

#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/settings/window_settings.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <utility>

namespace rankscope::ui {

PlotActions::PlotActions(Actions* actions, RunOpener* opener, PageTabs* tabs, WindowSettings* settings)
    : m_actions(actions), m_opener(opener), m_tabs(tabs) {
    ReviewPage* review = m_tabs->review();
    connectSwitches(settings);
    connectZoom();
    m_actions->on(Act::NextAxis, review, &ReviewPage::nextAxis);
    m_actions->on(Act::ViewBack, review, &ReviewPage::goBack);
    m_actions->on(Act::ViewForward, review, &ReviewPage::goForward);
    m_actions->on(Act::Annotate, review, &ReviewPage::annotate);
    m_actions->on(Act::Follow, review, &ReviewPage::setFollow);
    m_actions->on(Act::AllRanks, this, [this] { solo(-1); });
    for (int rank = 0; rank <= 9; ++rank)
        connect(m_actions->solo(rank), &QAction::triggered, this, [this, rank] { solo(rank); });
    connect(m_opener, &RunOpener::changed, this, [this] { m_solo = -1; });
}

/// Connects log scale, smoothing and the axis, which also have switches on the page.
void PlotActions::connectSwitches(WindowSettings* settings) {
    struct Switch {
        Act act;
        bool WindowSettings::*kept;
        void (ReviewPage::*set)(bool);
        bool (ReviewPage::*get)() const;
    };
    static constexpr Switch switches[] = {
        {Act::LogScale, &WindowSettings::logScale, &ReviewPage::setLogScale, &ReviewPage::logScale},
        {Act::Smoothing, &WindowSettings::smoothing, &ReviewPage::setSmoothing, &ReviewPage::smoothing},
    };
    static constexpr std::pair<Act, CurveAxis> axes[] = {
        {Act::StepAxis, CurveAxis::Step}, {Act::TimeAxis, CurveAxis::Time}, {Act::SampleAxis, CurveAxis::SampleCount}};
    ReviewPage* review = m_tabs->review();
    for (const Switch& one : switches) {
        (review->*one.set)(settings->*one.kept);
        m_actions->on(one.act, review, one.set);
    }
    for (const auto& [act, axis] : axes)
        m_actions->on(act, review, [review, axis = axis] { review->setAxis(axis); });
    const auto show = [this, review, settings] {
        for (const auto& [act, axis] : axes)
            (*m_actions)[act]->setChecked(review->axis() == axis);
        for (const Switch& one : switches) {
            settings->*one.kept = (review->*one.get)();
            (*m_actions)[one.act]->setChecked(settings->*one.kept);
        }
        updateActions();
    };
    connect(review, &ReviewPage::switchesChanged, this, show);
    show();
}

/// Connects zoom and the steps from incident to incident, which act on the visible page.
void PlotActions::connectZoom() {
    TimelineView* lanes = m_tabs->timeline()->view();
    const auto on = [this](Act act, void (ReviewPage::*review)(), auto timeline) {
        m_actions->on(act, this, [this, review, timeline] {
            if (m_tabs->page() == Page::Timeline)
                timeline();
            else
                (m_tabs->review()->*review)();
        });
    };
    on(Act::ZoomIn, &ReviewPage::zoomIn, [lanes] { lanes->zoomCentre(0.5); });
    on(Act::ZoomOut, &ReviewPage::zoomOut, [lanes] { lanes->zoomCentre(2); });
    on(Act::ZoomAll, &ReviewPage::zoomAll, [lanes] { lanes->zoomAll(); });
    on(Act::PreviousIncident, &ReviewPage::previousIncident, [lanes] { lanes->stepIncident(-1); });
    on(Act::NextIncident, &ReviewPage::nextIncident, [lanes] { lanes->stepIncident(1); });
}

void PlotActions::solo(int rank) {
    const RunSession* session = m_opener->session();
    if (rank >= 0 && session && rank >= session->view().info.worldSize)
        return m_tabs->say(tr("There is no rank %1 in this run").arg(rank));
    if (rank < 0 && m_solo < 0)
        m_tabs->review()->zoomAll(); // pressing 0 again shows the whole run
    m_solo = rank == m_solo ? -1 : rank;
    m_tabs->review()->soloRank(m_solo);
    m_tabs->say(m_solo < 0 ? tr("All ranks are shown") : tr("Only rank %1 is shown; 0 shows all").arg(m_solo));
}

/// Enables single-letter keys only on pages that have plots or lanes.
void PlotActions::updateActions() {
    const auto& acts = *m_actions;
    const RunSession* session = m_opener->session();
    const bool plots = session && m_tabs->page() == Page::Review, lanes = session && m_tabs->page() == Page::Timeline;
    for (int i = static_cast<int>(Act::Follow); i <= static_cast<int>(Act::Solo9); ++i)
        acts[static_cast<Act>(i)]->setEnabled(plots);
    acts[Act::SampleAxis]->setEnabled(plots && m_tabs->review()->hasAxis(CurveAxis::SampleCount));
    const bool live = session && launch::isLive(session->view().info.state);
    acts[Act::Follow]->setChecked(live && m_tabs->review()->follow());
    if (!lanes)
        return;
    for (const Act act : {Act::ZoomIn, Act::ZoomOut, Act::ZoomAll, Act::PreviousIncident, Act::NextIncident})
        acts[act]->setEnabled(true);
    acts[Act::Follow]->setEnabled(live);
}

} // namespace rankscope::ui
