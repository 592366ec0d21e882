// SPDX-License-Identifier: Apache-2.0
#include "core/explain/collectives/collective_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::explain {
namespace {

using plan::CountTerm;
using plan::PlannedCollective;

constexpr std::size_t kMostNames = 4;
constexpr std::int64_t kMostLayers = 64, kLeastWidth = 64, kMostWidth = 4096;
constexpr std::int64_t kDefaultRows = 2 * 5000 - 1; // NeMo's pos_emb_max_len
constexpr std::int64_t kLeastBucket = 1 << 16;      // elements of the smallest all-reduce that is taken for a bucket
constexpr std::int64_t kMostFrames = 1 << 17;       // of a batch for which a position table may have grown: 22 minutes

NamedCollective named(std::string tag, Message name, Message arithmetic) {
    return {std::move(name), std::move(arithmetic), std::move(tag), "", std::string(trainerName(plan::Trainer::NeMo))};
}

Message countedFrom(std::vector<CountTerm> terms) {
    PlannedCollective collective;
    for (const CountTerm& term : terms)
        collective.elements += term.count();
    collective.terms = std::move(terms);
    return countArithmetic(collective);
}

Message lengthSyncName() {
    return "the length sync before the encoder (sync_max_audio_length)";
}

Message buffersName(const PlannedCollective& c) {
    return c.dtype == "int64" ? Message("DDP's broadcast of rank 0's batch norm counters, before a forward")
                              : Message("DDP's broadcast of rank 0's float buffers, before a forward");
}

Message batchNormName(const PlannedCollective& c) {
    return c.op == "all-gather" ? Message("SyncBatchNorm's all-gather of batch statistics, in forward")
                                : Message("SyncBatchNorm's all-reduce of gradient sums, in backward");
}

Message nameAtStart(const PlannedCollective& c) {
    if (c.tag == "ddp:verify_parameters")
        return c.op == "all-gather" ? Message("DDP's count of parameters, which ranks compare at the start")
                                    : Message("DDP's broadcast of the shapes of parameters, at the start");
    return "DDP's broadcast of rank 0's parameters and buffers, at the start";
}

/// Returns the name of any collective but one of gradients.
Message nameOf(const PlannedCollective& c) {
    if (c.phase == "start")
        return nameAtStart(c);
    if (c.tag == "broadcast:buffers")
        return buffersName(c);
    if (c.tag == "sync_max_audio_length")
        return lengthSyncName();
    if (c.tag == "sync_batchnorm")
        return batchNormName(c);
    if (c.tag == "barrier:before_encoder")
        return "the barrier before the encoder";
    if (c.tag == "ddp:bucket_order")
        return "DDP's broadcast of rank 0's buckets of gradients, before the second step";
    if (c.tag == "lightning:max_time" || c.tag == "metrics")
        return "the exchange of the time that has passed, for max_time";
    return "DDP's all-reduce of which parameters were used";
}

/// Returns the arithmetic of an all-gather's result, too: "…; of 4 ranks 2,052".
Message withRanks(Message own, const CollectiveCall& call) {
    const std::int64_t in = *call.elementsIn, out = call.elementsOut.value_or(0);
    if (call.op != CollectiveOp::AllGather || out <= in || out % in != 0)
        return own;
    return {"{}; of {} ranks {}", own, out / in, Count{out}};
}

/// Finds a call among those of recipes.
class RecipeSearch {
public:
    RecipeSearch(const CollectiveCall& call, std::vector<NamedCollective>& names)
        : m_call(call), m_dtype(canonicalType(call.dtype)), m_names(names) {}

    void addExact(const RecipeCollectives& recipe) {
        const plan::TrainerCollectives& all = recipe.collectives;
        for (const auto* list : {&all.step, &all.firstStep, &all.rebuild, &all.validation, &all.start}) {
            const auto buckets = std::ranges::count(*list, "gradient", &PlannedCollective::tag);
            const bool whole = list == &all.firstStep && buckets == 1 && all.oneBucketSteps > 0;
            std::int64_t bucket = 0;
            for (const PlannedCollective& one : *list) {
                const bool isGradient = one.tag == "gradient";
                bucket += isGradient ? 1 : 0;
                if (!isOfKind(one) || (m_call.op != CollectiveOp::Barrier && m_call.elementsIn != one.elements))
                    continue;
                if (isGradient && whole)
                    add(recipe, one, "DDP's all-reduce of all gradients in one bucket, in the first step");
                else if (isGradient)
                    add(recipe, one, {"DDP's all-reduce of gradients, bucket {} of {}", bucket, buckets});
                else
                    add(recipe, one, nameOf(one));
            }
        }
    }

    /// Adds a broadcast of buffers whose position table has grown for a longer batch.
    void addGrown(const RecipeCollectives& recipe) {
        for (const PlannedCollective& one : recipe.collectives.step) {
            if (one.tag != "broadcast:buffers" || !isOfKind(one) || recipe.rowsPerFrame == 0)
                continue;
            PlannedCollective grown = one;
            const auto table = std::ranges::find(grown.terms, Message("position table"), &CountTerm::what);
            if (table == grown.terms.end() || table->factors.size() != 2)
                continue;
            std::int64_t &rows = table->factors[0], width = table->factors[1];
            const std::int64_t perFrame = width * recipe.rowsPerFrame, more = *m_call.elementsIn - one.elements;
            if (more <= 0 || perFrame <= 0 || more % perFrame != 0)
                continue;
            rows += more / width;
            const std::int64_t frames = (rows + recipe.rowsPerFrame - 1) / recipe.rowsPerFrame;
            if (frames > kMostFrames)
                continue;
            grown.elements = *m_call.elementsIn;
            add(recipe, grown,
                {"DDP's broadcast of rank 0's float buffers, before a forward, with a position table that has grown to "
                 "{} frames of a batch",
                 Count{frames}});
        }
    }

private:
    bool isOfKind(const PlannedCollective& one) const {
        return operationName(m_call.op) == one.op && (m_dtype.empty() || one.dtype.empty() || m_dtype == one.dtype);
    }

    void add(const RecipeCollectives& recipe, const PlannedCollective& one, Message name) {
        const std::string trainer(trainerName(recipe.collectives.trainer));
        const auto known = std::ranges::find_if(m_names, [&](const NamedCollective& n) {
            return n.tag == one.tag && n.trainer == trainer && n.name == name;
        });
        if (known != m_names.end()) {
            if (known->recipe != recipe.recipe)
                known->recipe.clear(); // several recipes have it
            return;
        }
        Message arithmetic = one.terms.empty() ? Message() : withRanks(countArithmetic(one), m_call);
        m_names.push_back({std::move(name), std::move(arithmetic), one.tag, recipe.recipe, trainer});
    }

    const CollectiveCall& m_call;
    std::string m_dtype;
    std::vector<NamedCollective>& m_names;
};

/// Adds FastConformer encoders whose buffers have so many elements: d x (9,999 + 2 n) + filter bank + window.
void addBuffersOfConformer(std::vector<NamedCollective>& names, std::int64_t elements) {
    constexpr std::array<std::pair<std::int64_t, std::int64_t>, 5> kFrontEnds{
        {{80, 400}, {128, 400}, {80, 320}, {64, 320}, {64, 400}}}; // mel bands, samples of a window
    constexpr std::int64_t kBins = 257;                            // of an FFT of 512
    for (const auto& [features, window] : kFrontEnds) {
        const std::int64_t rest = elements - features * kBins - window;
        for (std::int64_t layers = 1; rest > 0 && layers <= kMostLayers; ++layers) {
            const std::int64_t rows = kDefaultRows + 2 * layers, width = rest / rows;
            if (rest % rows != 0 || width < kLeastWidth || width > kMostWidth || width % 8 != 0)
                continue;
            names.push_back(named("broadcast:buffers",
                                  {"DDP's broadcast of rank 0's float buffers of a FastConformer with {} layers of "
                                   "width {}, before a forward",
                                   layers, width},
                                  countedFrom({{{window}, "window"},
                                               {{features, kBins}, "mel filter bank"},
                                               {{kDefaultRows, width}, "position table"},
                                               {{layers, 2, width}, "running mean and variance of the batch norms"}})));
        }
    }
}

/// Adds SyncBatchNorm's all-gather: mean and inverse deviation of each channel, and a count.
void addBatchNorm(std::vector<NamedCollective>& names, const CollectiveCall& call) {
    const std::int64_t in = *call.elementsIn, out = call.elementsOut.value_or(0);
    const bool whole = out == 0 || (out > in && out % in == 0);
    if (in < 17 || in % 2 == 0 || in > 2 * kMostWidth * 4 || !whole)
        return;
    const std::int64_t channels = (in - 1) / 2;
    Message own =
        countedFrom({{{2, channels}, "mean and inverse deviation of each channel"}, {{1}, "number of values"}});
    names.push_back(named("sync_batchnorm", {"SyncBatchNorm's all-gather of {} channels, in forward", channels},
                          withRanks(std::move(own), call)));
}

void addOneElement(std::vector<NamedCollective>& names, const CollectiveCall& call) {
    const auto addIfNew = [&](const char* tag, Message name, Message what) {
        if (std::ranges::none_of(names, [&](const NamedCollective& n) { return n.tag == tag; }))
            names.push_back(named(tag, std::move(name), countedFrom({{{1}, std::move(what)}})));
    };
    if (call.op == CollectiveOp::AllReduce) {
        addIfNew("sync_max_audio_length", lengthSyncName(), "length of the longest batch");
        addIfNew("metrics", "a value that is logged with sync_dist=True, or a metric", "a value");
        addIfNew("barrier", "a barrier, which NCCL carries out as an all-reduce", "nothing is read");
    } else if (call.op == CollectiveOp::Broadcast) {
        addIfNew("object", "the size of an object that rank 0 sends, as Lightning does for file names and decisions",
                 "bytes of the object");
    } else if (call.op == CollectiveOp::AllGather) {
        addIfNew("ddp:verify_parameters", "DDP's count of parameters, which ranks compare at the start",
                 "number of parameter tensors");
        addIfNew("object", "the sizes of objects that ranks gather", "bytes of the object");
    }
}

void addByForm(std::vector<NamedCollective>& names, const CollectiveCall& call) {
    const std::int64_t elements = *call.elementsIn;
    if (elements == 1)
        return addOneElement(names, call);
    if (!names.empty())
        return;
    if (call.op == CollectiveOp::Broadcast)
        addBuffersOfConformer(names, elements);
    else if (call.op == CollectiveOp::AllGather)
        addBatchNorm(names, call);
    else if (call.op == CollectiveOp::AllReduce && elements >= kLeastBucket)
        names.push_back(named("gradient", "a bucket of DDP's gradients",
                              {"{} elements, about as many as a bucket of 25 MiB takes", Count{elements}}));
}

} // namespace

std::vector<NamedCollective> nameCollective(const CollectiveCall& call, const std::vector<RecipeCollectives>& recipes) {
    std::vector<NamedCollective> names;
    RecipeSearch search(call, names);
    const bool barrier = call.op == CollectiveOp::Barrier;
    if (!barrier && call.elementsIn.value_or(0) <= 0)
        return names;
    for (const RecipeCollectives& recipe : recipes)
        search.addExact(recipe);
    if (barrier) {
        names.push_back(named("barrier", "a barrier", {}));
    } else {
        // one more frame of the table has as many elements as the batch norm statistics of one more layer
        const bool exact = !names.empty();
        for (const bool known : {false, true}) {
            for (const RecipeCollectives& recipe : recipes)
                if (!exact && recipe.isKnown == known)
                    search.addGrown(recipe);
            if (!known)
                addByForm(names, call);
        }
    }
    names.resize(std::min(names.size(), kMostNames));
    return names;
}

std::string_view operationName(CollectiveOp op) {
    switch (op) {
    case CollectiveOp::AllReduce:
        return "all-reduce";
    case CollectiveOp::Broadcast:
        return "broadcast";
    case CollectiveOp::AllGather:
        return "all-gather";
    case CollectiveOp::ReduceScatter:
        return "reduce-scatter";
    case CollectiveOp::Reduce:
        return "reduce";
    case CollectiveOp::Gather:
        return "gather";
    case CollectiveOp::Scatter:
        return "scatter";
    case CollectiveOp::AllToAll:
        return "all-to-all";
    case CollectiveOp::Barrier:
        return "barrier";
    case CollectiveOp::Send:
        return "send";
    case CollectiveOp::Receive:
        return "receive";
    case CollectiveOp::Unknown:
        break;
    }
    return "collective";
}

std::string canonicalType(std::string_view dtype) {
    for (const std::string_view prefix : {"torch.", "c10::"})
        if (dtype.starts_with(prefix))
            dtype.remove_prefix(prefix.size());
    std::string lower(dtype);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOther{{{"float", "float32"},
                                                                                   {"double", "float64"},
                                                                                   {"half", "float16"},
                                                                                   {"long", "int64"},
                                                                                   {"int", "int32"},
                                                                                   {"byte", "uint8"},
                                                                                   {"char", "int8"}}};
    for (const auto& [written, meant] : kOther)
        if (lower == written)
            return std::string(meant);
    return lower;
}

} // namespace rankscope::explain
