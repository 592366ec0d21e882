// SPDX-License-Identifier: Apache-2.0
#include "core/explain/report/explanation_words.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace rankscope::explain {

using Presence = RankRow::Presence;

Message certaintyWord(Certainty certainty) {
    switch (certainty) {
    case Certainty::Seen:
        return "seen";
    case Certainty::Follows:
        return "follows";
    case Certainty::Likely:
        break;
    }
    return "likely";
}

Message presenceWord(Presence presence) {
    switch (presence) {
    case Presence::Reports:
        return "waits";
    case Presence::Absent:
        return "never entered";
    case Presence::Dead:
        return "ended";
    case Presence::Behind:
        return "behind";
    case Presence::Done:
        return "has left it";
    case Presence::Unknown:
        break;
    }
    return "unknown";
}

std::string_view certaintyName(Certainty certainty) {
    return certainty == Certainty::Seen ? "seen" : certainty == Certainty::Follows ? "follows" : "likely";
}

std::string_view presenceName(Presence presence) {
    switch (presence) {
    case Presence::Reports:
        return "reports";
    case Presence::Absent:
        return "absent";
    case Presence::Dead:
        return "dead";
    case Presence::Behind:
        return "behind";
    case Presence::Done:
        return "done";
    case Presence::Unknown:
        break;
    }
    return "unknown";
}

std::string_view verdictName(Verdict verdict) {
    switch (verdict) {
    case Verdict::Mismatch:
        return "mismatch";
    case Verdict::RankDead:
        return "rank_dead";
    case Verdict::RankMissing:
        return "rank_missing";
    case Verdict::RankBehind:
        return "rank_behind";
    case Verdict::EveryoneInside:
        return "everyone_inside";
    case Verdict::NeverStarted:
        return "never_started";
    case Verdict::NotEnoughData:
        break;
    }
    return "not_enough_data";
}

std::string placeText(const Place& place) {
    return place.line > 0 ? fmt::format("{}:{}", place.file, place.line) : place.file;
}

std::string placesText(const std::vector<Place>& places) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(places.size(), 3); ++i) {
        const bool same = i > 0 && places[i].line > 0 && places[i].file == places[i - 1].file;
        text += (text.empty() ? "" : ", ") + (same ? std::to_string(places[i].line) : placeText(places[i]));
    }
    return text;
}

Message waitText(const RankRow& row) {
    constexpr std::int64_t kMsToNs = 1'000'000, kNsToS = 1'000'000'000;
    if (row.waitedMs && *row.waitedMs > 0)
        return {"{}", Duration{std::min(*row.waitedMs, std::numeric_limits<std::int64_t>::max() / kMsToNs) * kMsToNs}};
    constexpr std::int64_t kYear2200 = 7'258'118'400; // a hostile file may say any number
    if (row.sinceNs && *row.sinceNs > 0 && *row.sinceNs / kNsToS < kYear2200)
        return {"since {}",
                fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(*row.sinceNs / kNsToS)))};
    return "-";
}

std::string seenAt(const RankRow& row) {
    if (row.stuckIn && !row.stuckIn->codePlace.empty())
        return row.stuckIn->codePlace;
    return row.places.empty() ? "-" : placeText(row.places.front());
}

Message actionText(const Action& action) {
    if (action.key.empty())
        return action.text;
    return {"{}: {}={}", action.text, action.key, action.value};
}

std::vector<const RankRow*> rowsToShow(const Explanation& explanation, std::size_t most) {
    std::vector<const RankRow*> rows;
    for (const RankRow& row : explanation.ranks)
        rows.push_back(&row);
    if (rows.size() <= most)
        return rows;
    std::stable_partition(rows.begin(), rows.end(),
                          [](const RankRow* row) { return row->presence != Presence::Reports; });
    rows.resize(most);
    return rows;
}

std::string sourceOf(const NamedCollective& name) {
    if (name.recipe.empty())
        return "";
    return (name.trainer == "nemo" ? "NeMo, " : "Rankscope, ") + name.recipe;
}

} // namespace rankscope::explain
