// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/waits_report.h"

#include "app/ctl/reports/words.h"
#include "core/base/console/text_table.h"
#include "core/base/text/unit_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::ctl {

using diagnosis::WaitSums;
using nlohmann::json;
using telemetry::Phase;

namespace {

constexpr std::size_t kMostRows = 24; ///< of a printed table; --json has all

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Message wholePercent(double share) {
    return {"{:.0f} %", 100 * share};
}

/// Returns the largest three phases: "data_wait 71 %, forward 20 %".
std::string phasesText(const WaitSums& sums) {
    std::vector<Phase> phases;
    for (std::size_t p = 0; p < diagnosis::kPhaseCount; ++p)
        if (share(sums.phaseNs[p], sums.waitNs) >= 0.01)
            phases.push_back(static_cast<Phase>(p));
    const auto ns = [&](Phase p) { return sums.phaseNs[static_cast<std::size_t>(p)]; };
    std::stable_sort(phases.begin(), phases.end(), [&](Phase a, Phase b) { return ns(a) > ns(b); });
    MessageList largest = allOf({});
    for (std::size_t i = 0; i < std::min<std::size_t>(phases.size(), 3); ++i)
        largest.items.push_back({"{} {:.0f} %", phaseWord(phases[i]), 100 * share(ns(phases[i]), sums.waitNs)});
    return console::text({"{}", std::move(largest)});
}

std::string headerText(const store::WaitReport& r) {
    std::string text = lineOf({"steps {} to {}, {} ranks, {}", Count{r.steps.first}, Count{r.steps.last}, r.worldSize,
                               Duration{r.lastedNs()}});
    if (r.pausedNs > 0)
        text += lineOf({"the whole run was paused for {}, which is not counted here", Duration{r.pausedNs}});
    const auto lostNs = static_cast<std::int64_t>(r.lostNs());
    if (r.worldSize > 1)
        text += lineOf({"lost to waiting {}, {} of it, averaged over the ranks", Duration{lostNs},
                        wholePercent(share(lostNs, r.lastedNs()))});
    const WaitSums total = r.matrix.total();
    if (total.estimatedNs > 0)
        text += lineOf({"{} of {} steps have individual collectives; for the other steps' waits ({} of all), phases "
                        "and blocking are estimated from sums per step",
                        Count{r.singleSteps}, Count{r.steps.count()},
                        wholePercent(share(total.estimatedNs, total.waitNs))});
    if (total.estimatedNs > 0 && r.estimatesAreSums)
        text += lineOf("an older version recorded this run: the estimates count overlapping waits more than once");
    return text;
}

std::string rankingText(const store::WaitReport& r) {
    std::string text;
    for (const auto& cost : r.matrix.ranking()) {
        const WaitSums& sums = cost.sums;
        const Phase phase = sums.mostly();
        const Message said("rank {0} kept the others waiting for {1} ({5} of it blocking), {2} of it while in {3}, "
                           "mostly at {4}",
                           cost.rank, Duration{sums.waitNs},
                           wholePercent(share(sums.phaseNs[static_cast<std::size_t>(phase)], sums.waitNs)),
                           phaseWord(phase), cost.family, Duration{sums.blockedNs});
        text += lineOf(
            sums.untilEndNs > 0 ? Message("{}; {} of it until the run's end", said, Duration{sums.untilEndNs}) : said);
    }
    return text.empty() ? lineOf("no waits were recorded") : text;
}

std::string matrixText(const store::WaitReport& r) {
    std::vector<std::pair<diagnosis::WaitMatrix::PairKey, WaitSums>> cells(r.matrix.cells().begin(),
                                                                           r.matrix.cells().end());
    std::stable_sort(cells.begin(), cells.end(),
                     [](const auto& a, const auto& b) { return a.second.waitNs > b.second.waitNs; });
    const bool cutOff = r.matrix.total().untilEndNs > 0;
    std::vector<Column> columns{right("waiter"),
                                right("holder"),
                                "collective",
                                right("waited"),
                                right("blocked"),
                                right("times"),
                                "meanwhile the holder was in"};
    if (cutOff)
        columns.push_back(right("until the run's end"));
    Table table(columns);
    for (std::size_t i = 0; i < std::min(cells.size(), kMostRows); ++i) {
        const auto& [key, sums] = cells[i];
        const auto& [waiter, holder, family] = key;
        std::vector<std::string> row{
            fmt::format("rank {}", waiter), fmt::format("rank {}", holder), family,          durationText(sums.waitNs),
            durationText(sums.blockedNs),   formatCount(sums.collectives),  phasesText(sums)};
        if (cutOff)
            row.push_back(sums.untilEndNs > 0 ? durationText(sums.untilEndNs) : "-");
        table.add(std::move(row));
    }
    std::string text = cells.empty() ? std::string() : "\n" + table.text();
    if (cells.size() > kMostRows)
        text += lineOf({"and {} more; --json has all", Count{static_cast<std::int64_t>(cells.size() - kMostRows)}});
    return text;
}

std::string coefficient(const std::optional<double>& value) {
    return value ? fmt::format("{:+.2f}", *value) : "-";
}

std::string lengthsText(const store::WaitReport& r) {
    Table table({right("length with lateness"), right("longest, Pearson"), right("Spearman"), right("padded, Pearson"),
                 right("Spearman"), right("steps")});
    for (std::size_t i = 0; i < std::min(r.lengths.size(), kMostRows); ++i) {
        const auto& l = r.lengths[i];
        table.add({fmt::format("rank {}", l.rank), coefficient(l.framesMax.pearson), coefficient(l.framesMax.spearman),
                   coefficient(l.paddedFrames.pearson), coefficient(l.paddedFrames.spearman),
                   formatCount(l.framesMax.n)});
    }
    return r.lengths.empty() ? std::string() : "\n" + table.text();
}

Duration rounded(double ns) {
    return {static_cast<std::int64_t>(std::llround(ns))};
}

std::string predictionsText(const store::WaitReport& r) {
    const diagnosis::WhatIfResult& p = r.replay;
    if (p.steps == 0 || r.worldSize < 2)
        return {};
    Table table({p.steps == 1 ? Message("1 step replayed") : Message("{} steps replayed", Count{p.steps}),
                 right("takes"), right("gains"), right("")});
    const auto row = [&](const Message& what, double takes, double gains) {
        table.add({console::text(what), durationText(rounded(takes).ns), durationText(rounded(gains).ns),
                   console::text(wholePercent(p.observedNs > 0 ? gains / p.observedNs : 0))});
    };
    table.add({console::text("unchanged"), durationText(rounded(p.observedNs).ns)});
    row("ranks balanced", p.balancedNs, p.gainBalancedNs());
    if (p.lengthSyncs > 0)
        row("without the length sync", p.withoutLengthSyncNs, p.gainWithoutLengthSyncNs());
    std::string text = "\n" + table.text();
    if (p.lengthSyncs > 0)
        text += lineOf({"on average a rank waited {} in the length sync; without it, the rest of this wait would move "
                        "to later collectives",
                        rounded(p.lengthSyncWaitNs)});
    return text;
}

json phasesJson(const WaitSums& sums) {
    json phases = json::object();
    for (std::size_t p = 0; p < diagnosis::kPhaseCount; ++p)
        if (sums.phaseNs[p] != 0)
            phases[std::string(phaseName(static_cast<Phase>(p)))] = sums.phaseNs[p];
    return phases;
}

json sumsJson(const WaitSums& sums) {
    return {{"wait_ns", sums.waitNs},
            {"blocked_ns", sums.blockedNs},
            {"overlapped_ns", sums.waitNs - sums.blockedNs},
            {"estimated_ns", sums.estimatedNs},
            {"until_end_ns", sums.untilEndNs},
            {"collectives", sums.collectives},
            {"holder_phases_ns", phasesJson(sums)}};
}

json correlationJson(const diagnosis::Correlation& c) {
    return {{"pearson", c.pearson ? json(*c.pearson) : json()},
            {"spearman", c.spearman ? json(*c.spearman) : json()},
            {"n", c.n},
            {"ranked", c.ranked}};
}

json replayJson(const diagnosis::WhatIfResult& p) {
    json ranks = json::array();
    for (std::size_t r = 0; r < p.ranks.size(); ++r)
        ranks.push_back({{"rank", r},
                         {"own_ns", p.ranks[r].ownNs},
                         {"wait_ns", p.ranks[r].waitNs},
                         {"transfer_ns", p.ranks[r].transferNs}});
    json without; // null: there was no length sync
    if (p.lengthSyncs > 0)
        without = {{"takes_ns", p.withoutLengthSyncNs},
                   {"gains_ns", p.gainWithoutLengthSyncNs()},
                   {"waited_there_ns", p.lengthSyncWaitNs}};
    return {{"steps", p.steps},
            {"first_step", p.firstStep},
            {"last_step", p.lastStep},
            {"observed_ns", p.observedNs},
            {"balanced", {{"takes_ns", p.balancedNs}, {"gains_ns", p.gainBalancedNs()}}},
            {"without_length_sync", without},
            {"ranks", ranks}};
}

} // namespace

std::string waitsText(const store::WaitReport& r) {
    if (r.steps.count() == 0)
        return lineOf("no steps");
    return headerText(r) + "\n" + rankingText(r) + matrixText(r) + lengthsText(r) + predictionsText(r);
}

json waitsJson(const store::WaitReport& r) {
    json matrix = json::array(), ranking = json::array(), lengths = json::array();
    for (const auto& [key, sums] : r.matrix.cells()) {
        json cell = sumsJson(sums);
        cell["waiter"] = std::get<0>(key);
        cell["holder"] = std::get<1>(key);
        cell["tag"] = std::get<2>(key);
        matrix.push_back(std::move(cell));
    }
    for (const auto& cost : r.matrix.ranking()) {
        json holder = sumsJson(cost.sums);
        holder["rank"] = cost.rank;
        holder["mostly_phase"] = phaseName(cost.sums.mostly());
        holder["mostly_tag"] = cost.family;
        ranking.push_back(std::move(holder));
    }
    for (const auto& l : r.lengths)
        lengths.push_back({{"rank", l.rank},
                           {"frames_max", correlationJson(l.framesMax)},
                           {"padded_frames", correlationJson(l.paddedFrames)}});
    json report{{"world_size", r.worldSize},
                {"first_step", r.steps.first},
                {"last_step", r.steps.last},
                {"steps", r.steps.count()},
                {"single_steps", r.singleSteps},
                {"estimates_are_sums", r.estimatesAreSums},
                {"begin_ns", r.beginNs},
                {"end_ns", r.endNs},
                {"paused_ns", r.pausedNs},
                {"lost_ns", r.lostNs()},
                {"total", sumsJson(r.matrix.total())},
                {"matrix", std::move(matrix)},
                {"ranking", std::move(ranking)},
                {"length_lateness", std::move(lengths)}};
    report["prediction"] = r.replay.steps > 0 && r.worldSize > 1 ? replayJson(r.replay) : json();
    return report;
}

} // namespace rankscope::ctl
