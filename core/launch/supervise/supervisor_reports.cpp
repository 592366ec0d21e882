// SPDX-License-Identifier: Apache-2.0
// What goes wrong around a run: a store that takes nothing, journals without room, a folder that is gone.
#include "core/base/text/unit_format.h"
#include "core/diagnosis/evidence/leave_request_text.h"
#include "core/launch/supervise/supervisor_loop.h"

#include <fmt/format.h>

namespace rankscope::launch {

void Supervisor::lookAtFolder() {
    if (m_folderGone || !m_folder.gone(m_nowNs))
        return;
    m_folderGone = true;
    m_trouble = "the run's folder was removed or renamed; its ranks are ended";
    if (!m_failing && !m_stopping) {
        m_failing = true;
        end(kFailureGraceNs);
    }
}

void Supervisor::noteTrouble(const std::string& what) {
    if (m_folderGone) // which has been said, and says more
        return;
    if (m_troubleSinceNs == 0)
        m_troubleSinceNs = m_nowNs;
    m_trouble = fmt::format("what the ranks measure cannot be stored now and is kept in their journals: {}", what);
    if (what != m_toldTrouble && m_control && m_control->tellTrouble(m_troubleSinceNs, what))
        m_toldTrouble = what;
}

/// A page that cannot be written stays behind, and readers take that for what it is: the store may be behind, too.
void Supervisor::tellStored() {
    if (!m_control || m_more)
        return;
    if (m_troubleSinceNs == 0 && !m_toldTrouble.empty() && m_control->tellTrouble(0, {}))
        m_toldTrouble.clear();
    static_cast<void>(m_control->tellStored(m_nowNs));
}

/// Of a run.sqlite that was removed. Not before the run's end: whoever removes the folder is not to find a new file in
/// it.
void Supervisor::bringBackStore() {
    if (m_folderGone || m_drain->store().checkInPlace())
        return;
    auto store = m_drain->store().writeAnew();
    if (!store)
        return noteTrouble(store.error().message());
    m_drain->setStore(std::move(*store));
    m_retryAtNs = 0;
}

void Supervisor::noteTroubleOver() {
    if (m_troubleSinceNs == 0)
        return;
    const auto text = fmt::format("The store could not be written for {}; nothing that was in a journal is lost. ({})",
                                  formatDuration(m_nowNs - m_troubleSinceNs), m_trouble);
    if (m_drain->store().note(telemetry::Severity::Warning, text, m_nowNs)) {
        m_troubleSinceNs = 0;
        m_trouble.clear();
    }
}

/// A control page that cannot be written: the ranks do not learn after which step to leave. It is tried again.
void Supervisor::noteControl(const Result<void>& named) {
    if (named.has_value() == m_controlTrouble.empty())
        return;
    m_controlTrouble =
        named ? "" : fmt::format("the ranks cannot be told after which step to leave: {}", named.error().message());
    const auto severity = named ? telemetry::Severity::Info : telemetry::Severity::Error;
    const auto noted = m_drain->store().note(
        severity, named ? "The ranks have been told after which step to leave." : m_controlTrouble + ".", m_nowNs);
    if (!noted)
        noteTrouble(noted.error().message());
}

/// "rank 1 was asked to leave by SIGTERM from earlyoom (process 4711 of root)"; empty where no rank was.
std::string Supervisor::askedText() const {
    if (!m_leaving)
        return {};
    std::vector<int> ranks;
    diagnosis::ProcessView first;
    for (const auto& rank : m_ranks) {
        auto view = rank.view(true, true);
        if (view.asked.signal == 0)
            continue;
        if (ranks.empty() || view.asked.atNs < first.asked.atNs)
            first = std::move(view);
        ranks.push_back(rank.rank());
    }
    const auto evidence = diagnosis::requestEvidence(first);
    return fmt::format("rank{} {} {} asked to leave by {} from {}", ranks.size() == 1 ? "" : "s", joinInts(ranks),
                       ranks.size() == 1 ? "was" : "were", signalName(first.asked.signal),
                       diagnosis::senderText(evidence));
}

void Supervisor::noteRequest() {
    const auto noted = m_drain->store().note(
        telemetry::Severity::Warning,
        fmt::format("The run stops: {}. All ranks leave after the same step.", askedText()), m_nowNs);
    if (!noted)
        noteTrouble(noted.error().message());
}

void Supervisor::noteDrops() {
    for (const auto& rank : m_ranks) {
        auto& told = m_dropsTold[static_cast<std::size_t>(rank.rank())];
        const std::uint64_t dropped = rank.board() ? rank.board()->droppedRecords : 0;
        if (dropped <= told || (told != 0 && dropped < 2 * told)) // at most a line for each doubling
            continue;
        const auto text = fmt::format("rank {} could not write {} records (no room for its journal)", rank.rank(),
                                      formatCount(static_cast<std::int64_t>(dropped)));
        if (m_drain->store().note(telemetry::Severity::Warning, text, m_nowNs))
            told = dropped;
    }
}

} // namespace rankscope::launch
