// SPDX-License-Identifier: Apache-2.0
// rankscope-trainer: one rank. Argument parsing and wiring only.
#include "app/trainer/verify/verify.h"
#include "app/trainer/weights/weights_commands.h"
#include "core/base/console/console.h"
#include "core/base/process/heap_trim.h"
#include "core/base/text/library_versions.h"
#include "core/config/yaml/yaml_parser.h"
#include "core/trainer/data/audio/audio_file.h"
#include "core/trainer/distributed/nccl/nccl_plugin.h"
#include "core/trainer/loop/train.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <CLI/CLI.hpp>
#include <build_version.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Returns the path of the loaded LibTorch, because a machine may have several.
std::string libTorchFile() {
    Dl_info info{};
    const bool found = ::dladdr(reinterpret_cast<void*>(&at::get_num_threads), &info) != 0;
    return found && info.dli_fname ? info.dli_fname : "a file that the loader does not name";
}

std::string version() {
    std::vector<rankscope::LinkedLibrary> linked{{"LibTorch", TORCH_VERSION " (" + libTorchFile() + ")"}};
    const auto nccl = rankscope::trainer::ncclVersion();
    const bool built = nccl || nccl.error().code != rankscope::Errc::NotFound;
    linked.push_back({"NCCL", nccl    ? *nccl
                              : built ? nccl.error().message()
                                      : "not available: no plug-in is installed"});
    linked.push_back(rankscope::config::yamlCppVersion());
    for (auto& library : rankscope::trainer::audioLinked())
        linked.push_back(std::move(library));
    return rankscope::versionText("rankscope-trainer", RANKSCOPE_BUILD, linked);
}

constexpr const char* kRanksMeet = R"(The ranks of one run find each other as those of torchrun do: by RANK, LOCAL_RANK,
WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or, if RANK is not set, by the
variables of srun or mpirun. Without any of these the process trains alone.
SIGTERM and SIGINT end the run after the current step, with the weights saved.

)";

constexpr const char* kExitCodes = R"(Exit codes: 0 done (verify: all within tolerance), 1 verify: not within tolerance,
2 bad input, 3 failed, 4 out of memory.)";

struct CommandLine {
    std::string config, runDir, resume, reference, verifyConfig, weights, nemo, device = "cpu", in, out, outConfig;
    std::string language; ///< only declared for the help: takeLanguage() reads it
    bool json = false;
};

int told(int code) {
    return rankscope::console::exitCode(code, rankscope::trainer::kTrainFailed, "rankscope-trainer");
}

int runVerify(const CommandLine& line) {
    if (line.device == "cuda") { // loads the NCCL plug-in
        const auto gpus = rankscope::trainer::cudaDeviceCount();
        if (!gpus || *gpus == 0) {
            using rankscope::Message;
            const auto language = rankscope::console::errorLanguage();
            rankscope::console::sayError(
                {"verify: {}", gpus ? Message("--device cuda: this process sees no NVIDIA GPU, or no driver for it")
                                    : Message("--device cuda: {}", gpus.error().message(language))});
            return rankscope::trainer::kTrainBadInput;
        }
    }
    return rankscope::trainer::runVerify(line.reference, line.verifyConfig, line.json, line.weights, line.nemo,
                                         line.device);
}

CLI::App* addTrain(CLI::App& app, CommandLine& line) {
    CLI::App* train = app.add_subcommand("train", "Train; started once per rank");
    train
        ->add_option("config,--config", line.config,
                     "The resolved configuration (effective.yaml), as an argument or as --config")
        ->required();
    // torchrun takes --run, even after the program's name, as an abbreviation of its own --run-path
    train->add_option("--run,--run-dir", line.runDir,
                      "Run folder for the board, journal and checkpoints; without it nothing is written");
    train->add_option("--resume", line.resume,
                      "A checkpoint to resume from, or a folder, whose newest complete checkpoint is used");
    return train;
}

void addVerify(CLI::App& app, CommandLine& line) {
    CLI::App* verify = app.add_subcommand("verify", "Compare the model with what NeMo itself computed");
    verify->add_option("reference", line.reference, "REFERENCE.safetensors")->required();
    verify->add_option("config", line.verifyConfig, "The reference's model configuration")->required();
    verify->add_option("--weights", line.weights, "Begin with the weights of this .nemo, .ckpt or .safetensors file");
    verify->add_option("--nemo", line.nemo, "Compute as this version of NeMo: 3.0.0 or 2.7.3")->type_name("VERSION");
    verify->add_option("--device", line.device, "Where to compute; a GPU has wider tolerances")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    verify->add_flag("--json", line.json, "Print JSON instead of a table");
}

CLI::App* addWeights(CLI::App& app, CommandLine& line) {
    CLI::App* weights = app.add_subcommand("weights", "List the tensors of a .nemo, .ckpt or .safetensors file");
    weights->add_option("FILE", line.in)->required();
    weights->add_flag("--json", line.json, "Print JSON instead of a table");
    return weights;
}

CLI::App* addConvert(CLI::App& app, CommandLine& line) {
    CLI::App* convert = app.add_subcommand("convert", "Write weights in another format: .nemo, .ckpt or .safetensors");
    convert->add_option("IN", line.in)->required();
    convert->add_option("OUT", line.out)->required();
    convert->add_option("--config", line.outConfig, "The recipe of the weights");
    return convert;
}

/// Ends the process without running destructors of statics: threads of a broken process group may still run.
[[noreturn]] void leave(int code) {
    std::fflush(nullptr);
    std::_Exit(code);
}

} // namespace

int main(int argc, char** argv) {
    if (const auto taken = rankscope::console::takeLanguage(argc, argv); !taken) {
        rankscope::console::sayError({"rankscope-trainer: {}", taken.error().message()});
        return rankscope::trainer::kTrainBadInput;
    }
    CommandLine line;
    CLI::App app("Trains one rank of a NEST / FastConformer self-supervised run.");
    app.footer(kExitCodes); // also that of each command
    app.set_version_flag("--version", version);
    app.require_subcommand(1);
    app.add_option("--lang", line.language,
                   "Language of reports and errors, en or zh; may be anywhere on the line; default: that of the locale "
                   "on a terminal, English in a pipe or a file")
        ->type_name("LANG");

    CLI::App* const train = addTrain(app, line);
    addVerify(app, line);
    CLI::App* const weights = addWeights(app, line);
    CLI::App* const convert = addConvert(app, line);

    const std::string footer = std::string(kRanksMeet) + kExitCodes;
    app.footer(footer); // set last, as commands take over what is set when they are added
    train->footer(footer);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) // --help, --version
            return app.exit(error);
        rankscope::console::sayError({"rankscope-trainer: {}", error.what()});
        return rankscope::trainer::kTrainBadInput;
    }
    if (train->parsed()) {
        rankscope::disableTrim();
        leave(rankscope::trainer::train({line.config, line.runDir, line.resume}));
    }
    if (weights->parsed())
        leave(told(rankscope::trainer::runWeights(line.in, line.json)));
    if (convert->parsed())
        leave(told(rankscope::trainer::runConvert(line.in, line.out, line.outConfig)));
    leave(told(runVerify(line)));
}
