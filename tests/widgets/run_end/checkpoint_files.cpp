// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/run_end/checkpoint_files.h"

#include "core/trainer/formats/archives/nemo_steps.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace rankscope::test {

void writeCheckpoint(const launch::RunPaths& run, const std::string& name, std::int64_t steps,
                     const std::string& valLoss, const std::string& trainLoss) {
    std::filesystem::create_directories(run.checkpoints());
    nlohmann::json state{{"step", steps}, {"epoch", steps / 5}, {"metrics", nlohmann::json::object()}};
    if (!valLoss.empty())
        state["metrics"]["val_loss"] = valLoss;
    if (!trainLoss.empty())
        state["metrics"]["train_loss"] = trainLoss;
    const nlohmann::json header{
        {"__metadata__", {{"format", "rankscope-train-state"}, {"version", "1"}, {"state", state.dump()}}},
        {"model.x", {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}}}};
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const auto size = static_cast<std::uint64_t>(text.size());
    std::ofstream file(run.checkpoints() / name, std::ios::binary);
    for (int byte = 0; byte < 8; ++byte)
        file.put(static_cast<char>(size >> (8 * byte) & 0xff));
    file << text << std::string(4, '\0');
}

void writeModelFile(const launch::RunPaths& run, const std::string& name, std::int64_t steps) {
    std::filesystem::create_directories(run.checkpoints());
    std::string bytes(2048, 'x');
    if (steps > 0) { // as the header of a tar's first member and its content begin
        bytes.replace(0, 512, "./model_config.yaml" + std::string(512 - 19, '\0'));
        const std::string line = trainer::nemoStepsLine(steps);
        bytes.replace(512, line.size(), line);
    }
    std::ofstream(run.checkpoints() / name, std::ios::binary) << bytes;
}

void writeEffective(const launch::RunPaths& run) {
    std::ofstream(run.effective()) << "name: synthetic\nmodel:\n  sample_rate: 16000\nexp_manager:\n"
                                      "  checkpoint_callback_params:\n    monitor: val_loss\n    mode: min\n";
}

} // namespace rankscope::test
