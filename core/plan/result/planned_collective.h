// SPDX-License-Identifier: Apache-2.0
// The collectives of a training run in the order in which each rank calls them, with the number of elements of each
// call and the parts of the model that add up to it. cost/step_collectives.h plans them.
#pragma once

#include "core/base/text/message.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::plan {

/// Whose step is planned: that of NeMo under Lightning's DDPStrategy, or that of rankscope-trainer.
enum class Trainer : std::uint8_t { NeMo, Rankscope };
inline constexpr std::array kTrainers{Trainer::NeMo, Trainer::Rankscope};

/// Returns "nemo" or "rankscope", as in JSON.
constexpr std::string_view trainerName(Trainer trainer) {
    return trainer == Trainer::NeMo ? "nemo" : "rankscope";
}

/// A part of a call's elements: 9,999 x 512 of the position table.
struct CountTerm {
    std::vector<std::int64_t> factors; ///< their product is the number of elements
    Message what;                      ///< "position table"

    std::int64_t count() const;
    friend bool operator==(const CountTerm&, const CountTerm&) = default;
};

struct PlannedCollective {
    /// With accumulate_grad_batches, a step has several batches.
    enum class InBatches : std::uint8_t { First, Every, Last };

    std::string tag;   ///< "broadcast:buffers", "sync_max_audio_length", "gradient"; as in CollectivePlan
    std::string op;    ///< "all-reduce", "all-gather", "broadcast", "barrier"
    std::string phase; ///< "start", "forward", "backward", "step"
    std::string dtype; ///< "float32", "float64", "int64", "int32", …; empty: a barrier
    InBatches when = InBatches::Every;
    std::int64_t calls = 1;            ///< equal ones in a row, in each batch in which it is called
    std::int64_t elements = 0;         ///< of one call, on this rank
    std::int64_t elementsOut = 0;      ///< of an all-gather: of all ranks; otherwise the same as `elements`
    std::vector<CountTerm> terms = {}; ///< which add up to `elements`
    bool blocks = true;                ///< the training thread waits for it inside the phase
    bool certain = true;               ///< false: elements or calls depend on the data or on the order of gradients

    friend bool operator==(const PlannedCollective&, const PlannedCollective&) = default;
};

/// Returns "first_batch", "every_batch" or "last_batch", as in JSON.
std::string_view inBatchesName(PlannedCollective::InBatches when);

/// Everything one trainer exchanges in training; empty lists with one rank.
struct TrainerCollectives {
    Trainer trainer = Trainer::Rankscope;
    Message obstacle;                     ///< why this trainer cannot run such a step; empty: it can
    std::int64_t batches = 1;             ///< of a step (accumulate_grad_batches)
    std::vector<PlannedCollective> start; ///< when DDP takes over the model
    /// Steps in which all gradients are in one bucket: 1; with a static graph 2; with find_unused_parameters 0.
    int oneBucketSteps = 1;
    std::vector<PlannedCollective> firstStep; ///< one of those; only the first has ddp:used_parameters
    std::vector<PlannedCollective> rebuild;   ///< before the step after those: the ranks take rank 0's buckets
    std::vector<PlannedCollective> step;      ///< each later step
    /// Each batch of a validation; with InBatches::First only its first one. In NeMo, the next step after a validation
    /// broadcasts no buffers.
    std::vector<PlannedCollective> validation;
};

/// One kind of collective in a step. Bytes are those that one rank contributes.
struct CollectivePlan {
    std::string tag, op, phase, dtype; ///< as in PlannedCollective
    std::int64_t calls = 0;            ///< in one optimizer step, on each rank
    std::int64_t bytes = 0;            ///< in one optimizer step, on each rank
    bool blocks = false; ///< the training thread waits for it inside the phase; false: overlaps with backward
    bool certain = true; ///< false: depends on the order in which gradients become ready, and may differ by a call
    std::int64_t leastElements = 0, mostElements = 0; ///< of a call
    Message count = {}; ///< where the elements come from; empty if there is one term, or calls differ
};

/// Returns the collectives of a step by tag, operation and type, in the order of the first call of each: from the
/// second step on, as the first one has a single bucket of gradients, whose order defines the later buckets.
std::vector<CollectivePlan> sumByTag(const TrainerCollectives& collectives);

/// Returns elements and where they come from: "9,999 x 512 (position table) + 400 (window) = 5,119,888", or only
/// "4,194,304 (decoder)".
Message countArithmetic(const PlannedCollective& collective);

/// Returns bytes of an element of such a type; 0 if the name is unknown or empty.
int elementBytes(std::string_view dtype);

} // namespace rankscope::plan
