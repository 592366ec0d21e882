// SPDX-License-Identifier: Apache-2.0
// Why a run hung, as far as its logs and dumps prove it. explain/verdict makes it; explain/report shows it.
#pragma once

#include "core/base/text/message.h"
#include "core/explain/model/hang_evidence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::explain {

/// How a sentence is known.
enum class Certainty : std::uint8_t {
    Seen,    ///< it is written in the input
    Follows, ///< it follows from what was seen, by arithmetic or by the rules of collectives
    Likely,  ///< the usual cause of what was seen
};

struct Statement {
    Certainty certainty = Certainty::Likely;
    Message text;
    std::vector<Place> places; ///< where it was seen; the first few
};

/// What the input says about one rank in the group that hangs.
struct RankRow {
    enum class Presence : std::uint8_t {
        Reports, ///< it says itself in which collective it waits
        Absent,  ///< it exists and did not enter the collective in which the others wait
        Dead,
        Behind,  ///< it waits in an earlier collective than others
        Done,    ///< it completed the collective, or left the group
        Unknown, ///< nothing of it is in the input, or entries were dropped
    } presence = Presence::Unknown;
    int rank = 0;
    std::optional<std::int64_t> lastCompleted; ///< sequence number
    std::optional<CollectiveCall> stuckIn;
    std::optional<std::int64_t> waitedMs; ///< when it was given up
    std::optional<std::int64_t> sinceNs;  ///< realtime, from a dump
    std::vector<Place> places;
};

/// A collective by its name in the recipe, and why its element count says so: "9,999 x 512 + 18 x 2 x 512 + … =
/// 5,158,880".
struct NamedCollective {
    Message name;
    Message arithmetic;
    std::string tag;     ///< plan::PlannedCollective::tag, or "barrier", "object"
    std::string recipe;  ///< whose step it is: a file, or "NeMo's nest_fast-conformer.yaml"
    std::string trainer; ///< "nemo" or "rankscope"
};

/// What can be done about a cause: now, or in the recipe.
struct Action {
    Message text;
    std::string key, value; ///< of the recipe; empty: not a setting
};

struct ProbableCause {
    std::string id; ///< in JSON: "rank_missing"
    Message title;
    std::vector<int> ranks; ///< to look at; empty: not known which
    std::vector<Statement> evidence;
    std::vector<Action> actions;
};

enum class Verdict : std::uint8_t {
    NotEnoughData,
    Mismatch,       ///< ranks were in different collectives or gave different sizes
    RankDead,       ///< a rank ended, and the others waited for it
    RankMissing,    ///< a rank that exists never entered
    RankBehind,     ///< a rank waits in an earlier collective, or has made fewer batches
    EveryoneInside, ///< all ranks entered, and none left
    NeverStarted,   ///< the ranks never met
};

struct Explanation {
    Verdict verdict = Verdict::NotEnoughData;
    Message summary;                    ///< one sentence
    std::vector<RankRow> ranks;         ///< ascending
    std::string group;                  ///< that hangs; empty: the default group
    std::vector<NamedCollective> names; ///< of the collective that hangs, most likely first; empty: not known
    std::vector<ProbableCause> causes;  ///< most likely first
    std::vector<Action> now;
    std::vector<Action> nextTime; ///< to be certain when it happens again
    std::vector<Message> lacking; ///< what the input does not have
    std::vector<InputFile> files;
};

} // namespace rankscope::explain
