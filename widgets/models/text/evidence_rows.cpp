// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/evidence_rows.h"

#include "core/base/text/unit_format.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rankscope::ui {

namespace {

struct Evidence {
    Q_DECLARE_TR_FUNCTIONS(Evidence)
};

struct KnownKey {
    std::string_view key;
    const char* label;
};

// clang-format off
constexpr std::array kKnown{
    KnownKey{"paused", QT_TRANSLATE_NOOP("Evidence", "What was paused")},
    KnownKey{"paused_s", QT_TRANSLATE_NOOP("Evidence", "Paused for")},
    KnownKey{"pids", QT_TRANSLATE_NOOP("Evidence", "Processes")},
    KnownKey{"exit_code", QT_TRANSLATE_NOOP("Evidence", "Exit code")},
    KnownKey{"signal_name", QT_TRANSLATE_NOOP("Evidence", "Signal")},
    KnownKey{"sender", QT_TRANSLATE_NOOP("Evidence", "Sent by")},
    KnownKey{"sender_program", QT_TRANSLATE_NOOP("Evidence", "Program of the sender")},
    KnownKey{"sender_pid", QT_TRANSLATE_NOOP("Evidence", "Process id of the sender")},
    KnownKey{"sender_user", QT_TRANSLATE_NOOP("Evidence", "User name of the sender")},
    KnownKey{"sender_uid", QT_TRANSLATE_NOOP("Evidence", "User id of the sender")},
    KnownKey{"out_of_memory", QT_TRANSLATE_NOOP("Evidence", "Out of memory")},
    KnownKey{"what", QT_TRANSLATE_NOOP("Evidence", "Not finite")},
    KnownKey{"mismatch", QT_TRANSLATE_NOOP("Evidence", "What differs")},
    KnownKey{"reading", QT_TRANSLATE_NOOP("Evidence", "File")},
    KnownKey{"reading_s", QT_TRANSLATE_NOOP("Evidence", "Read time")},
    KnownKey{"reading_path", QT_TRANSLATE_NOOP("Evidence", "Path")},
    KnownKey{"holder_phase_s", QT_TRANSLATE_NOOP("Evidence", "In this phase for")},
    KnownKey{"place", QT_TRANSLATE_NOOP("Evidence", "Place in forward")},
    KnownKey{"layer", QT_TRANSLATE_NOOP("Evidence", "Layer")},
    KnownKey{"holder_longest_frames", QT_TRANSLATE_NOOP("Evidence", "Longest utterance of the holder")},
    KnownKey{"others_longest_frames", QT_TRANSLATE_NOOP("Evidence", "Longest utterance of the others")},
    KnownKey{"holder_longest_samples", QT_TRANSLATE_NOOP("Evidence", "Longest utterance of the holder")},
    KnownKey{"others_longest_samples", QT_TRANSLATE_NOOP("Evidence", "Longest utterance of the others")},
    KnownKey{"usual_compute_s", QT_TRANSLATE_NOOP("Evidence", "Usual compute of a batch")},
    KnownKey{"length_explains_s", QT_TRANSLATE_NOOP("Evidence", "Explained by its length, at most")},
    KnownKey{"batch_size", QT_TRANSLATE_NOOP("Evidence", "Batch of the holder")},
    KnownKey{"queue_depth", QT_TRANSLATE_NOOP("Evidence", "Queue")},
    KnownKey{"queue_capacity", QT_TRANSLATE_NOOP("Evidence", "Queue capacity")},
    KnownKey{"hold_ups", QT_TRANSLATE_NOOP("Evidence", "Hold-ups in a row")},
    KnownKey{"held_s", QT_TRANSLATE_NOOP("Evidence", "Held the others in total")},
    KnownKey{"share", QT_TRANSLATE_NOOP("Evidence", "Share of the time holding others")},
    KnownKey{"window_s", QT_TRANSLATE_NOOP("Evidence", "Duration of these steps")},
    KnownKey{"window_steps", QT_TRANSLATE_NOOP("Evidence", "Newest steps counted")},
    KnownKey{"last_in_steps", QT_TRANSLATE_NOOP("Evidence", "Steps in which it came last")},
    KnownKey{"late_step_s", QT_TRANSLATE_NOOP("Evidence", "Extra time per step")},
    KnownKey{"longest_batch_share", QT_TRANSLATE_NOOP("Evidence", "Steps in which its batch was the longest")},
    KnownKey{"work_ratio", QT_TRANSLATE_NOOP("Evidence", "Own time / time of the others")},
    KnownKey{"lasted_s", QT_TRANSLATE_NOOP("Evidence", "Duration")},
    KnownKey{"threshold_s", QT_TRANSLATE_NOOP("Evidence", "Threshold")},
    KnownKey{"typical_step_s", QT_TRANSLATE_NOOP("Evidence", "Typical step of this run")},
    KnownKey{"pid", QT_TRANSLATE_NOOP("Evidence", "Process")},
    KnownKey{"first_tensor", QT_TRANSLATE_NOOP("Evidence", "First tensor")},
    KnownKey{"last_step", QT_TRANSLATE_NOOP("Evidence", "Newest step with it")},
    KnownKey{"setting", QT_TRANSLATE_NOOP("Evidence", "Setting that would explain it")},
    KnownKey{"keys", QT_TRANSLATE_NOOP("Evidence", "Keys that differ")},
    KnownKey{"arrived", QT_TRANSLATE_NOOP("Evidence", "Had arrived")},
    KnownKey{"handed_over", QT_TRANSLATE_NOOP("Evidence", "Handed to the transport")},
    KnownKey{"written_bytes", QT_TRANSLATE_NOOP("Evidence", "Written so far")},
    KnownKey{"write_rate_bytes", QT_TRANSLATE_NOOP("Evidence", "Write rate")},
    KnownKey{"rss_bytes", QT_TRANSLATE_NOOP("Evidence", "Memory of the process")},
    KnownKey{"cpu_share", QT_TRANSLATE_NOOP("Evidence", "CPU time")},
    KnownKey{"cpu_quota", QT_TRANSLATE_NOOP("Evidence", "CPU quota in processors")},
    KnownKey{"cpu_throttled_share", QT_TRANSLATE_NOOP("Evidence", "Held back by the CPU quota")},
    KnownKey{"cpu_throttled_time_share", QT_TRANSLATE_NOOP("Evidence", "Time lost to the CPU quota")},
    KnownKey{"gpu_clock_share", QT_TRANSLATE_NOOP("Evidence", "GPU clock")},
    KnownKey{"gpu_temperature_celsius", QT_TRANSLATE_NOOP("Evidence", "GPU temperature in °C")},
    KnownKey{"gpu_throttle", QT_TRANSLATE_NOOP("Evidence", "GPU throttle reason")},
    KnownKey{"masked_frames", QT_TRANSLATE_NOOP("Evidence", "Masked frames")},
    KnownKey{"collectives", QT_TRANSLATE_NOOP("Evidence", "Where each rank is")},
    KnownKey{"last_lines", QT_TRANSLATE_NOOP("Evidence", "Last lines of its log")},
};
// clang-format on

int orderOf(const std::string& key) {
    const auto it = std::find_if(kKnown.begin(), kKnown.end(), [&](const KnownKey& k) { return k.key == key; });
    return static_cast<int>(it - kKnown.begin());
}

QString labelOf(const std::string& key) {
    const auto order = static_cast<std::size_t>(orderOf(key));
    if (order < kKnown.size())
        return Evidence::tr(kKnown[order].label);
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
        return Evidence::tr("not finite");
    const bool sane = std::abs(value) < 9e9;
    const auto whole = static_cast<std::int64_t>(std::clamp(value, -9e18, 9e18));
    if (key.ends_with("_s") && sane)
        return durationText(static_cast<std::int64_t>(value * 1e9));
    if (key.ends_with("_ns"))
        return durationText(whole);
    if (key.ends_with("_bytes"))
        return toQString(formatBytes(whole));
    if (key == "share" || key.ends_with("_share"))
        return QStringLiteral("%1 %").arg(value * 100, 0, 'f', 1);
    if (key.ends_with("_frames"))
        return Evidence::tr("%1 frames").arg(countText(whole));
    if (key.ends_with("_samples"))
        return Evidence::tr("%1 samples").arg(countText(whole));
    if (key == "batch_size")
        return whole == 1 ? Evidence::tr("1 utterance") : Evidence::tr("%1 utterances").arg(countText(whole));
    if (key == "pid" || key == "sender_pid" || key == "sender_uid" || key == "exit_code" || key == "layer")
        return QString::number(whole);
    if (value == std::floor(value) && sane)
        return countText(whole);
    return QString::number(value, 'g', 4);
}

QString valueText(const std::string& key, const nlohmann::json& value) {
    if (value.is_null())
        return {};
    if (value.is_boolean())
        return value.get<bool>() ? Evidence::tr("yes") : Evidence::tr("no");
    if (value.is_number())
        return numberText(key, value.get<double>());
    if (value.is_string())
        return toQString(value.get_ref<const std::string&>());
    return toQString(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Puts a length in frames and its samples into one row.
QString withSamples(const std::string& key, const QString& text, const nlohmann::json& evidence) {
    if (!key.ends_with("_longest_frames"))
        return text;
    const auto samples = evidence.find(key.substr(0, key.size() - 6) + "samples");
    return samples == evidence.end() || !samples->is_number()
               ? text
               : Evidence::tr("%1 (%2)", "frames, samples").arg(text, valueText(samples.key(), *samples));
}

/// Returns "0 of 2": how many batches were ready, and how many there is room for.
QString withCapacity(const std::string& key, const QString& text, const nlohmann::json& evidence) {
    if (key != "queue_depth")
        return text;
    const auto capacity = evidence.find("queue_capacity");
    return capacity == evidence.end() || !capacity->is_number()
               ? text
               : Evidence::tr("%1 of %2", "batches ready, room for").arg(text, valueText(capacity.key(), *capacity));
}

bool isToldBefore(const std::string& key, const nlohmann::json& evidence) {
    if (key == "sender") // its program, pid and user
        return evidence.contains("sender_pid");
    if (key == "queue_capacity") {
        const auto depth = evidence.find("queue_depth");
        return depth != evidence.end() && depth->is_number();
    }
    if (key == "sender_uid")
        return evidence.contains("sender_user");
    return key.ends_with("_longest_samples") && evidence.contains(key.substr(0, key.size() - 7) + "frames");
}

/// Returns whether a fact says nothing: no place, no layer, no threshold, Chinese duplicates of older stores, memory that
/// was not the reason.
bool isEmpty(const std::string& key, const nlohmann::json& value) {
    if (key == "layer")
        return value.is_number() && value.get<double>() < 0;
    if (key == "place")
        return value.is_string() && value.get_ref<const std::string&>() == "none";
    if (key == "threshold_s") // an incident that is reported immediately has none
        return value.is_number() && value.get<double>() <= 0;
    if (key == "others_longest_frames" || key == "others_longest_samples") // there are no others
        return value.is_number() && value.get<double>() <= 0;
    if (key == "out_of_memory")
        return value.is_boolean() && !value.get<bool>();
    return key == "no_step" || key.ends_with("_zh");
}

} // namespace

QList<EvidenceRow> evidenceRows(const nlohmann::json& evidence) {
    QList<EvidenceRow> rows;
    if (!evidence.is_object())
        return rows;
    std::vector<std::string> keys;
    for (const auto& [key, value] : evidence.items())
        keys.push_back(key);
    std::stable_sort(keys.begin(), keys.end(),
                     [](const std::string& a, const std::string& b) { return orderOf(a) < orderOf(b); });
    for (const auto& key : keys) {
        const auto& value = evidence.at(key);
        if (isEmpty(key, value) || isToldBefore(key, evidence))
            continue;
        const QString text = withCapacity(key, withSamples(key, valueText(key, value).trimmed(), evidence), evidence);
        if (!text.isEmpty())
            rows.append({toQString(key), labelOf(key), text, text.contains(u'\n')});
    }
    return rows;
}

} // namespace rankscope::ui
