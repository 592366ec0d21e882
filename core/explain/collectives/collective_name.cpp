// SPDX-License-Identifier: Apache-2.0
#include "core/explain/collectives/collective_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::explain {
namespace {

constexpr std::size_t kMostNames = 4;
constexpr std::int64_t kMostLayers = 64, kLeastWidth = 64, kMostWidth = 4096;
constexpr std::int64_t kDefaultRows = 2 * 5000 - 1; // NeMo's pos_emb_max_len
constexpr std::int64_t kLeastBucket = 1 << 16;      // elements of the smallest all-reduce that is taken for a bucket

NamedCollective named(std::string tag, Message name, Message arithmetic) {
    return {std::move(name), std::move(arithmetic), std::move(tag), "", "nemo"};
}

Message equals(const Message& terms, std::int64_t elements) {
    return elements == 1 ? terms : Message("{} = {}", terms, Count{elements});
}

bool fits(const StepCall& step, const CollectiveCall& call) {
    const std::string dtype = canonicalType(call.dtype);
    return step.op == call.op && call.elementsIn == step.elements &&
           (dtype.empty() || step.dtype.empty() || dtype == step.dtype);
}

/// Returns the arithmetic of an all-gather's result, too: "…; of 4 ranks 2,052".
Message withRanks(Message own, const CollectiveCall& call) {
    const std::int64_t in = *call.elementsIn, out = call.elementsOut.value_or(0);
    if (call.op != CollectiveOp::AllGather || out <= in || out % in != 0)
        return own;
    return {"{}; of {} ranks {}", own, out / in, Count{out}};
}

void addFromRecipes(std::vector<NamedCollective>& names, const CollectiveCall& call,
                    const std::vector<RecipeStep>& steps) {
    for (const RecipeStep& step : steps)
        for (const StepCall& one : step.calls) {
            if (!fits(one, call))
                continue;
            const auto known = std::ranges::find_if(names, [&](const NamedCollective& n) {
                return n.tag == one.tag && n.trainer == step.trainer && n.name == one.name;
            });
            if (known != names.end())
                known->recipe = known->recipe == step.recipe ? step.recipe : ""; // several recipes have it
            else
                names.push_back({one.name, withRanks(equals(one.arithmetic, one.elements), call), one.tag, step.recipe,
                                 step.trainer});
        }
}

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
            Message terms("{} x {} (position table)", Count{kDefaultRows}, Count{width});
            terms = plusTerm(terms, {"{} x 2 x {} (batch norm statistics)", Count{layers}, Count{width}});
            terms = plusTerm(terms, {"{} x {} (mel filter bank)", Count{features}, Count{kBins}});
            terms = plusTerm(terms, {"{} (window)", Count{window}});
            names.push_back(named("broadcast:buffers",
                                  {"DDP's broadcast of rank 0's float buffers of a FastConformer with {} layers of "
                                   "width {}, before a forward",
                                   layers, width},
                                  equals(terms, elements)));
        }
    }
}

/// Adds SyncBatchNorm's all-gather: mean and variance of each channel, and a count.
void addBatchNorm(std::vector<NamedCollective>& names, const CollectiveCall& call) {
    const std::int64_t in = *call.elementsIn, out = call.elementsOut.value_or(0);
    const bool whole = out == 0 || (out > in && out % in == 0);
    if (in < 17 || in % 2 == 0 || in > 2 * kMostWidth * 4 || !whole)
        return;
    const std::int64_t channels = (in - 1) / 2;
    const Message own = equals({"2 x {} + 1 (mean and variance of each channel, and a count)", Count{channels}}, in);
    names.push_back(named("sync_batchnorm", {"SyncBatchNorm's all-gather of {} channels, in forward", channels},
                          withRanks(own, call)));
}

void addOneElement(std::vector<NamedCollective>& names, const CollectiveCall& call) {
    if (call.op == CollectiveOp::AllReduce) {
        if (std::ranges::none_of(names, [](const auto& n) { return n.tag == "sync_max_audio_length"; }))
            names.push_back(named("sync_max_audio_length", lengthSyncName(), "1 (the longest input of the batch)"));
        names.push_back(named("metrics", "a value that is logged with sync_dist=True, or a metric", "1 (a value)"));
        names.push_back(named("barrier", "a barrier, which NCCL carries out as an all-reduce", "1 (nothing is read)"));
    } else if (call.op == CollectiveOp::Broadcast) {
        names.push_back(named("object",
                              "the size of an object that rank 0 sends, as Lightning does for file names and "
                              "decisions",
                              "1 (bytes of the object)"));
    } else if (call.op == CollectiveOp::AllGather) {
        names.push_back(named("object", "the sizes of objects that ranks gather, or DDP's count of parameters at start",
                              "1 (a size)"));
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

std::vector<NamedCollective> nameCollective(const CollectiveCall& call, const std::vector<RecipeStep>& steps) {
    std::vector<NamedCollective> names;
    if (call.op == CollectiveOp::Barrier)
        names.push_back(named("barrier", "a barrier", {}));
    if (!call.elementsIn || *call.elementsIn <= 0)
        return names;
    addFromRecipes(names, call, steps);
    addByForm(names, call);
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
