// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/run_end_controller.h"

#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/run_end/checkpoint_pane.h"
#include "widgets/run_end/failure_panel.h"
#include "widgets/run_end/run_end_pane.h"
#include "widgets/run_end/run_summary_card.h"

#include <utility>

namespace rankscope::ui {

using launch::RunState;

static constexpr int kAgainMs = 2000;

RunEndController::RunEndController(RunEndPane* pane, CheckpointPane* checkpoints, QObject* parent)
    : QObject(parent), m_pane(pane), m_checkpoints(checkpoints) {
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, &RunEndController::load);
    const auto close = [this] { setShown(false); };
    connect(pane->failure(), &FailurePanel::closeRequested, this, close);
    connect(pane->card(), &RunSummaryCard::closeRequested, this, close);
    connect(pane->failure(), &FailurePanel::resumeRequested, this, [this] { emit resumeRequested({}); });
    connect(pane->card(), &RunSummaryCard::resumeRequested, this, [this] { emit resumeRequested({}); });
    const auto openNext = [this] { emit runRequested(QString(m_resumedBy)); }; // a copy: opening it clears the member
    connect(pane->failure(), &FailurePanel::nextRequested, this, openNext);
    connect(pane->card(), &RunSummaryCard::nextRequested, this, openNext);
    connect(pane->failure(), &FailurePanel::relaunchRequested, this, &RunEndController::relaunchRequested);
    connect(pane->failure(), &FailurePanel::logRequested, this, &RunEndController::logRequested);
    connect(pane->failure(), &FailurePanel::detailRequested, this, &RunEndController::detailRequested);
    connect(pane->card(), &RunSummaryCard::exportRequested, this, &RunEndController::exportRequested);
    connect(pane->card(), &RunSummaryCard::checkpointsRequested, this, &RunEndController::checkpointsRequested);
    connect(checkpoints, &CheckpointPane::exportRequested, this, &RunEndController::exportRequested);
    connect(checkpoints, &CheckpointPane::resumeRequested, this, &RunEndController::resumeRequested);
    connect(checkpoints, &CheckpointPane::shown, this, [this] {
        if (m_session && !m_facts)
            load();
    });
}

void RunEndController::setSession(RunSession* session) {
    if (m_session)
        m_session->disconnect(this);
    m_session = session;
    m_task.cancel();
    m_again.stop();
    m_facts.reset();
    m_resumedBy.clear();
    m_seen = -1;
    m_state.reset();
    m_shown = true;
    m_checkpoints->setFacts(nullptr);
    if (session)
        connect(session, &RunSession::viewChanged, this, &RunEndController::viewChanged);
    viewChanged();
    emit shownChanged();
}

void RunEndController::setResumedBy(const QString& runDir) {
    if (std::exchange(m_resumedBy, runDir) != runDir)
        show();
}

void RunEndController::retranslate() {
    m_pane->retranslate();
    show();
}

bool RunEndController::hasEnding() const {
    if (!m_session || m_session->view().info.startRealtimeNs == 0)
        return false;
    const auto state = m_session->view().info.state;
    return state == RunState::Finished || state == RunState::Stopped || state == RunState::Failed ||
           (state == RunState::Lost && !m_session->view().problem.isEmpty());
}

/// Reads the results immediately when a run ends; those of a live run from time to time, and only while they are
/// visible.
void RunEndController::viewChanged() {
    if (m_session) {
        const RunView& view = m_session->view();
        const bool live = launch::isLive(view.info.state);
        if (view.nowNs != 0 && view.goneRealtimeNs == 0) {
            if (std::exchange(m_state, view.info.state) != view.info.state && !live) // has ended, or was just opened
                load();
            else if (view.storeVersion != m_seen && (m_checkpoints->isVisible() || !live) && !m_again.isActive())
                m_again.start(kAgainMs);
        }
    }
    show();
}

void RunEndController::load() {
    m_again.stop();
    if (!m_session)
        return;
    const RunView& view = m_session->view();
    m_seen = view.storeVersion;
    EndingRequest request;
    request.run = m_session->run();
    request.ranks = static_cast<int>(view.ranks.size());
    request.watched = view.info.watched();
    if (const auto failure = failureOf(view)) {
        request.logRank = failure->culprit;
        if (view.info.endRealtimeNs > view.info.startRealtimeNs)
            request.endNs = view.info.endRealtimeNs - view.info.startRealtimeNs;
    }
    m_task.ask([request](const auto&) { return readEnding(request); },
               [this](const EndingFactsPtr& facts) {
                   m_facts = facts;
                   m_checkpoints->setFacts(facts.get());
                   show();
                   emit shownChanged();
               });
}

void RunEndController::setShown(bool on) {
    if (m_shown == on)
        return;
    m_shown = on;
    show();
    emit shownChanged();
}

QString RunEndController::weightsFile() const {
    if (!m_facts)
        return {};
    const auto& all = m_facts->checkpoints;
    const auto* newest = launch::newestUsable(all);
    // an older version wrote a .nemo at the end even if the run's weights were NaN
    const bool useless = m_session && m_session->view().info.reason.kind == launch::EndKind::NotFinite;
    const std::string name = !all.models.empty() && !useless ? all.models.front().name
                             : newest                        ? newest->name
                                                             : std::string();
    return name.empty() ? QString() : toQString((m_facts->run.checkpoints() / name).string());
}

void RunEndController::show() {
    const bool gone = m_session && m_session->view().goneRealtimeNs != 0;
    if (m_session) {
        const bool live = launch::isLive(m_session->view().info.state);
        m_checkpoints->setMayAct(!gone, !gone && !live);
    }
    if (!m_shown || !hasEnding())
        return m_pane->showOnly(nullptr);
    const RunView& view = m_session->view();
    if (const auto failure = failureOf(view)) {
        m_pane->failure()->show(view, *failure, m_facts.get(), !gone, m_resumedBy);
        return m_pane->showOnly(m_pane->failure());
    }
    m_pane->card()->show(view, m_facts.get(), !gone, m_resumedBy);
    m_pane->showOnly(m_pane->card());
}

} // namespace rankscope::ui
