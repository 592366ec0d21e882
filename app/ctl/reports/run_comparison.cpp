// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_comparison.h"

#include "app/ctl/reports/words.h"
#include "core/base/console/console.h"
#include "core/base/console/text_table.h"
#include "core/base/text/unit_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::ctl {

using nlohmann::json;

/// Returns the most resident memory of a rank; -1: not known.
static std::int64_t mostMemory(const RunReport& run) {
    std::int64_t most = -1;
    for (const auto& rank : run.memory)
        most = std::max(most, rank.mostRssBytes);
    return most;
}

static std::string trainerOf(const RunReport& run) {
    return !run.info.recipeFrom.empty() ? run.info.recipeFrom
           : run.info.watched()         ? console::text("your own program")
                                        : "Rankscope";
}

static std::string number(double value, int digits) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string figuresText(const RunReport& mine, const RunReport& other) {
    Table table({"", right(mine.info.id), right(other.info.id)});
    const auto row = [&](const Message& title, const auto& figure) {
        table.add({console::text(title), figure(mine), figure(other)});
    };
    row("trainer", trainerOf);
    row("ranks", [](const RunReport& r) { return std::to_string(r.info.worldSize); });
    row("steps", [](const RunReport& r) { return formatCount(r.step() + 1); });
    row("last loss", [](const RunReport& r) { return number(r.figures.lastLoss, 4); });
    row("smallest loss", [](const RunReport& r) { return number(r.figures.bestLoss, 4); });
    row("val_loss", [](const RunReport& r) { return number(r.figures.lastValidation(), 4); });
    row("steps/s", [](const RunReport& r) { return number(r.figures.meanStepsPerSecond, 3); });
    row("lost by waiting for each other", [](const RunReport& r) {
        return r.lost.steps > 0 ? fmt::format("{:.1f} %", 100 * r.lost.share()) : std::string("-");
    });
    row("most memory of a rank", [](const RunReport& r) {
        const std::int64_t most = mostMemory(r);
        return most < 0 ? std::string("-") : formatBytes(most);
    });
    row("incidents", [](const RunReport& r) { return formatCount(static_cast<std::int64_t>(r.incidents.size())); });
    return table.text();
}

static json figuresOf(const RunReport& r) {
    const std::int64_t memory = mostMemory(r);
    return {{"id", r.info.id},
            {"recipe_from", r.info.recipeFrom},
            {"world_size", r.info.worldSize},
            {"steps", r.step() + 1},
            {"last_loss", r.figures.lastLoss}, // non-finite values are null in JSON
            {"best_loss", r.figures.bestLoss},
            {"val_loss", r.figures.lastValidation()},
            {"mean_steps_per_s", r.figures.meanStepsPerSecond},
            {"lost_share", r.lost.steps > 0 ? json(r.lost.share()) : json(nullptr)},
            {"most_rss_bytes", memory < 0 ? json(nullptr) : json(memory)},
            {"incidents", r.incidents.size()}};
}

json figuresJson(const RunReport& mine, const RunReport& other) {
    return {{"mine", figuresOf(mine)}, {"other", figuresOf(other)}};
}

} // namespace rankscope::ctl
