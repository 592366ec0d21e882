// SPDX-License-Identifier: Apache-2.0
#include "app/trainer/weights/weights_commands.h"

#include "core/base/files/file.h"
#include "core/base/console/console.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/checkpoint/weights.h"
#include "core/trainer/ssl/nest_model.h"
#include "core/trainer/tensor_files/nemo_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <optional>

namespace rankscope::trainer {
namespace {

constexpr int kDone = 0, kBadInput = 2, kFailed = 3;

int complain(const char* command, const Error& error, int code) {
    console::sayError({"{}: {}", command, error.message(console::errorLanguage())});
    return code;
}

std::string typeName(const torch::Tensor& tensor) {
    std::string name = c10::toString(tensor.scalar_type()); // "Float", "BFloat16"
    const std::pair<const char*, const char*> known[] = {
        {"Float", "float32"}, {"Double", "float64"}, {"Half", "float16"}, {"BFloat16", "bfloat16"}, {"Long", "int64"},
        {"Int", "int32"},     {"Short", "int16"},    {"Char", "int8"},    {"Byte", "uint8"},        {"Bool", "bool"}};
    for (const auto& [torchName, shown] : known)
        if (name == torchName)
            return shown;
    return name;
}

std::string shapeText(const torch::Tensor& tensor) {
    return fmt::format("[{}]", fmt::join(tensor.sizes().vec(), ", "));
}

struct WeightTotals {
    std::int64_t elements = 0, bytes = 0;
};

WeightTotals totalsOf(const StateDict& tensors) {
    WeightTotals t;
    for (const auto& item : tensors) {
        t.elements += item.second.numel();
        t.bytes += static_cast<std::int64_t>(item.second.nbytes());
    }
    return t;
}

std::string hashText(const StateDict& tensors) {
    return fmt::format("{:016x}", weightsHash(tensors));
}

nlohmann::json toJson(const Weights& weights) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [name, tensor] : weights.tensors)
        list.push_back({{"name", name}, {"shape", tensor.sizes().vec()}, {"dtype", typeName(tensor)}});
    const WeightTotals totals = totalsOf(weights.tensors);
    return {{"format", formatName(weights.format)},
            {"tensors", list},
            {"elements", totals.elements},
            {"bytes", totals.bytes},
            {"hash", hashText(weights.tensors)}};
}

void printTable(const Weights& weights) {
    const std::string tensor = console::text("tensor"), shape = console::text("shape"), type = console::text("type");
    std::size_t nameWidth = 6, shapeWidth = 5; // as wide as the headers
    for (const auto& [name, values] : weights.tensors) {
        nameWidth = std::max(nameWidth, name.size());
        shapeWidth = std::max(shapeWidth, shapeText(values).size());
    }
    console::print("{:<{}}  {:<{}}  {}\n", tensor, nameWidth, shape, shapeWidth, type);
    for (const auto& [name, values] : weights.tensors)
        console::print("{:<{}}  {:<{}}  {}\n", name, nameWidth, shapeText(values), shapeWidth, typeName(values));
    const WeightTotals totals = totalsOf(weights.tensors);
    console::say({"{}: {} tensors, {} elements, {}, hash {}", formatName(weights.format), weights.tensors.size(),
                  Count{totals.elements}, ByteSize{totals.bytes}, hashText(weights.tensors)});
}

/// Returns the weights in the order and with the types of the recipe's model; an error that names the tensor if they do
/// not fit.
Result<StateDict> asModelHasThem(const StateDict& tensors, const std::string& yaml, const std::string& file,
                                 const std::string& weightsFile) {
    RS_TRY_ASSIGN(const auto recipe, config::readRecipe(yaml, file));
    try {
        NestModel model(recipe.model);
        model->loadStateDict(tensors);
        return model->stateDict();
    } catch (const std::invalid_argument& e) { // a key that is not supported, or a tensor that does not fit
        return fail(Errc::BadInput, {"does not fit {}: {}", file, e.what()}, weightsFile);
    } catch (const c10::Error& e) {
        return fail(Errc::BadInput, {"does not fit {}: {}", file, e.what_without_backtrace()}, weightsFile);
    }
}

struct WeightsSource {
    std::string text, name;
};

/// Returns the recipe to use: the given one, else, to write a .nemo, the one inside the input; none if there is none.
Result<std::optional<WeightsSource>> configOf(const Weights& weights, const std::string& in, const std::string& given,
                                              WeightsFormat to) {
    if (!given.empty()) {
        RS_TRY_ASSIGN(auto text, readFile(given));
        return WeightsSource{std::move(text), given};
    }
    if (to != WeightsFormat::Nemo)
        return std::optional<WeightsSource>();
    if (weights.modelConfig.empty())
        return fail(Errc::BadInput, "a .nemo contains the model's configuration, but this file does not: give --config",
                    in);
    return WeightsSource{weights.modelConfig, in + ":model_config.yaml"};
}

/// Returns the content of the file `out` that `convert` makes from the file `in`.
Result<Weights> convert(const std::string& in, const std::string& out, const std::string& config) {
    RS_TRY_ASSIGN(const auto to, formatOfName(out));
    RS_TRY_ASSIGN(auto weights, readWeights(in));
    RS_TRY_ASSIGN(const auto source, configOf(weights, in, config, to));
    Weights made{std::move(weights.tensors), to, {}};
    if (source) {
        RS_TRY_ASSIGN(made.tensors, asModelHasThem(made.tensors, source->text, source->name, in));
        RS_TRY_ASSIGN(made.modelConfig, nemoModelConfig(source->text, source->name));
    }
    return made;
}

} // namespace

int runWeights(const std::string& file, bool json) {
    const auto weights = readWeights(file);
    if (!weights)
        return complain("weights", weights.error(), kBadInput);
    if (json)
        console::print("{}\n", toJson(*weights).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    else
        printTable(*weights);
    return kDone;
}

int runConvert(const std::string& in, const std::string& out, const std::string& config) {
    const auto made = convert(in, out, config);
    if (!made)
        return complain("convert", made.error(), kBadInput);
    if (const auto written = writeWeights(out, made->format, made->tensors, made->modelConfig); !written)
        return complain("convert", written.error(),
                        written.error().code == Errc::Io || written.error().code == Errc::NoSpace ? kFailed
                                                                                                  : kBadInput);
    console::say({"{}: {} tensors, hash {}", out, made->tensors.size(), hashText(made->tensors)});
    return kDone;
}

} // namespace rankscope::trainer
