// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/rank_figures.h"

#include "core/config/effective/key_diff.h"
#include "core/telemetry/format/note_markers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <map>

namespace rankscope::trainer {
namespace {

using nlohmann::json;

constexpr std::size_t kRanksNamed = 6, kKeysNamed = 3, kValuesNamed = 4, kValueShown = 60;

std::string shortened(const std::string& value) {
    if (value.size() <= kValueShown)
        return value;
    std::size_t end = kValueShown;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80)
        --end;
    return value.substr(0, end) + "…";
}

/// Returns as many whole entries of a list as a check's record can hold, and an ellipsis if there are more.
std::string fittingEntries(const std::string& list) {
    constexpr std::size_t kMost = telemetry::kTextBytes - 1; // without the terminating zero
    constexpr std::string_view kSeparator = ", ", kMore = ", …";
    if (list.size() <= kMost)
        return list;
    const std::size_t end = list.rfind(kSeparator, kMost - kMore.size());
    return end == std::string::npos ? list : list.substr(0, end) + std::string(kMore);
}

std::string lastPart(const std::string& key) {
    return key.substr(key.rfind('.') + 1);
}

/// Returns the values of one key on all ranks, with a placeholder for a rank that does not report it.
std::vector<std::string> valuesOf(std::span<const RankFigures> all, const Figure& wanted) {
    std::vector<std::string> values;
    for (const RankFigures& rank : all) {
        const auto found = std::find_if(rank.figures.begin(), rank.figures.end(), [&](const Figure& f) {
            return f.check == wanted.check && f.key == wanted.key;
        });
        values.push_back(found == rank.figures.end() ? "not reported" : found->value);
    }
    return values;
}

bool allEqual(const std::vector<std::string>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

void addKey(CheckResult& result, std::size_t differing, const std::string& sentence) {
    if (differing <= kKeysNamed)
        result.text += (result.text.empty() ? "" : "; ") + sentence;
    else if (differing == kKeysNamed + 1)
        result.text += "; and more";
}

/// Returns the number of devices: "4" -> 4, "0,2" -> 2; 0: all that exist.
int namedDevices(const std::string& devices) {
    int count = 0;
    const auto [end, ec] = std::from_chars(devices.data(), devices.data() + devices.size(), count);
    if (ec == std::errc{} && end == devices.data() + devices.size())
        return std::max(count, 0); // -1: all
    if (devices.find_first_not_of("0123456789, []") != std::string::npos)
        return 0;
    int named = 0;
    bool digit = false;
    for (const char c : devices) {
        const bool isDigit = c >= '0' && c <= '9';
        named += isDigit && !digit;
        digit = isDigit;
    }
    return named;
}

constexpr const char* kFirst = "first_batch";
constexpr const char* kShape = "shape";

std::string shapeText(const FirstBatch& batch) {
    return fmt::format("[{}]", fmt::join(batch.shape, ", "));
}

std::string typeOf(const std::string& device) {
    return device.substr(0, device.find(':'));
}

CheckResult shapeOf(const FirstBatch& b) {
    const auto bad = [](std::string text) { return CheckResult::failed(kFirst, false, std::move(text)); };
    if (b.device != b.expectedDevice)
        return bad(fmt::format("the encoder's input is on {}, this rank computes on {}", b.device, b.expectedDevice));
    if (b.shape[1] != b.features)
        return bad(
            fmt::format("the encoder's input is {}, model.preprocessor.features is {}", shapeText(b), b.features));
    if (b.shape[0] < 1 || b.shape[2] < 1)
        return bad(fmt::format("the encoder's input is {}: it is empty", shapeText(b)));
    if (b.configuredSize > 0 && b.shape[0] > b.configuredSize)
        return bad(
            fmt::format("the encoder's input is {}, model.train_ds.batch_size is {}", shapeText(b), b.configuredSize));
    return CheckResult::passed(kFirst, fmt::format("{} on {}", shapeText(b), b.device));
}

CheckResult lengthsOf(const FirstBatch& b) {
    constexpr const char* kName = "batch_lengths";
    const auto bad = [](std::string text) { return CheckResult::failed(kName, false, std::move(text)); };
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(b.shape[0], 0));
    if (b.samples.size() != size || b.lengths.size() != size)
        return bad(fmt::format("the batch has {} rows, {} utterances and {} lengths", size, b.samples.size(),
                               b.lengths.size()));
    for (std::size_t i = 0; i < size; ++i) {
        const std::int64_t frames = b.samples[i] / std::max<std::int64_t>(b.hop, 1);
        if (b.lengths[i] < 1 || b.lengths[i] > b.shape[2])
            return bad(
                fmt::format("utterance {} has {} frames, the encoder's input has {}", i, b.lengths[i], b.shape[2]));
        if (std::abs(b.lengths[i] - frames) > 1) // framing without padding gives one frame more or less
            return bad(fmt::format("utterance {} has {} frames, but its {} samples make {}", i, b.lengths[i],
                                   b.samples[i], frames));
    }
    const auto [low, high] = std::minmax_element(b.lengths.begin(), b.lengths.end());
    return CheckResult::passed(kName, fmt::format("{} utterances of {} to {} frames", size, *low, *high));
}

CheckResult finiteOf(const FirstBatch& b) {
    constexpr const char* kName = "finite_input";
    if (b.notFinite > 0)
        return CheckResult::failed(
            kName, false, fmt::format("{} values of the encoder's first input are NaN or infinite", b.notFinite));
    return CheckResult::passed(kName, "no NaN and no infinity in the encoder's first input");
}

std::string valueOf(const RankFigures& rank, const std::string& key) {
    const auto found =
        std::find_if(rank.figures.begin(), rank.figures.end(), [&](const Figure& f) { return f.key == key; });
    return found == rank.figures.end() ? "not reported" : found->value;
}

} // namespace

std::string ranksText(std::span<const int> ranks) {
    const auto shown = ranks.first(std::min(ranks.size(), kRanksNamed));
    std::string text = fmt::format("rank {}", fmt::join(shown, ", "));
    return shown.size() < ranks.size() ? text + fmt::format(" and {} more", ranks.size() - shown.size()) : text;
}

std::string valuesByRank(std::span<const std::string> values) {
    std::vector<std::pair<std::string, std::vector<int>>> groups; // in the order in which they appear
    for (std::size_t r = 0; r < values.size(); ++r) {
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return known.first == values[r]; });
        if (group == groups.end())
            group = groups.insert(groups.end(), {values[r], {}});
        group->second.push_back(static_cast<int>(r));
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(groups.size(), kValuesNamed); ++i) {
        const bool last = i + 1 == groups.size();
        text += fmt::format("{}{} on {}",
                            i == 0 ? ""
                            : last ? " and "
                                   : ", ",
                            shortened(groups[i].first), ranksText(groups[i].second));
    }
    return groups.size() > kValuesNamed ? text + fmt::format(", and {} more values", groups.size() - kValuesNamed)
                                        : text;
}

std::string encodeFigures(const RankFigures& figures) {
    json all = json::array();
    for (const Figure& f : figures.figures)
        all.push_back({f.check, f.key, f.value, f.stops});
    return json{{"host", figures.host},
                {"device", figures.device},
                {"config", figures.config},
                {"hash", figures.configHash},
                {"figures", all}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<RankFigures> decodeFigures(std::string_view text, int rank) {
    const auto damaged = [&](Message what) {
        return fail(Errc::Malformed, {"sent settings that cannot be read ({})", std::move(what)},
                    fmt::format("rank {}", rank));
    };
    if (text.size() > kMostFigureBytes)
        return damaged("too long");
    const json all = json::parse(text, nullptr, false);
    if (!all.is_object())
        return damaged("not an object");
    for (const char* name : {"host", "device", "config"})
        if (!all.contains(name) || !all[name].is_string())
            return damaged(std::string(name));
    if (!all.contains("hash") || !all["hash"].is_number_unsigned() || !all.contains("figures") ||
        !all["figures"].is_array())
        return damaged(std::string("figures"));
    RankFigures out{rank, {}, all["host"], all["device"], all["config"], all["hash"]};
    for (const json& f : all["figures"]) {
        if (!f.is_array() || f.size() != 4 || !f[0].is_string() || !f[1].is_string() || !f[2].is_string() ||
            !f[3].is_boolean())
            return damaged("a figure");
        out.figures.push_back({f[0], f[1], f[2], f[3]});
    }
    return out;
}

std::vector<CheckResult> compareFigures(std::span<const RankFigures> all) {
    std::vector<CheckResult> results;
    std::map<std::string, std::size_t> places, differing;
    if (all.empty())
        return results;
    std::map<std::string, std::string> same; // the text if all agree
    for (const Figure& figure : all.front().figures) {
        if (places.emplace(figure.check, results.size()).second)
            results.push_back(CheckResult::passed(figure.check, ""));
        CheckResult& result = results[places.at(figure.check)];
        const auto values = valuesOf(all, figure);
        if (allEqual(values)) {
            std::string& text = same[figure.check];
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", lastPart(figure.key), shortened(figure.value));
            continue;
        }
        result.status = telemetry::CheckStatus::Failed;
        result.stops = result.stops || figure.stops;
        addKey(result, ++differing[figure.check], fmt::format("{} is {}", figure.key, valuesByRank(values)));
    }
    for (CheckResult& result : results) {
        if (result.status == telemetry::CheckStatus::Passed)
            result.text = fittingEntries(same[result.name]);
        else if (result.stops)
            result.text += ": all ranks need the same";
    }
    return results;
}

CheckResult compareConfigurations(std::span<const RankFigures> all) {
    CheckResult result = CheckResult::passed(std::string(telemetry::kConfigurationCheck), "");
    std::map<std::string, std::vector<std::string>> values; // of keys that differ, in rank order
    for (std::size_t r = 1; r < all.size(); ++r) {
        if (all[r].configHash == all[0].configHash)
            continue;
        for (const auto& d : config::keyDiff(all[0].config, all[r].config)) {
            auto& of = values.try_emplace(d.key, all.size(), d.first).first->second;
            of[r] = d.second;
        }
    }
    std::size_t named = 0, ofHost = 0;
    for (const bool stops : {true, false}) // the most important ones are named first
        for (const auto& [key, of] : values) {
            const config::KeyScope kind = config::rankKey(key);
            if ((kind == config::KeyScope::MustMatch) != stops)
                continue;
            ofHost += kind == config::KeyScope::PerHost;
            if (kind == config::KeyScope::PerHost || kind == config::KeyScope::Ignored)
                continue;
            result.status = telemetry::CheckStatus::Failed;
            result.stops = result.stops || stops;
            addKey(result, ++named, fmt::format("{} is {}", key, valuesByRank(of)));
        }
    if (result.stops)
        result.text += ": give all ranks the same configuration";
    else if (result.status == telemetry::CheckStatus::Passed)
        result.text = ofHost > 0 ? fmt::format("the same on all ranks but for {} path{} or name{}", ofHost,
                                               ofHost == 1 ? "" : "s", ofHost == 1 ? "" : "s")
                                 : fmt::format("the same on all ranks ({:016x})", all.empty() ? 0 : all[0].configHash);
    return result;
}

CheckResult checkProcesses(const ProcessLayout& layout, std::span<const RankFigures> all) {
    constexpr const char* kName = "processes";
    std::map<std::pair<std::string, std::string>, std::vector<int>> onDevice;
    for (const RankFigures& rank : all)
        if (rank.device.find(':') != std::string::npos) // the CPU may be shared
            onDevice[{rank.host, rank.device}].push_back(rank.rank);
    for (const auto& [place, ranks] : onDevice)
        if (ranks.size() > 1 && !layout.shared)
            return CheckResult::failed(kName, true,
                                       fmt::format("{} all use {} of {}: each process needs its own GPU",
                                                   ranksText(ranks), place.second, place.first));
    const int named = namedDevices(layout.devices), expected = named * std::max(layout.nodes, 1);
    const std::string there = fmt::format("{} process{}", layout.worldSize, layout.worldSize == 1 ? "" : "es");
    const std::string asked =
        layout.nodes > 1 ? fmt::format("trainer.devices {} on trainer.num_nodes {}", layout.devices, layout.nodes)
                         : fmt::format("trainer.devices {}", layout.devices);
    if (named == 0 || expected == layout.worldSize)
        return CheckResult::passed(kName, fmt::format("{}, {}", there, asked));
    if (layout.led)
        return CheckResult::passed(kName, fmt::format("{}, as --ranks asks; {} is overridden", there, asked));
    return CheckResult::failed(
        kName, false, fmt::format("{}, but {} makes {}: the global batch is not the recipe's", there, asked, expected));
}

std::vector<CheckResult> checkFirstBatch(const FirstBatch& batch) {
    return {shapeOf(batch), lengthsOf(batch), finiteOf(batch)};
}

std::vector<Figure> figuresOf(const FirstBatch& batch) {
    std::vector<Figure> figures{{kFirst, "features", std::to_string(batch.shape[1]), false},
                                {kFirst, "device type", typeOf(batch.device), false}};
    if (batch.configuredSize > 0)
        figures.push_back({kFirst, "batch size", std::to_string(batch.shape[0]), false});
    figures.push_back({kShape, kShape, shapeText(batch), false}); // lengths may differ
    return figures;
}

CheckResult compareFirstBatches(std::span<const RankFigures> all) {
    const auto results = compareFigures(all);
    const auto found = std::find_if(results.begin(), results.end(), [](const auto& r) { return r.name == kFirst; });
    if (found == results.end())
        return CheckResult::skipped(kFirst, "rank 0 reported nothing about its first batch");
    if (found->status != telemetry::CheckStatus::Passed)
        return *found;
    std::vector<std::string> shapes;
    for (const RankFigures& rank : all)
        shapes.push_back(valueOf(rank, kShape));
    return CheckResult::passed(kFirst, fmt::format("{}, {}", valuesByRank(shapes), valueOf(all[0], "device type")));
}

} // namespace rankscope::trainer
