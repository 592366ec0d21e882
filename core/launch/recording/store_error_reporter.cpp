// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/store_error_reporter.h"

#include "core/base/text/unit_format.h"

#include <fmt/format.h>

#include <utility>

namespace rankscope::launch {

using telemetry::NoteSeverity;

void StoreErrorReporter::noteFolderGone(Message what) {
    m_folderGone = true;
    m_trouble = std::move(what);
}

void StoreErrorReporter::onStoreError(const Message& what, std::int64_t nowNs) {
    if (m_folderGone)
        return;
    if (m_troubleSinceNs == 0)
        m_troubleSinceNs = nowNs;
    m_trouble = {"the ranks' measurements cannot be stored at present and are kept in their journals: {}", what};
    const std::string english = what.english();
    if (english != m_publishedError && m_control.publishStoreError(m_troubleSinceNs, english))
        m_publishedError = english;
}

void StoreErrorReporter::onStoreRecovered(std::int64_t nowNs) {
    if (m_troubleSinceNs == 0)
        return;
    const auto text = fmt::format("The store could not be written for {}; nothing that was in a journal is lost. ({})",
                                  formatDuration(nowNs - m_troubleSinceNs), m_trouble.english());
    if (m_drain.store().note(NoteSeverity::Warning, text, nowNs)) {
        m_troubleSinceNs = 0;
        m_trouble = {};
    }
}

/// If the page cannot be written, it keeps an older time, from which readers conclude that the store may be behind.
void StoreErrorReporter::publishStored(std::int64_t nowNs) {
    if (m_troubleSinceNs == 0 && !m_publishedError.empty() && m_control.publishStoreError(0, {}))
        m_publishedError.clear();
    m_storedNs = nowNs;
    static_cast<void>(m_control.publishStored(nowNs));
}

void StoreErrorReporter::note(NoteSeverity severity, const std::string& text, std::int64_t nowNs) {
    if (const auto noted = m_drain.store().note(severity, text, nowNs); !noted)
        onStoreError(noted.error().asMessage(), nowNs);
}

void StoreErrorReporter::reportControlPage(const Result<void>& named, std::int64_t nowNs) {
    if (named.has_value() == m_controlTrouble.empty())
        return;
    m_controlTrouble =
        named ? Message() : Message("the request to stop cannot be sent to the ranks: {}", named.error().asMessage());
    note(named ? NoteSeverity::Info : NoteSeverity::Error,
         named ? "The request to stop has reached the ranks." : m_controlTrouble.english() + ".", nowNs);
}

void StoreErrorReporter::reportDrops(const std::vector<RankMonitor>& ranks, std::int64_t nowNs) {
    for (const auto& rank : ranks) {
        auto& told = m_dropsTold[static_cast<std::size_t>(rank.rank())];
        const std::uint64_t dropped = rank.board() ? rank.board()->droppedRecords : 0;
        if (dropped <= told || (told != 0 && dropped < 2 * told))
            continue;
        const auto text = fmt::format("rank {} could not write {} records (no room for its journal)", rank.rank(),
                                      formatCount(static_cast<std::int64_t>(dropped)));
        if (m_drain.store().note(NoteSeverity::Warning, text, nowNs))
            told = dropped;
    }
}

} // namespace rankscope::launch
