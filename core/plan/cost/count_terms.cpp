// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/count_terms.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace rankscope::plan {
namespace {

enum class ModelPart : std::uint8_t {
    Window,
    FilterBank,
    PositionTable,
    RunningAverages,
    BatchCounters,
    Layers,
    SubSampling,
    MaskEmbedding,
    Codebooks,
    Projection,
    Decoder,
    Other,
};

ModelPart partOf(std::string_view name) {
    static constexpr std::pair<std::string_view, ModelPart> kEnds[] = {
        {"featurizer.window", ModelPart::Window},         {"featurizer.fb", ModelPart::FilterBank},
        {"pos_enc.pe", ModelPart::PositionTable},         {".running_mean", ModelPart::RunningAverages},
        {".running_var", ModelPart::RunningAverages},     {".num_batches_tracked", ModelPart::BatchCounters},
        {"mask_embedding", ModelPart::MaskEmbedding},     {"quantizer.codebooks", ModelPart::Codebooks},
        {"quantizer.proj.weight", ModelPart::Projection},
    };
    static constexpr std::pair<std::string_view, ModelPart> kBegins[] = {
        {"encoder.layers.", ModelPart::Layers},
        {"encoder.pre_encode.", ModelPart::SubSampling},
        {"decoder.", ModelPart::Decoder},
    };
    for (const auto& [end, part] : kEnds)
        if (name.ends_with(end))
            return part;
    for (const auto& [begin, part] : kBegins)
        if (name.starts_with(begin))
            return part;
    return ModelPart::Other;
}

/// Returns the number in "encoder.layers.12.norm_out.weight".
int layerOf(std::string_view name) {
    int layer = 0;
    name.remove_prefix(std::min(name.size(), std::string_view("encoder.layers.").size()));
    std::from_chars(name.data(), name.data() + name.size(), layer);
    return layer;
}

struct PartSum {
    ModelPart part = ModelPart::Other;
    std::int64_t elements = 0, tensors = 0;
    int firstLayer = 0, lastLayer = 0;
    const TensorShape* shape = nullptr; ///< of the first tensor
};

Message layersText(const PartSum& sum) {
    return sum.firstLayer == sum.lastLayer ? Message("encoder layer {}", sum.firstLayer)
                                           : Message("encoder layers {} to {}", sum.firstLayer, sum.lastLayer);
}

/// Returns the sizes of a tensor without those that are 1.
std::vector<std::int64_t> factorsOf(const TensorShape& tensor) {
    std::vector<std::int64_t> factors;
    std::ranges::copy_if(tensor.shape, std::back_inserter(factors), [](std::int64_t size) { return size != 1; });
    return factors.empty() ? std::vector<std::int64_t>{1} : factors;
}

CountTerm termOf(const PartSum& sum) {
    switch (sum.part) {
    case ModelPart::Window:
        return {factorsOf(*sum.shape), "window"};
    case ModelPart::FilterBank:
        return {factorsOf(*sum.shape), "mel filter bank"};
    case ModelPart::PositionTable:
        return {factorsOf(*sum.shape), "position table"};
    case ModelPart::RunningAverages:
        return {{sum.tensors / 2, 2, sum.shape->count()}, "running mean and variance of the batch norms"};
    case ModelPart::BatchCounters:
        return {{sum.tensors}, "batch counters of the batch norms"};
    case ModelPart::Layers:
        return {{sum.elements}, layersText(sum)};
    case ModelPart::SubSampling:
        return {{sum.elements}, "sub-sampling"};
    case ModelPart::MaskEmbedding:
        return {{sum.elements}, "mask embedding"};
    case ModelPart::Codebooks:
        return {factorsOf(*sum.shape), "codebooks"};
    case ModelPart::Projection:
        return {factorsOf(*sum.shape), "random projection"};
    case ModelPart::Decoder:
        return {{sum.elements}, "decoder"};
    case ModelPart::Other:
        break;
    }
    return {{sum.elements}, "other tensors"};
}

} // namespace

std::vector<CountTerm> countTerms(const std::vector<TensorShape>& shapes, const std::vector<std::size_t>& tensors) {
    std::vector<PartSum> sums;
    for (const std::size_t place : tensors) {
        const TensorShape& tensor = shapes[place];
        const ModelPart part = partOf(tensor.name);
        const int layer = layerOf(tensor.name);
        auto sum = std::ranges::find(sums, part, &PartSum::part);
        if (sum == sums.end())
            sum = sums.insert(sums.end(), {part, 0, 0, layer, layer, &tensor});
        sum->elements += tensor.count();
        ++sum->tensors;
        sum->firstLayer = std::min(sum->firstLayer, layer);
        sum->lastLayer = std::max(sum->lastLayer, layer);
    }
    std::vector<CountTerm> terms;
    for (const PartSum& sum : sums)
        terms.push_back(termOf(sum));
    return terms;
}

} // namespace rankscope::plan
