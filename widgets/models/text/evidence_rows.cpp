// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/evidence_rows.h"

#include "core/base/text/unit_format.h"
#include "core/diagnosis/stalls/pause_scan.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rankscope::ui {

namespace {

using Facts = diagnosis::Evidence;

struct EvidenceLabels {
    Q_DECLARE_TR_FUNCTIONS(EvidenceLabels)
};

struct KnownKey {
    std::string_view key;
    const char* label;
};

// clang-format off
constexpr std::array kKnown{
    KnownKey{keyOf(&Facts::paused), QT_TRANSLATE_NOOP("EvidenceLabels", "What was paused")},
    KnownKey{keyOf(&Facts::pausedSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Paused for")},
    KnownKey{keyOf(&Facts::pids), QT_TRANSLATE_NOOP("EvidenceLabels", "Processes")},
    KnownKey{keyOf(&Facts::exitCode), QT_TRANSLATE_NOOP("EvidenceLabels", "Exit code")},
    KnownKey{keyOf(&Facts::signalName), QT_TRANSLATE_NOOP("EvidenceLabels", "Signal")},
    KnownKey{keyOf(&Facts::sender), QT_TRANSLATE_NOOP("EvidenceLabels", "Sent by")},
    KnownKey{keyOf(&Facts::senderProgram), QT_TRANSLATE_NOOP("EvidenceLabels", "Program of the sender")},
    KnownKey{keyOf(&Facts::senderPid), QT_TRANSLATE_NOOP("EvidenceLabels", "Process id of the sender")},
    KnownKey{keyOf(&Facts::senderUser), QT_TRANSLATE_NOOP("EvidenceLabels", "User name of the sender")},
    KnownKey{keyOf(&Facts::senderUid), QT_TRANSLATE_NOOP("EvidenceLabels", "User id of the sender")},
    KnownKey{keyOf(&Facts::outOfMemory), QT_TRANSLATE_NOOP("EvidenceLabels", "Out of memory")},
    KnownKey{keyOf(&Facts::what), QT_TRANSLATE_NOOP("EvidenceLabels", "Not finite")},
    KnownKey{keyOf(&Facts::mismatch), QT_TRANSLATE_NOOP("EvidenceLabels", "Difference")},
    KnownKey{keyOf(&Facts::reading), QT_TRANSLATE_NOOP("EvidenceLabels", "File")},
    KnownKey{keyOf(&Facts::readingSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Read time")},
    KnownKey{keyOf(&Facts::readingPath), QT_TRANSLATE_NOOP("EvidenceLabels", "Path")},
    KnownKey{keyOf(&Facts::holderPhaseSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Time in this phase")},
    KnownKey{keyOf(&Facts::place), QT_TRANSLATE_NOOP("EvidenceLabels", "Place in the forward pass")},
    KnownKey{keyOf(&Facts::layer), QT_TRANSLATE_NOOP("EvidenceLabels", "Layer")},
    KnownKey{keyOf(&Facts::holderLongestFrames), QT_TRANSLATE_NOOP("EvidenceLabels", "Longest utterance of the holder")},
    KnownKey{keyOf(&Facts::othersLongestFrames), QT_TRANSLATE_NOOP("EvidenceLabels", "Longest utterance of the others")},
    KnownKey{keyOf(&Facts::holderLongestSamples), QT_TRANSLATE_NOOP("EvidenceLabels", "Longest utterance of the holder")},
    KnownKey{keyOf(&Facts::othersLongestSamples), QT_TRANSLATE_NOOP("EvidenceLabels", "Longest utterance of the others")},
    KnownKey{keyOf(&Facts::usualComputeSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Typical compute time per batch")},
    KnownKey{keyOf(&Facts::lengthExplainsSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Explained by batch length, at most")},
    KnownKey{keyOf(&Facts::batchSize), QT_TRANSLATE_NOOP("EvidenceLabels", "Batch of the holder")},
    KnownKey{keyOf(&Facts::queueDepth), QT_TRANSLATE_NOOP("EvidenceLabels", "Queue")},
    KnownKey{keyOf(&Facts::queueCapacity), QT_TRANSLATE_NOOP("EvidenceLabels", "Queue capacity")},
    KnownKey{keyOf(&Facts::holdUps), QT_TRANSLATE_NOOP("EvidenceLabels", "Consecutive hold-ups")},
    KnownKey{keyOf(&Facts::heldSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Total time it held up others")},
    KnownKey{keyOf(&Facts::share), QT_TRANSLATE_NOOP("EvidenceLabels", "Share of time spent holding up others")},
    KnownKey{keyOf(&Facts::windowSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Duration of these steps")},
    KnownKey{keyOf(&Facts::windowSteps), QT_TRANSLATE_NOOP("EvidenceLabels", "Steps examined")},
    KnownKey{keyOf(&Facts::lastInSteps), QT_TRANSLATE_NOOP("EvidenceLabels", "Steps in which it arrived last")},
    KnownKey{keyOf(&Facts::lateStepSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Extra time per step")},
    KnownKey{keyOf(&Facts::longestBatchShare), QT_TRANSLATE_NOOP("EvidenceLabels", "Steps in which its batch was the longest")},
    KnownKey{keyOf(&Facts::workRatio), QT_TRANSLATE_NOOP("EvidenceLabels", "Own time relative to the others")},
    KnownKey{keyOf(&Facts::lastedSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Duration")},
    KnownKey{keyOf(&Facts::thresholdSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Threshold")},
    KnownKey{keyOf(&Facts::typicalStepSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Typical step of this run")},
    KnownKey{keyOf(&Facts::pid), QT_TRANSLATE_NOOP("EvidenceLabels", "Process")},
    KnownKey{keyOf(&Facts::firstTensor), QT_TRANSLATE_NOOP("EvidenceLabels", "First tensor")},
    KnownKey{keyOf(&Facts::lastStep), QT_TRANSLATE_NOOP("EvidenceLabels", "Last affected step")},
    KnownKey{keyOf(&Facts::setting), QT_TRANSLATE_NOOP("EvidenceLabels", "Setting that would explain it")},
    KnownKey{keyOf(&Facts::keys), QT_TRANSLATE_NOOP("EvidenceLabels", "Keys that differ")},
    KnownKey{keyOf(&Facts::arrived), QT_TRANSLATE_NOOP("EvidenceLabels", "Ranks that had arrived")},
    KnownKey{keyOf(&Facts::handedOver), QT_TRANSLATE_NOOP("EvidenceLabels", "Handed to the transport")},
    KnownKey{keyOf(&Facts::writtenBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Written so far")},
    KnownKey{keyOf(&Facts::writeRateBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Write rate")},
    KnownKey{keyOf(&Facts::rssBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Memory of the process")},
    KnownKey{keyOf(&Facts::cpuShare), QT_TRANSLATE_NOOP("EvidenceLabels", "CPU time")},
    KnownKey{keyOf(&Facts::cpuQuota), QT_TRANSLATE_NOOP("EvidenceLabels", "CPU quota in cores")},
    KnownKey{keyOf(&Facts::cpuThrottledShare), QT_TRANSLATE_NOOP("EvidenceLabels", "Periods throttled by the CPU quota")},
    KnownKey{keyOf(&Facts::cpuThrottledTimeShare), QT_TRANSLATE_NOOP("EvidenceLabels", "Time lost to the CPU quota")},
    KnownKey{keyOf(&Facts::gpuClockShare), QT_TRANSLATE_NOOP("EvidenceLabels", "GPU clock")},
    KnownKey{keyOf(&Facts::gpuTemperatureCelsius), QT_TRANSLATE_NOOP("EvidenceLabels", "GPU temperature in °C")},
    KnownKey{keyOf(&Facts::gpuThrottle), QT_TRANSLATE_NOOP("EvidenceLabels", "GPU throttle reason")},
    KnownKey{keyOf(&Facts::maskedFrames), QT_TRANSLATE_NOOP("EvidenceLabels", "Masked frames")},
    KnownKey{keyOf(&Facts::exception), QT_TRANSLATE_NOOP("EvidenceLabels", "Exception")},
    KnownKey{keyOf(&Facts::workerEnd), QT_TRANSLATE_NOOP("EvidenceLabels", "How the loader worker ended")},
    KnownKey{keyOf(&Facts::workers), QT_TRANSLATE_NOOP("EvidenceLabels", "Processes that it has started")},
    KnownKey{keyOf(&Facts::workersRssBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Memory of these processes")},
    KnownKey{keyOf(&Facts::workersCpuWaitShare),
             QT_TRANSLATE_NOOP("EvidenceLabels", "Time that loader workers waited for a processor")},
    KnownKey{keyOf(&Facts::usualCall), QT_TRANSLATE_NOOP("EvidenceLabels", "The call that came here until then")},
    KnownKey{keyOf(&Facts::newCall), QT_TRANSLATE_NOOP("EvidenceLabels", "The call that no rank had made before")},
    KnownKey{keyOf(&Facts::holderCalls), QT_TRANSLATE_NOOP("EvidenceLabels", "Calls by the holder")},
    KnownKey{keyOf(&Facts::othersCalls), QT_TRANSLATE_NOOP("EvidenceLabels", "Calls by the others")},
    KnownKey{keyOf(&Facts::holderElements), QT_TRANSLATE_NOOP("EvidenceLabels", "Elements on the holder")},
    KnownKey{keyOf(&Facts::othersElements), QT_TRANSLATE_NOOP("EvidenceLabels", "Elements on the others")},
    KnownKey{keyOf(&Facts::holderBatches), QT_TRANSLATE_NOOP("EvidenceLabels", "Batches of an epoch")},
    KnownKey{keyOf(&Facts::othersBatches), QT_TRANSLATE_NOOP("EvidenceLabels", "Batches of an epoch of the others")},
    KnownKey{keyOf(&Facts::phaseShares), QT_TRANSLATE_NOOP("EvidenceLabels", "Where the time went")},
    KnownKey{keyOf(&Facts::lostRecords), QT_TRANSLATE_NOOP("EvidenceLabels", "Records that were lost")},
    KnownKey{keyOf(&Facts::cpuWaitShare), QT_TRANSLATE_NOOP("EvidenceLabels", "Time spent waiting for a processor")},
    KnownKey{keyOf(&Facts::memoryUsedBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Memory in use")},
    KnownKey{keyOf(&Facts::memoryLimitBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Memory limit")},
    KnownKey{keyOf(&Facts::memoryLeftSeconds), QT_TRANSLATE_NOOP("EvidenceLabels", "Time until memory runs out")},
    KnownKey{keyOf(&Facts::memoryGrowthBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Growth of memory per second")},
    KnownKey{keyOf(&Facts::holderGrowthBytes), QT_TRANSLATE_NOOP("EvidenceLabels", "Growth of the holder's processes per second")},
    KnownKey{keyOf(&Facts::collectives), QT_TRANSLATE_NOOP("EvidenceLabels", "Where each rank is")},
    KnownKey{keyOf(&Facts::lastLines), QT_TRANSLATE_NOOP("EvidenceLabels", "Last lines of its log")},
};
// clang-format on

/// Facts that are needed only to look closer; like those with an unknown key.
constexpr std::array kSupporting{
    keyOf(&Facts::pids),
    keyOf(&Facts::senderUid),
    keyOf(&Facts::place),
    keyOf(&Facts::layer),
    keyOf(&Facts::usualComputeSeconds),
    keyOf(&Facts::batchSize),
    keyOf(&Facts::windowSeconds),
    keyOf(&Facts::windowSteps),
    keyOf(&Facts::lastInSteps),
    keyOf(&Facts::longestBatchShare),
    keyOf(&Facts::workRatio),
    keyOf(&Facts::thresholdSeconds),
    keyOf(&Facts::typicalStepSeconds),
    keyOf(&Facts::pid),
    keyOf(&Facts::arrived),
    keyOf(&Facts::handedOver),
    keyOf(&Facts::rssBytes),
    keyOf(&Facts::swapBytes),
    keyOf(&Facts::majorFaultsRate),
    keyOf(&Facts::cpuShare),
    keyOf(&Facts::cpuQuota),
    keyOf(&Facts::cpuThrottledShare),
    keyOf(&Facts::cpuThrottledTimeShare),
    keyOf(&Facts::cpuWaitShare),
    keyOf(&Facts::gpuClockShare),
    keyOf(&Facts::gpuTemperatureCelsius),
    keyOf(&Facts::gpuThrottle),
    keyOf(&Facts::workers),
    keyOf(&Facts::workersRssBytes),
    keyOf(&Facts::workersCpuWaitShare),
    keyOf(&Facts::lostRecords),
    keyOf(&Facts::memoryGrowthBytes),
    keyOf(&Facts::holderGrowthBytes),
};

int orderOf(const std::string& key) {
    const auto it = std::find_if(kKnown.begin(), kKnown.end(), [&](const KnownKey& k) { return k.key == key; });
    return static_cast<int>(it - kKnown.begin());
}

bool isMainFact(const std::string& key) {
    return static_cast<std::size_t>(orderOf(key)) < kKnown.size() &&
           std::ranges::find(kSupporting, key) == kSupporting.end();
}

QString labelOf(const std::string& key, const Facts& facts) {
    if (key == keyOf(&Facts::reading) && !facts.readingPath)
        return EvidenceLabels::tr("Sample");
    const auto order = static_cast<std::size_t>(orderOf(key));
    if (order < kKnown.size())
        return EvidenceLabels::tr(kKnown[order].label);
    QString words = toQString(key);
    for (const auto* unit : {"_s", "_bytes", "_ns", "_frames", "_samples", "_share"})
        if (words.endsWith(QLatin1String(unit)))
            words.chop(static_cast<qsizetype>(std::string_view(unit).size()));
    words.replace(u'_', u' ');
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

QString numberText(const std::string& key, double value) {
    if (!std::isfinite(value))
        return EvidenceLabels::tr("not finite");
    const bool sane = std::abs(value) < 9e9;
    const auto whole = static_cast<std::int64_t>(std::clamp(value, -9e18, 9e18));
    if (key.ends_with("_s") && sane)
        return durationText(static_cast<std::int64_t>(value * 1e9));
    if (key.ends_with("_ns"))
        return durationText(whole);
    if (key.ends_with("_bytes"))
        return toQString(formatBytes(whole));
    if (key == keyOf(&Facts::share) || key.ends_with("_share"))
        return QStringLiteral("%1 %").arg(value * 100, 0, 'f', 1);
    if (key.ends_with("_frames"))
        return EvidenceLabels::tr("%1 frames").arg(countText(whole));
    if (key.ends_with("_samples"))
        return EvidenceLabels::tr("%1 samples").arg(countText(whole));
    if (key == keyOf(&Facts::batchSize))
        return whole == 1 ? EvidenceLabels::tr("1 utterance")
                          : EvidenceLabels::tr("%1 utterances").arg(countText(whole));
    static constexpr std::array kPlain{keyOf(&Facts::pid), keyOf(&Facts::senderPid), keyOf(&Facts::senderUid),
                                       keyOf(&Facts::exitCode), keyOf(&Facts::layer)};
    if (std::ranges::find(kPlain, key) != kPlain.end())
        return QString::number(whole);
    if (value == std::floor(value) && sane)
        return countText(whole);
    return QString::number(value, 'g', 4);
}

QString pausedText(const std::string& what) {
    if (what == diagnosis::kMachinePaused)
        return EvidenceLabels::tr("the machine");
    if (what == diagnosis::kRunPaused)
        return EvidenceLabels::tr("the supervisor and all ranks");
    return what == diagnosis::kRanksPaused ? EvidenceLabels::tr("all ranks") : toQString(what);
}

QString valueText(const std::string& key, const nlohmann::json& value) {
    if (value.is_null())
        return {};
    if (value.is_boolean())
        return value.get<bool>() ? EvidenceLabels::tr("yes") : EvidenceLabels::tr("no");
    if (value.is_number())
        return numberText(key, value.get<double>());
    if (value.is_string())
        return key == keyOf(&Facts::paused) ? pausedText(value.get_ref<const std::string&>())
                                            : toQString(value.get_ref<const std::string&>());
    return toQString(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Puts a length in frames and its samples into one row.
QString withSamples(const std::string& key, const QString& text, const Facts& facts) {
    const auto samples = key == keyOf(&Facts::holderLongestFrames)   ? facts.holderLongestSamples
                         : key == keyOf(&Facts::othersLongestFrames) ? facts.othersLongestSamples
                                                                     : std::nullopt;
    return samples ? EvidenceLabels::tr("%1 (%2)", "frames, samples")
                         .arg(text, numberText(std::string(keyOf(&Facts::holderLongestSamples)),
                                               static_cast<double>(*samples)))
                   : text;
}

/// Returns "0 of 2": how many batches were ready, and how many there is room for.
QString withCapacity(const std::string& key, const QString& text, const Facts& facts) {
    return key == keyOf(&Facts::queueDepth) && facts.queueCapacity
               ? EvidenceLabels::tr("%1 of %2", "batches ready, room for").arg(text, countText(*facts.queueCapacity))
               : text;
}

/// Returns whether two times are one, measured at different moments of a wait.
bool isSameTime(const std::optional<double>& a, const std::optional<double>& b) {
    return a && b && std::abs(*a - *b) <= 0.1 * std::max(*a, *b);
}

bool isToldBefore(const std::string& key, const Facts& facts) {
    if (key == keyOf(&Facts::sender)) // its program, pid and user
        return facts.senderPid.has_value();
    if (key == keyOf(&Facts::readingSeconds))
        return isSameTime(facts.readingSeconds, facts.lastedSeconds) ||
               isSameTime(facts.readingSeconds, facts.holderPhaseSeconds);
    if (key == keyOf(&Facts::holderPhaseSeconds))
        return isSameTime(facts.holderPhaseSeconds, facts.lastedSeconds);
    if (key == keyOf(&Facts::queueCapacity))
        return facts.queueDepth.has_value();
    if (key == keyOf(&Facts::senderUid))
        return facts.senderUser.has_value();
    return (key == keyOf(&Facts::holderLongestSamples) && facts.holderLongestFrames) ||
           (key == keyOf(&Facts::othersLongestSamples) && facts.othersLongestFrames);
}

/// Returns whether a fact says nothing: no place, no layer, no threshold, no others, Chinese duplicates of older
/// stores, memory that was not the reason.
bool isEmpty(const std::string& key, const Facts& facts) {
    if (key == keyOf(&Facts::layer))
        return facts.layer.value_or(0) < 0;
    if (key == keyOf(&Facts::place))
        return facts.place == "none";
    if (key == keyOf(&Facts::thresholdSeconds)) // an incident that is reported immediately has none
        return facts.thresholdSeconds.value_or(1) <= 0;
    if (key == keyOf(&Facts::typicalStepSeconds)) // before the first step
        return facts.typicalStepSeconds.value_or(1) <= 0;
    if (key == keyOf(&Facts::othersLongestFrames))
        return facts.othersLongestFrames.value_or(1) <= 0;
    if (key == keyOf(&Facts::othersLongestSamples))
        return facts.othersLongestSamples.value_or(1) <= 0;
    if (key == keyOf(&Facts::outOfMemory))
        return facts.outOfMemory == false;
    if (key == keyOf(&Facts::missing)) // the sentence says it
        return true;
    return key == keyOf(&Facts::noStep) || key.ends_with("_zh");
}

} // namespace

QList<EvidenceRow> evidenceRows(const diagnosis::Evidence& facts) {
    QList<EvidenceRow> rows;
    const auto values = toJson(facts);
    std::vector<std::string> keys;
    for (const auto& [key, value] : values.items())
        keys.push_back(key);
    std::stable_sort(keys.begin(), keys.end(),
                     [](const std::string& a, const std::string& b) { return orderOf(a) < orderOf(b); });
    for (const auto& key : keys) {
        if (isEmpty(key, facts) || isToldBefore(key, facts))
            continue;
        const QString text =
            withCapacity(key, withSamples(key, valueText(key, values.at(key)).trimmed(), facts), facts);
        if (!text.isEmpty())
            rows.append({toQString(key), labelOf(key, facts), text, text.contains(u'\n'), isMainFact(key)});
    }
    return rows;
}

} // namespace rankscope::ui
