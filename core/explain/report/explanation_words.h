// SPDX-License-Identifier: Apache-2.0
// Words and cells that the text and the page have in common.
#pragma once

#include "core/explain/model/explanation.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

Message certaintyWord(Certainty certainty); ///< "seen", "follows", "likely"
Message presenceWord(RankRow::Presence presence);

/// Names for programs: "mismatch", "rank_missing", …
std::string_view certaintyName(Certainty certainty);
std::string_view presenceName(RankRow::Presence presence);
std::string_view verdictName(Verdict verdict);

/// Returns "train.log:120"; a dump has no line.
std::string placeText(const Place& place);
/// Returns up to three places: "a.log:1, 5, b.log:7".
std::string placesText(const std::vector<Place>& places);

/// Returns how a rank's wait ended or when it began: "10 min 0 s", "since 2026-11-25 11:07:52 UTC", or "-".
Message waitText(const RankRow& row);

/// Returns where a rank was seen: the line of the program if a dump has it, else that of the log; "-" if nowhere.
std::string seenAt(const RankRow& row);

/// Returns the action with its setting: "drop the last batch: model.train_ds.drop_last=true".
Message actionText(const Action& action);

/// Returns the rows to show, at most `most`: ranks that do not merely wait come first, then by rank.
std::vector<const RankRow*> rowsToShow(const Explanation& explanation, std::size_t most);

/// Returns "NeMo, nest_large.yaml"; empty if the name rests on the form of the number.
std::string sourceOf(const NamedCollective& name);

} // namespace rankscope::explain
