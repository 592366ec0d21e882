// SPDX-License-Identifier: Apache-2.0
// The rules of evidence: from what logs and dumps say to why the run hung.
#pragma once

#include "core/explain/collectives/known_recipes.h"
#include "core/explain/model/explanation.h"

#include <vector>

namespace rankscope::explain {

/// Returns the explanation. Pure: it reads nothing but its arguments. The first of these that is found is the verdict:
/// 1. ranks were in different collectives, or in the same one with different sizes: Mismatch;
/// 2. a rank ended, by its exit status, a signal, an out-of-memory line or its own exception: RankDead.
///    Exceptions of the collective library are consequences;
/// 3. ranks never met: NeverStarted;
/// 4. a rank is proven not to have entered: RankMissing;
/// 5. a rank waits in an earlier collective, or has done fewer batches: RankBehind;
/// 6. all ranks of a group of known size entered: EveryoneInside;
/// 7. otherwise NotEnoughData.
///
/// `recipes`: those by which the collective is named, in the order of preference.
Explanation judge(const HangEvidence& evidence, const std::vector<RecipeCollectives>& recipes);

} // namespace rankscope::explain
