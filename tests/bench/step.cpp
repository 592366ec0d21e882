// SPDX-License-Identifier: Apache-2.0
// Measures a whole training step of the NEST model on this CPU or GPU, phase by phase, for comparison with NeMo.
//
//   bench_step [--batch 8] [--seconds 5] [--threads 1] [--steps 6] [--json] [-o model.encoder.dropout=0 ...]
//   bench_step --device cuda --config configs/nest_large.yaml --recipe-sizes [--tf32] [--kernels 10] --json
//
// A step does the work of a training run: the recipe's dither, masking and dropout, forward, loss, backward, AdamW.
// With RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set it is one rank of several. compare_nemo.py compares it with
// NeMo.
#include "core/base/process/heap_trim.h"
#include "tests/bench/step_run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace rankscope;
using namespace rankscope::bench;

namespace {

double sumMs(const std::vector<KernelTime>& kernels) {
    double all = 0;
    for (const KernelTime& kernel : kernels)
        all += kernel.ms;
    return all;
}

/// Returns "kernels_ms", the sum over all kernels, and "kernels", the longest ones.
std::string kernelsJson(const std::vector<KernelTime>& kernels, std::size_t shown) {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min(shown, kernels.size()); ++i)
        list.push_back({{"name", kernels[i].name}, {"ms", kernels[i].ms}, {"calls", kernels[i].calls}});
    return fmt::format("\"kernels_ms\": {:.3f}, \"kernels\": {}", sumMs(kernels), list.dump());
}

void printKernels(const std::vector<KernelTime>& kernels, std::size_t shown) {
    const double all = sumMs(kernels);
    for (std::size_t i = 0; i < std::min(shown, kernels.size()); ++i)
        fmt::print("  {:5.1f} % {:9.3f} ms {:6} x  {}\n", 100 * kernels[i].ms / all, kernels[i].ms, kernels[i].calls,
                   kernels[i].name);
}

void printJson(const StepOptions& o, const StepResult& r, std::size_t kernelsShown) {
    fmt::print("{{\"params\": {}, \"batch\": {}, \"seconds\": {}, \"threads\": {}, \"ranks\": {}", r.parameters,
               o.batch, o.seconds, o.threads, r.ranks);
    if (o.ownSizes)
        fmt::print(", \"d_model\": {}, \"layers\": {}", o.dModel, o.layers);
    if (o.cuda)
        fmt::print(", \"peak_gpu_mib\": {:.0f}, \"reserved_gpu_mib\": {:.0f}", r.peakGpuMiB, r.reservedGpuMiB);
    if (o.kernels)
        fmt::print(", {}", kernelsJson(r.kernels, kernelsShown));
    for (std::size_t i = 0; i < kPhases.size(); ++i)
        fmt::print(", \"{}\": {:.3f}", kPhases[i], r.median(i));
    fmt::print(", \"peak_rss_mib\": {:.0f}, \"first_loss\": {:.6f}, \"last_loss\": {:.6f}}}\n", r.peakMiB,
               r.losses.front(), r.losses.back());
}

void printTable(const StepOptions& o, const StepResult& r, std::size_t kernelsShown) {
    fmt::print("{} parameters, batch {} x {} s, {} thread(s), {} rank(s): median of {} steps\n", r.parameters, o.batch,
               o.seconds, o.threads, r.ranks, o.steps);
    const double whole = r.median(kPhases.size() - 1);
    for (std::size_t i = 0; i < kPhases.size(); ++i) {
        const auto& all = r.ms[i];
        fmt::print("  {:<13} {:8.1f} ms {:5.1f} %   ({:.1f} to {:.1f})\n", kPhases[i], r.median(i),
                   100 * r.median(i) / whole, *std::min_element(all.begin(), all.end()),
                   *std::max_element(all.begin(), all.end()));
    }
    fmt::print("  loss {:.4f} -> {:.4f}, peak RSS {:.0f} MiB\n", r.losses.front(), r.losses.back(), r.peakMiB);
    if (o.cuda)
        fmt::print("  GPU memory: peak {:.0f} MiB, reserved {:.0f} MiB\n", r.peakGpuMiB, r.reservedGpuMiB);
    printKernels(r.kernels, kernelsShown);
}

int scale(const StepOptions& options) {
    const auto result = runScaling(options);
    if (!result) {
        fmt::print(stderr, "bench_step: {}\n", result.error().message());
        return 2;
    }
    if (result->rank == 0)
        fmt::print("{{\"turns\": {}, \"alone\": {:.1f}, \"apart\": {:.1f}, \"both\": {:.1f}}}\n", result->alone.size(),
                   median(result->alone), median(result->apart), median(result->both));
    return 0;
}

int run(const StepOptions& options, bool json, std::size_t kernelsShown) {
    const auto result = runSteps(options);
    if (!result) {
        fmt::print(stderr, "bench_step: {}\n", result.error().message());
        return 2;
    }
    if (result->rank == 0)
        json ? printJson(options, *result, kernelsShown) : printTable(options, *result, kernelsShown);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    disableTrim(); // as rankscope-trainer does
    StepOptions o;
    bool json = false, scaling = false, recipeSizes = false;
    std::size_t kernelsShown = 0;
    std::string device = "cpu";
    CLI::App app("Times a training step of the NEST model, phase by phase.");
    app.add_option("--config", o.config, "Recipe; the sizes below override it");
    app.add_option("--d-model", o.dModel)->check(CLI::PositiveNumber);
    app.add_option("--layers", o.layers)->check(CLI::PositiveNumber);
    app.add_option("--heads", o.heads)->check(CLI::PositiveNumber);
    app.add_option("--classes", o.classes)->check(CLI::PositiveNumber);
    app.add_option("--threads", o.threads)->check(CLI::PositiveNumber);
    app.add_option("--batch", o.batch)->check(CLI::PositiveNumber);
    app.add_option("--seconds", o.seconds)->check(CLI::PositiveNumber);
    app.add_option("--steps", o.steps, "Steps that count; one more comes before them")->check(CLI::PositiveNumber);
    app.add_flag("--recipe-sizes", recipeSizes, "The recipe's own sizes instead of those above");
    app.add_option("--device", device, "A GPU's times are those of its stream")->check(CLI::IsMember({"cpu", "cuda"}));
    app.add_flag("--tf32", o.tf32, "GPU: products and convolutions of float32 by TF32");
    app.add_option("--kernels", kernelsShown, "GPU: so many of the longest kernels of one more step");
    app.add_option("-o,--override", o.overrides, "key=value of the recipe");
    app.add_flag("--scaling", scaling,
                 "Of several ranks: rank 0's step alone, next to the others, and with the exchange");
    app.add_flag("--json", json, "One line of JSON instead of a table");
    CLI11_PARSE(app, argc, argv);
    o.ownSizes = !recipeSizes;
    o.cuda = device == "cuda";
    o.kernels = kernelsShown > 0;
    int code = 3;
    try {
        code = scaling ? scale(o) : run(o, json, kernelsShown);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_step: {}\n", error.what());
    }
    std::fflush(nullptr);
    std::_Exit(code); // threads of a process group may still run
}
