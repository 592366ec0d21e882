// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/series_tags.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::exchange {

using store::Metric;

static bool isTime(const store::MetricInfo& info) {
    return std::string_view(info.column).ends_with("_ns");
}

std::string tagOf(Metric metric) {
    const auto& info = store::info(metric);
    std::string name = info.column;
    if (isTime(info))
        name.replace(name.size() - 2, 2, "s");
    if (metric == Metric::WaitTotal)
        return "wait/all_s";
    if (metric == Metric::ExposedWait)
        return "wait/exposed_s";
    if (metric == Metric::StepTime)
        return "train/step_time_s";
    if (metric > Metric::WaitTotal && metric < Metric::ExposedWait)
        return "wait/" + name.substr(std::string_view("wait_").size());
    if (metric > Metric::ExposedWait)
        return "phase/" + name;
    return (metric >= Metric::BatchSize && metric <= Metric::PaddingShare ? "batch/" : "train/") + name;
}

double tagScale(Metric metric) {
    return isTime(store::info(metric)) ? 1e-9 : 1;
}

std::optional<KnownTag> knownTag(std::string_view tag) {
    static constexpr std::array<std::pair<std::string_view, Metric>, 20> kForeign{{
        {"train_loss", Metric::Loss},
        {"train_loss_step", Metric::Loss},
        {"training_loss", Metric::Loss},
        {"loss", Metric::Loss},
        {"loss_step", Metric::Loss},
        {"loss/train", Metric::Loss},
        {"train/train_loss", Metric::Loss},
        {"reduced_train_loss", Metric::Loss},
        {"learning_rate", Metric::LearningRate},
        {"lr", Metric::LearningRate},
        {"train/lr", Metric::LearningRate},
        {"grad_norm", Metric::GradientNorm},
        {"gradient_norm", Metric::GradientNorm},
        {"train/grad_norm", Metric::GradientNorm},
        {"grad_2.0_norm_total", Metric::GradientNorm},
        {"batch_size", Metric::BatchSize},
        {"train/batch_size", Metric::BatchSize},
        {"train_step_timing in s", Metric::StepTime}, // NeMo's TimingCallback
        {"train_backward_timing in s", Metric::Backward},
        {"masked_frames", Metric::MaskedFrames},
    }};
    static constexpr std::array<std::string_view, 7> kValidation{
        kValidationTag, "val_loss", "validation_loss", "valid_loss", "valid/loss", "validation/loss", "loss/val"};
    for (const auto& info : store::metrics())
        if (tag == tagOf(info.metric))
            return KnownTag{KnownTag::TagMeaning::Metric, info.metric, isTime(info) ? 1e9 : 1};
    for (const auto& [name, metric] : kForeign)
        if (tag == name)
            return KnownTag{KnownTag::TagMeaning::Metric, metric, isTime(store::info(metric)) ? 1e9 : 1};
    if (std::find(kValidation.begin(), kValidation.end(), tag) != kValidation.end())
        return KnownTag{KnownTag::TagMeaning::Validation};
    if (tag == "epoch" || tag == "train/epoch")
        return KnownTag{KnownTag::TagMeaning::Epoch};
    // Lightning's LearningRateMonitor: lr-AdamW, or lr-AdamW/pg1, … with several groups
    if (tag.starts_with("lr-") && (tag.find('/') == std::string_view::npos || tag.ends_with("/pg1")))
        return KnownTag{KnownTag::TagMeaning::Metric, Metric::LearningRate};
    return std::nullopt;
}

} // namespace rankscope::exchange
