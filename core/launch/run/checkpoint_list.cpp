// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/checkpoint_list.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/result.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/trainer/formats/archives/nemo_steps.h"
#include "core/trainer/formats/archives/weights_file.h"
#include "core/trainer/formats/tensors/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

namespace rankscope::launch {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kLastName = "last.safetensors";

struct FileFacts {
    std::uint64_t bytes = 0;
    std::int64_t writtenRealtimeNs = 0;
    std::pair<dev_t, ino_t> identity{};
};

std::optional<FileFacts> schemaOf(const GuardedFolder& folder, const std::string& name) {
    const auto file = folder.openFile(name);
    struct stat status {};
    if (!file || ::fstat(file->fd.get(), &status) != 0)
        return std::nullopt;
    return FileFacts{file->bytes,
                     static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec,
                     {status.st_dev, status.st_ino}};
}

/// Returns the steps that a .nemo gives; -1: none.
std::int64_t modelSteps(const GuardedFolder& folder, const std::string& name) {
    const auto file = folder.openFile(name);
    return file ? trainer::stepsOfNemo(file->fd.get()).value_or(-1) : -1;
}

/// Metrics are stored as text because JSON has neither NaN nor infinity.
std::map<std::string, double> metricsIn(const json& object) {
    std::map<std::string, double> metrics;
    const auto found = object.find("metrics");
    if (found == object.end() || !found->is_object())
        return metrics;
    for (const auto& [name, value] : found->items()) {
        if (!value.is_string())
            continue;
        const auto& text = value.get_ref<const std::string&>();
        double number = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc())
            metrics[name] = number;
    }
    return metrics;
}

/// Older versions did not check the weights and wrote them even if they were NaN; the loss was NaN in that case.
bool mayBeNotFinite(const json& state, const std::map<std::string, double>& metrics) {
    const auto extras = state.find("extras");
    const bool known = extras != state.end() && textIn(*extras, trainer::kWeightsKey) == trainer::kFiniteWeights;
    const auto loss = metrics.find("train_loss");
    return !known && loss != metrics.end() && !std::isfinite(loss->second);
}

void readHeader(const fs::path& path, CheckpointFile& file) {
    const auto header = trainer::openSafetensors(path);
    if (!header) {
        file.problem = header.error().what.english();
        return;
    }
    const auto format = header->metadata.find("format"), state = header->metadata.find("state");
    if (format == header->metadata.end() || format->second != trainer::kTrainStateFormat) {
        file.problem = "contains only weights: training cannot resume from it";
        return;
    }
    const json object =
        state == header->metadata.end() ? json() : json::parse(state->second, nullptr, /*allow_exceptions=*/false);
    if (object.is_object())
        file.steps = intOr(object, "step", -1);
    if (file.steps < 0) {
        file.problem = "does not say after which step it was made";
        return;
    }
    file.epoch = intOr(object, "epoch", -1);
    file.metrics = metricsIn(object);
    if (mayBeNotFinite(object, file.metrics))
        file.problem = "its weights are not finite";
}

/// A file that has two names is listed once, under the more specific name.
void mergeLast(std::vector<std::pair<CheckpointFile, FileFacts>>& files) {
    const auto last = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.first.name == kLastName; });
    if (last == files.end())
        return;
    last->first.last = true;
    const auto twin = std::find_if(files.begin(), files.end(), [&](const auto& f) {
        const bool copied = f.first.steps >= 0 && f.first.steps == last->first.steps &&
                            f.second.bytes == last->second.bytes && f.first.metrics == last->first.metrics;
        return f.first.name != kLastName && (f.second.identity == last->second.identity || copied);
    });
    if (twin == files.end())
        return;
    twin->first.last = true;
    files.erase(last);
}

void markBest(RunCheckpoints& checkpoints, bool larger) {
    CheckpointFile* best = nullptr;
    double bestValue = std::numeric_limits<double>::quiet_NaN();
    for (CheckpointFile& file : checkpoints.files) {
        const auto metric = file.metrics.find(checkpoints.monitor);
        if (!file.problem.empty() || metric == file.metrics.end() || std::isnan(metric->second))
            continue;
        if (!best || (larger ? metric->second > bestValue : metric->second < bestValue)) {
            best = &file;
            bestValue = metric->second;
        }
    }
    if (best)
        best->best = true;
}

} // namespace

Result<RunCheckpoints> listCheckpoints(const RunPaths& run) {
    RunCheckpoints found;
    std::error_code ec;
    if (!fs::exists(run.checkpoints(), ec))
        return found;
    RS_TRY_ASSIGN(const auto folder, GuardedFolder::open(run.checkpoints(), GuardedFolder::Checkpoints));
    std::vector<std::pair<CheckpointFile, FileFacts>> files;
    for (const std::string& name : folder.names(ec)) {
        const bool model = name.ends_with(".nemo") && !name.starts_with('.');
        if (!model && !isCheckpointName(name))
            continue;
        const auto facts = schemaOf(folder, name);
        if (!facts)
            continue; // a link, a folder, or removed meanwhile
        if (model) {
            found.models.push_back({name, facts->bytes, facts->writtenRealtimeNs, modelSteps(folder, name)});
            continue;
        }
        CheckpointFile file;
        file.name = name;
        file.bytes = facts->bytes;
        file.writtenRealtimeNs = facts->writtenRealtimeNs;
        readHeader(run.checkpoints() / name, file);
        files.emplace_back(std::move(file), *facts);
    }
    if (ec)
        return tl::unexpected(systemError("list", run.checkpoints().string(), ec.value()));
    mergeLast(files);
    for (auto& [file, facts] : files)
        found.files.push_back(std::move(file));
    std::sort(found.files.begin(), found.files.end(), [](const CheckpointFile& a, const CheckpointFile& b) {
        return std::tie(a.steps, a.writtenRealtimeNs, a.name) > std::tie(b.steps, b.writtenRealtimeNs, b.name);
    });
    std::sort(found.models.begin(), found.models.end(), [](const ModelFile& a, const ModelFile& b) {
        return std::tie(a.writtenRealtimeNs, a.name) > std::tie(b.writtenRealtimeNs, b.name);
    });
    const auto text = readRunFile(run.effective());
    const auto recipe = text ? config::readCheckpointRecipe(*text, run.effective().string())
                             : Result<config::CheckpointRecipe>(tl::unexpected(text.error()));
    // NeMo's default if the recipe cannot be read; if a recipe monitors nothing, no checkpoint is the best
    found.monitor = recipe ? recipe->checkpoint.monitor : "val_loss";
    markBest(found, recipe && recipe->checkpoint.larger);
    return found;
}

const CheckpointFile* newestUsable(const RunCheckpoints& checkpoints) {
    const auto usable = std::find_if(checkpoints.files.begin(), checkpoints.files.end(),
                                     [](const CheckpointFile& f) { return f.problem.empty(); });
    return usable == checkpoints.files.end() ? nullptr : &*usable;
}

} // namespace rankscope::launch
