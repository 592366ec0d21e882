// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/deferred_recording.h"

#include "core/base/values/result.h"
#include "core/launch/recording/run_creation.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace rankscope::launch {

static constexpr std::int64_t kStoreRetryNs = 500'000'000; ///< until a store that could not be made is tried again
static constexpr double kLeastJoinSeconds = 30;            ///< from the first board of a watched run on

SupervisionSettings settingsAfter(SupervisionSettings settings, bool watched, std::int64_t elapsedNs) {
    double& join = settings.detector.joinSeconds;
    if (watched)
        join = std::max(std::min(kLeastJoinSeconds, join), join - static_cast<double>(elapsedNs) * 1e-9);
    return settings;
}

Result<void> DeferredRecording::open(const RunInfo& info, telemetry::ControlPage& control, std::int64_t nowNs) {
    const store::RunMeta meta{info.id, info.worldSize, info.startNs, info.startRealtimeNs, info.totalSteps};
    store::Retention retention;
    retention.newestSteps = m_plan.settings.retentionSteps;
    RS_TRY_ASSIGN(auto store, store::RunWriter::open(m_plan.run.store(), meta, retention));
    RS_TRY_ASSIGN(auto drain, Drain::open(m_plan.run, std::move(store)));
    m_recording.emplace(info, settingsAfter(m_plan.settings, info.watched(), nowNs - info.startNs), std::move(drain),
                        control, m_monitors);
    // a run that is watched by `attach` continues when its supervisor ends
    if (const std::int64_t sinceNs = control.storedUntil().atNs; sinceNs > info.startNs)
        m_recording->takeOver(sinceNs, nowNs);
    for (const std::string& text : std::exchange(m_earlyNotes, {}))
        note(telemetry::NoteSeverity::Warning, text, nowNs);
    return {};
}

/// A folder that was watched before has a store.
static bool hasStore(const RunPaths& run) {
    std::error_code ec;
    return std::filesystem::exists(run.store(), ec);
}

void DeferredRecording::openIfDue(const RunInfo& info, telemetry::ControlPage& control, std::int64_t nowNs) {
    if (m_recording || m_folderGone || info.worldSize == 0 || nowNs < m_retryAtNs)
        return;
    auto opened = hasStore(m_plan.run) ? Result<void>() : createStore(m_plan.run, info);
    if (opened)
        opened = open(info, control, nowNs);
    m_startTrouble = opened ? Message() : opened.error().asMessage();
    m_retryAtNs = nowNs + kStoreRetryNs;
}

void DeferredRecording::note(telemetry::NoteSeverity severity, const std::string& text, std::int64_t nowNs) {
    if (m_recording)
        m_recording->errors().note(severity, text, nowNs);
    else
        m_earlyNotes.push_back(text);
}

void DeferredRecording::onStoreError(const Error& error, std::int64_t nowNs) {
    if (m_recording)
        m_recording->errors().onStoreError(error.asMessage(), nowNs);
}

void DeferredRecording::reportControlPage(const Result<void>& named, std::int64_t nowNs) {
    if (m_recording)
        m_recording->errors().reportControlPage(named, nowNs);
}

void DeferredRecording::noteFolderGone(Message what) {
    if (m_recording)
        m_recording->errors().noteFolderGone(std::move(what));
    else
        m_startTrouble = std::move(what);
    m_folderGone = true;
}

} // namespace rankscope::launch
