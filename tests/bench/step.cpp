// SPDX-License-Identifier: Apache-2.0
// A whole training step of the NEST model on this CPU, phase by phase: what tools like NeMo's are compared with.
//
//   bench_step [--batch 8] [--seconds 5] [--threads 1] [--steps 6] [--json] [-o model.encoder.dropout=0 ...]
//
// The work is that of a training run: dither, masking and dropout of the recipe, forward, loss, backward, AdamW. With
// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set it is one rank of several. compare_nemo.py sets it beside NeMo.
#include "core/base/memory.h"
#include "tests/bench/step_run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace rankscope;
using namespace rankscope::bench;

namespace {

void printJson(const StepOptions& o, const StepResult& r) {
    fmt::print("{{\"params\": {}, \"batch\": {}, \"seconds\": {}, \"threads\": {}, \"d_model\": {}, \"layers\": {}, "
               "\"ranks\": {}",
               r.parameters, o.batch, o.seconds, o.threads, o.dModel, o.layers, r.ranks);
    for (std::size_t i = 0; i < kPhases.size(); ++i)
        fmt::print(", \"{}\": {:.1f}", kPhases[i], r.median(i));
    fmt::print(", \"peak_rss_mib\": {:.0f}, \"first_loss\": {:.6f}, \"last_loss\": {:.6f}}}\n", r.peakMiB,
               r.losses.front(), r.losses.back());
}

void printTable(const StepOptions& o, const StepResult& r) {
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

int run(const StepOptions& options, bool json) {
    const auto result = runSteps(options);
    if (!result) {
        fmt::print(stderr, "bench_step: {}\n", result.error().message());
        return 2;
    }
    if (result->rank == 0)
        json ? printJson(options, *result) : printTable(options, *result);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    keepFreedMemory(); // as rankscope-trainer does
    StepOptions o;
    bool json = false, scaling = false;
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
    app.add_option("-o,--override", o.overrides, "key=value of the recipe");
    app.add_flag("--scaling", scaling,
                 "Of several ranks: rank 0's step alone, beside the others, and with the exchange");
    app.add_flag("--json", json, "One line of JSON instead of a table");
    CLI11_PARSE(app, argc, argv);
    int code = 3;
    try {
        code = scaling ? scale(o) : run(o, json);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_step: {}\n", error.what());
    }
    std::fflush(nullptr);
    std::_Exit(code); // threads of a process group may still run
}
