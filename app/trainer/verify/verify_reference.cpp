// SPDX-License-Identifier: Apache-2.0
#include "app/trainer/verify/verify_reference.h"

#include "core/base/values/result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rankscope::trainer {
namespace {

constexpr std::size_t kMaxSteps = 10000;

template <class Number>
Result<std::vector<Number>> listOf(const SafeTensors& file, const char* key, const std::string& path) {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end())
        return fail(Errc::BadInput, fmt::format("metadata {} is missing: this is no NeMo reference", key), path);
    if (found->second.find("NaN") != std::string::npos)
        return fail(
            Errc::BadInput,
            fmt::format("metadata {} holds NaN: in a step of it no frame is masked; make it of longer audio", key),
            path);
    const auto list = nlohmann::json::parse(found->second, nullptr, false);
    std::vector<Number> out;
    if (list.is_array())
        for (const auto& item : list)
            if (item.is_number())
                out.push_back(item.get<Number>());
    if (!list.is_array() || out.size() != list.size() || out.empty() || out.size() > kMaxSteps)
        return fail(Errc::Malformed, fmt::format("metadata {} is no list of numbers", key), path);
    return out;
}

Result<void> require(const SafeTensors& file, const std::vector<std::string>& names, const std::string& path) {
    for (const auto& name : names)
        if (!file.find(name).defined())
            return fail(Errc::BadInput, fmt::format("tensor {} is missing: this is no NeMo reference", name), path);
    return {};
}

/// Audio [B, T] with lengths [B] between 1 and T.
Result<void> checkSignal(const torch::Tensor& audio, const torch::Tensor& len, const char* name,
                         const std::string& path) {
    if (audio.dim() != 2 || audio.scalar_type() != torch::kFloat32 || audio.numel() == 0)
        return fail(Errc::Malformed, fmt::format("tensor {} is no float32 audio [batch, samples]", name), path);
    if (len.dim() != 1 || len.scalar_type() != torch::kInt64 || len.numel() != audio.size(0))
        return fail(Errc::Malformed, fmt::format("tensor {}_len is no list of {} lengths", name, audio.size(0)), path);
    if (len.min().item<std::int64_t>() < 1 || len.max().item<std::int64_t>() > audio.size(1))
        return fail(Errc::Malformed, fmt::format("tensor {}_len has a length outside the audio", name), path);
    return {};
}

} // namespace

Result<Reference> readReference(const std::string& path) {
    RS_TRY_ASSIGN(auto file, readSafetensors(path));
    Reference ref{std::move(file), {}, {}, {}, {}, {}};
    auto losses = listOf<double>(ref.file, "losses", path);
    RS_TRY_ASSIGN(auto rates, losses ? listOf<double>(ref.file, "lrs", path) : losses);
    RS_TRY_ASSIGN(auto seeds, listOf<std::uint64_t>(ref.file, "seeds", path));
    if (losses->size() != seeds.size() || rates.size() != seeds.size())
        return fail(Errc::Malformed, "metadata losses, lrs and seeds have different lengths", path);
    ref.losses = *losses;
    ref.rates = rates;
    ref.seeds = seeds;
    if (const auto nemo = ref.file.metadata.find("nemo"); nemo != ref.file.metadata.end())
        ref.nemo = nemo->second;

    std::vector<std::string> names{"in.audio",        "in.audio_len",  "in.noisy_audio",  "in.noisy_audio_len",
                                   "out.mel",         "out.mel_len",   "out.noisy_mel",   "out.noisy_mel_len",
                                   "out.tokens",      "out.log_probs", "out.encoded_len", "eval.log_probs",
                                   "eval.encoded_len"};
    for (std::size_t i = 0; i < ref.steps(); ++i)
        names.push_back(Reference::maskName(i));
    RS_TRY(require(ref.file, names, path));
    ref.input = {ref.file.find("in.audio"), ref.file.find("in.audio_len"), ref.file.find("in.noisy_audio"),
                 ref.file.find("in.noisy_audio_len")};
    RS_TRY(checkSignal(ref.input.audio, ref.input.audioLen, "in.audio", path));
    RS_TRY(checkSignal(ref.input.noisy, ref.input.noisyLen, "in.noisy_audio", path));
    if (ref.input.audio.sizes() != ref.input.noisy.sizes())
        return fail(Errc::Malformed, "tensors in.audio and in.noisy_audio differ in shape", path);
    return ref;
}

} // namespace rankscope::trainer
