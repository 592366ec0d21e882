// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/analysis_commands.h"
#include "app/ctl/commands/config_commands.h"
#include "app/ctl/commands/exchange_commands.h"
#include "app/ctl/commands/launch_commands.h"
#include "app/ctl/commands/run_commands.h"
#include "app/ctl/commands/watch_commands.h"
#include "core/base/console/console.h"
#include "core/base/files/paths.h"
#include "core/base/text/library_versions.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/config/recipe/fault_spec.h"
#include "core/config/schema/key_schema.h"
#include "core/config/yaml/yaml_parser.h"
#include "core/diagnosis/recording/zlib_stream.h"
#include "core/launch/figures/speed_calibration.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/stacks/native_stack.h"
#include "core/store/sqlite/sqlite.h"

#include <CLI/CLI.hpp>
#include <build_version.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <optional>
#include <sstream>

namespace rankscope::ctl {

using CommandFunction = std::function<Result<int>()>;

static constexpr const char* kRunHelp = "The run: its folder, its id, a unique part of its id, or 'last'";

static CLI::App* runCommand(CLI::App& app, const char* name, const char* about, RunArgs& args) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->add_option("RUN", args.run, kRunHelp)->required();
    sub->add_option("--runs", args.runsDir, "Runs folder")->type_name("DIR");
    return sub;
}

static std::string faultHelp() {
    std::string text = "Inject a fault to test the diagnosis, as in data_loading:rank=1,step=40,seconds=5; can be "
                       "given several times. The kinds, with their keys in addition to rank:";
    for (const auto& kind : config::faultKinds())
        text += fmt::format("\n  {}: {} ({})", kind.name, kind.does, fmt::join(kind.keys, ", "));
    return text;
}

static void addLaunch(CLI::App& app, LaunchArgs& args, CommandFunction& chosen) {
    CLI::App* sub = app.add_subcommand("launch", "Start a run and supervise it until it ends");
    sub->add_option("CONFIG", args.config,
                    "A NeMo YAML; with --resume or --relaunch, the default is that run's recipe");
    sub->add_option("OVERRIDES", args.overrides, "key=value, +key=value or ~key, in Hydra's syntax");
    sub->add_option("--ranks", args.ranks, "Number of ranks, instead of trainer.devices")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    sub->add_option("--runs", args.runsDir, "Folder in which the run's folder is created")->type_name("DIR");
    sub->add_option("--resume", args.resume, "Resume this run from its newest checkpoint, in a new run's folder")
        ->type_name("RUN");
    sub->add_option("--checkpoint", args.checkpoint,
                    "With --resume: the name of the checkpoint to resume from, instead of the newest")
        ->type_name("NAME")
        ->needs("--resume");
    sub->add_option("--relaunch", args.relaunch,
                    "Repeat this run from its first step, with the given changes; the new run refers to it")
        ->type_name("RUN")
        ->excludes("--resume");
    sub->add_option("--trainer", args.trainer, "Which program trains: rankscope, or nemo in a Python that has it")
        ->type_name("NAME")
        ->check(CLI::IsMember({"rankscope", "nemo"}));
    sub->add_option("--python", args.python, "With --trainer nemo: its Python; default: python3")
        ->type_name("FILE")
        ->needs("--trainer");
    sub->add_option("--fault", args.faults, faultHelp())->type_name("KIND:KEY=VALUE,…")->allow_extra_args(false);
    sub->add_flag("--detach", args.detach, "Supervise in the background; print the path of the run's folder");
    sub->add_flag("--json", args.json, "Print the result as JSON");
    sub->callback([&] { chosen = [&] { return launch(args); }; });
}

static void addWatchOptions(CLI::App& sub, WatchArgs& args) {
    sub.add_option("--name", args.name, "Name of the run")->type_name("NAME");
    sub.add_option("--ranks", args.ranks, "Number of ranks, if it is to be known before they report it")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    sub.add_option("--stall-seconds", args.stallSeconds, "How long a rank may hold up the others; default: 2")
        ->type_name("S")
        ->check(CLI::PositiveNumber);
    sub.add_option("--join-seconds", args.joinSeconds, "How long all ranks may take to begin; default: 300")
        ->type_name("S")
        ->check(CLI::PositiveNumber);
    sub.add_option("--stop-grace", args.stopGraceSeconds, "Seconds between SIGTERM and SIGKILL at a stop; default: 30")
        ->type_name("S")
        ->check(CLI::PositiveNumber);
    sub.add_option("--on-incident", args.onIncident, "Program to run for each incident that opens or closes")
        ->type_name("PROGRAM");
    sub.add_flag("--detach", args.detach, "Supervise in the background; print the path of the run's folder");
    sub.add_flag("--json", args.json, "Print the result as JSON");
}

static void addWatchCommands(CLI::App& app, WatchArgs& args, CommandFunction& chosen) {
    CLI::App* sub = app.add_subcommand("run", "Run a Python program that trains with PyTorch, and watch its ranks: "
                                              "rankscopectl run -- torchrun train.py");
    sub->add_option("--runs", args.runsDir, "Folder in which the run's folder is created")->type_name("DIR");
    addWatchOptions(*sub, args);
    sub->footer("What follows two dashes is the command, with its arguments. The exit code is the command's.");
    sub->allow_extras();
    sub->callback([&args, &chosen, sub] {
        args.others = sub->remaining();
        chosen = [&] { return runCommandLine(args); };
    });

    sub = app.add_subcommand("attach", "Watch ranks that were started with the variables of observe-env");
    sub->add_option("FOLDER", args.folder, "The folder to which they report; it becomes the run")->required();
    addWatchOptions(*sub, args);
    sub->callback([&] { chosen = [&] { return attach(args); }; });

    sub = app.add_subcommand("observe-env", "Print the variables with which a program is watched, for a shell: "
                                            "eval \"$(rankscopectl observe-env FOLDER)\"");
    sub->add_option("FOLDER", args.folder, "The folder to which its ranks report; it is created")->required();
    sub->callback([&] { chosen = [&] { return observeEnvironment(args); }; });
}

static void addRunCommands(CLI::App& app, RunArgs& args, CommandFunction& chosen) {
    CLI::App* sub = app.add_subcommand("list", "List runs, newest first");
    sub->add_option("--runs", args.runsDir, "Runs folder")->type_name("DIR");
    sub->add_flag("--json", args.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return list(args); }; });

    sub = runCommand(app, "show", "Show a run: state, ranks, incidents, counters", args);
    sub->add_flag("--json", args.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return show(args); }; });

    sub = runCommand(app, "stop", "Stop a run: all ranks exit after the same step", args);
    sub->add_flag("--now", args.now, "End the ranks at once");
    sub->add_flag("--no-wait", args.noWait, "Return before the run has ended");
    sub->callback([&] { chosen = [&] { return stop(args); }; });

    sub = runCommand(app, "diagnose", "Report who held up whom, in which phase, why, and how to fix it", args);
    sub->add_flag("--json", args.json, "Print JSON");
    sub->add_flag(
        "--replay", args.replay,
        "Diagnose the recorded run again and compare (exit code 1: the incidents differ from the stored ones)");
    sub->callback([&] { chosen = [&] { return args.replay ? replay(args) : diagnose(args); }; });

    sub = runCommand(app, "watch", "Follow a run until it ends; the exit code is the run's (0, 3 or 4)", args);
    sub->add_flag("--json", args.json, "Print a line of JSON for each change");
    sub->callback([&] { chosen = [&] { return watch(args); }; });
}

static void addExchangeCommands(CLI::App& app, ExportArgs& out, ImportArgs& in, CommandFunction& chosen) {
    CLI::App* sub = runCommand(app, "export", "Write a run in a format that other programs read", out.run);
    sub->add_option("--format", out.format,
                    "csv: a folder of tables; tensorboard: a folder of event files; chrome-trace: a file with the "
                    "timeline, for Perfetto; html: a file with a report")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"csv", "tensorboard", "chrome-trace", "html"}));
    sub->add_option("--output", out.output, "The file or folder to write")->type_name("PATH");
    sub->add_option("--csv", out.csvDir, "The same as --format csv --output DIR")->type_name("DIR");
    sub->add_option("--series", out.series, "Only these series (loss, wait_ns, …); default: all")
        ->type_name("NAME,…")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--ranks", out.ranks, "Only these ranks")
        ->type_name("R,…")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--from-step", out.fromStep, "First step")->type_name("N");
    sub->add_option("--to-step", out.toStep, "Last step")->type_name("M");
    sub->callback([&] { chosen = [&] { return exportRun(out); }; });

    sub = app.add_subcommand("import", "Make a run from TensorBoard event files or the folder of NeMo's exp_manager");
    sub->add_option("PATHS", in.paths, "Event files, or folders that contain them")->required();
    sub->add_option("--config", in.config, "The recipe that was trained, instead of the folder's hparams.yaml")
        ->type_name("FILE");
    sub->add_option("--name", in.name, "The run's name, instead of the recipe's or the folder's")->type_name("NAME");
    sub->add_option("--runs", in.runsDir, "Folder in which the run's folder is created")->type_name("DIR");
    sub->add_flag("--json", in.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return import(in); }; });
}

static void addStacks(CLI::App& app, StackArgs& args, CommandFunction& chosen) {
    CLI::App* sub = app.add_subcommand("stacks", "Show what the threads of a run's ranks are doing now, by function");
    auto* run = sub->add_option("RUN", args.run, kRunHelp);
    auto* rank = sub->add_option("--rank", args.rank, "Only this rank")->type_name("R")->check(CLI::NonNegativeNumber);
    sub->add_option("--pid", args.pid, "A process, instead of a run")
        ->type_name("PID")
        ->check(CLI::PositiveNumber)
        ->excludes(run)
        ->excludes(rank);
    sub->add_option("--runs", args.runsDir, "Runs folder")->type_name("DIR");
    sub->add_flag("--json", args.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return stacks(args); }; });
}

static void addAnalysisCommands(CLI::App& app, WaitsArgs& waitsArgs, ScalingArgs& scalingArgs, BatchArgs& batchArgs,
                                CommandFunction& chosen) {
    CLI::App* sub =
        runCommand(app, "waits", "Report who waited for whom and where, what the holder was doing, and what it cost",
                   waitsArgs.run);
    sub->add_option("--from-step", waitsArgs.fromStep, "First step; default: all steps")->type_name("N");
    sub->add_option("--to-step", waitsArgs.toStep, "Last step")->type_name("M");
    sub->add_option("--from", waitsArgs.from,
                    "Start of a time range, in seconds since the run's start; every step that overlaps it counts")
        ->type_name("SECONDS");
    sub->add_option("--to", waitsArgs.to, "End of the time range")->type_name("SECONDS");
    sub->add_flag("--json", waitsArgs.run.json, "Print JSON, times in ns");
    sub->callback([&] { chosen = [&] { return waits(waitsArgs); }; });

    sub = runCommand(app, "batch", "List the utterances of a step, derived from the recipe, seed and manifests",
                     batchArgs.run);
    sub->add_option("--step", batchArgs.step, "The step, counted from 0")
        ->required()
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--rank", batchArgs.rank, "The rank; default: 0")->type_name("R")->check(CLI::NonNegativeNumber);
    sub->add_flag("--json", batchArgs.run.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return batch(batchArgs); }; });

    sub = runCommand(app, "scaling",
                     "Report how much faster a run was than a single rank, and where the rest of the time went",
                     scalingArgs.run);
    sub->add_option("--baseline", scalingArgs.baseline,
                    "A run with one rank; the default is one with the same recipe in the same runs folder")
        ->type_name("RUN");
    sub->add_flag("--json", scalingArgs.run.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return scaling(scalingArgs); }; });
}

static void addExplain(CLI::App& app, ExplainArgs& args, CommandFunction& chosen) {
    CLI::App* sub =
        app.add_subcommand("explain", "Explain from logs and Flight Recorder dumps why a run hung, whatever "
                                      "trained it (exit code 1: not enough data)");
    sub->add_option("FILES", args.files, "Logs and dumps of all ranks, or folders that contain them")->required();
    sub->add_option("--recipe", args.recipe,
                    "The recipe that was trained, to name collectives by; default: the NEST recipes of all sizes")
        ->type_name("FILE");
    sub->add_option("--ranks", args.ranks, "Number of ranks of the run, if its logs do not say it")
        ->type_name("N")
        ->check(CLI::Range(1, 65536));
    sub->add_flag("--json", args.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return explain(args); }; });
}

static void addClusterCommands(CLI::App& app, LaunchArgs& resolved, CollectArgs& args, CommandFunction& chosen) {
    CLI::App* sub =
        app.add_subcommand("resolve", "Print the effective configuration, for ranks that torchrun or srun starts");
    sub->add_option("CONFIG", resolved.config, "A NeMo YAML")->required();
    sub->add_option("OVERRIDES", resolved.overrides, "key=value, +key=value or ~key, in Hydra's syntax");
    sub->callback([&] { chosen = [&] { return resolve(resolved.config, resolved.overrides); }; });

    sub = app.add_subcommand("collect", "Make a run from the files of ranks that torchrun or srun started");
    sub->add_option("FOLDERS", args.folders, "The folders that were the ranks' --run-dir, one from each host")
        ->required();
    sub->add_option("--config", args.config,
                    "The recipe that was trained, instead of the folder's effective.yaml; not needed")
        ->type_name("FILE");
    sub->add_option("--runs", args.runsDir, "Folder in which the run's folder is created")->type_name("DIR");
    sub->add_flag("--json", args.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return collect(args); }; });
}

static void addNemoOption(CLI::App& sub, std::string& nemo, const char* what) {
    sub.add_option("--nemo", nemo, what)->type_name("VERSION")->check(CLI::IsMember(config::factsVersions()));
}

static void addConfigCommands(CLI::App& app, CompareArgs& args, LaunchArgs& planned, CommandFunction& chosen) {
    CLI::App* sub = app.add_subcommand("compare", "Compare a configuration with NeMo's defaults, or with another one "
                                                  "(exit code 1: something differs)");
    sub->add_option("CONFIG", args.config, "A NeMo YAML, or a run, named as for other commands")->required();
    sub->add_option("--with", args.with, "Another YAML or run, instead of NeMo's defaults")->type_name("FILE|RUN");
    addNemoOption(*sub, args.nemo, "Version of NeMo whose keys and defaults apply, instead of rankscope.nemo");
    sub->add_option("--runs", args.runsDir, "Runs folder")->type_name("DIR");
    sub->add_flag("--json", args.json, "Print JSON");
    sub->add_flag("--only-different", args.onlyDifferent, "Leave out keys whose effective values are equal");
    sub->callback([&] { chosen = [&] { return compare(args); }; });

    sub = app.add_subcommand("plan",
                             "Show what a launch would do, without starting it: ranks, batches, memory, collectives");
    sub->add_option("CONFIG", planned.config, "A NeMo YAML")->required();
    sub->add_option("OVERRIDES", planned.overrides, "key=value, +key=value or ~key, in Hydra's syntax");
    sub->add_option("--ranks", planned.ranks, "Number of ranks, instead of trainer.devices")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    sub->add_option("--machine", planned.machine,
                    "Plan for another machine: 8xH100, 2x8xA100 (nodes first), or gpus=4,memory=48G; also nodes=, "
                    "cores=, ram=, tflops=")
        ->type_name("MACHINE");
    sub->add_option("--calibrate", planned.calibrate,
                    "Train N steps in a temporary folder first, and estimate the time of an epoch from them")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, launch::kMostCalibrationSteps));
    sub->add_option("--runs", planned.runsDir, "Runs folder, checked for free space and for earlier runs of the model")
        ->type_name("DIR");
    sub->add_flag("--json", planned.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return plan(planned); }; });
}

static void addWeightsCommands(CLI::App& app, WeightsArgs& args, CommandFunction& chosen) {
    CLI::App* sub = app.add_subcommand(
        "verify", "Check the trainer's numbers against a recorded reference (exit code 1: they differ)");
    sub->add_option("REFERENCE", args.reference, "A .safetensors file of expected values")->required();
    sub->add_option("CONFIG", args.config, "The YAML it was recorded with")->required();
    sub->add_option("--weights", args.weights, "Begin with this file's weights instead of the reference's")
        ->type_name("FILE");
    addNemoOption(*sub, args.nemo, "Compute as this version of NeMo, instead of the recipe's or the reference's");
    sub->add_option("--device", args.device, "Where to compute: cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
    sub->callback([&] { chosen = [&] { return verify(args); }; });

    sub = app.add_subcommand("weights", "List the tensors of a .nemo, .ckpt or .safetensors file");
    sub->add_option("FILE", args.in, "The file")->required();
    sub->add_flag("--json", args.json, "Print JSON");
    sub->callback([&] { chosen = [&] { return weights(args); }; });

    sub = app.add_subcommand("convert", "Write weights in another format: .nemo, .ckpt or .safetensors");
    sub->add_option("IN", args.in, "A file of weights")->required();
    sub->add_option("OUT", args.out, "The file to write; its extension selects the format")->required();
    sub->add_option("--config", args.outConfig, "The recipe of the weights, to check them against")->type_name("FILE");
    sub->callback([&] { chosen = [&] { return convert(args); }; });
}

/// Names an unknown command, because CLI11 only says that a command is missing.
static std::optional<Error> unknownCommand(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands({}))
        names.push_back(sub->get_name());
    if (word.empty() || word.front() == '-' || std::find(names.begin(), names.end(), word) != names.end())
        return std::nullopt;
    const std::string near = nearestWord(word, names);
    return Error{Errc::BadInput,
                 near.empty() ? Message("no such command; available: {}", fmt::format("{}", fmt::join(names, ", ")))
                              : Message("no such command; did you mean {}?", near),
                 word};
}

static std::string version() {
    return versionText(
        "rankscopectl", RANKSCOPE_BUILD,
        {store::sqliteLinked(), config::yamlCppVersion(), diagnosis::zlibLinked(), launch::elfutilsLinked()});
}

/// Parses the command line. Returns the exit code if no command is to be run: help was printed, or the line is wrong.
static std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    if (argc > 1)
        if (const auto error = unknownCommand(app, argv[1]))
            return reportError(*error);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) { // --help, --version
            std::ostringstream text;
            app.exit(e, text, text);
            console::writeBytes(text.str());
            return console::exitCode(launch::kDone, launch::kRankFailed, "rankscopectl");
        }
        return reportError({Errc::BadInput, {"{}; see 'rankscopectl --help'", e.what()}, ""});
    }
    return std::nullopt;
}

static int run(int argc, char** argv) {
    CLI::App app{"Rankscope's command line: launches, watches and diagnoses distributed training runs.\n"
                 "Exit codes: 0 done, 1 a check failed or something differs, 2 bad input, 3 a rank failed, 4 stopped "
                 "by the user."};
    app.name("rankscopectl");
    app.set_version_flag("--version", version);
    app.require_subcommand(1);
    std::string language;
    app.add_option("--lang", language,
                   "Language of reports, progress and errors, en or zh; may be anywhere on the line; default: that of "
                   "the locale on a terminal, English in a pipe or a file")
        ->type_name("LANG");
    LaunchArgs launchArgs;
    launchArgs.argv.assign(argv, argv + argc);
    if (const auto taken = console::takeLanguage(argc, argv); !taken)
        return reportError(taken.error());
    WatchArgs watchArgs;
    watchArgs.command = takeCommand(argc, argv);
    watchArgs.argv.assign(argv, argv + argc);
    RunArgs runArgs;
    WaitsArgs waitsArgs;
    BatchArgs batchArgs;
    ScalingArgs scalingArgs;
    CompareArgs compareArgs;
    ExportArgs exportArgs;
    ImportArgs importArgs;
    importArgs.argv = launchArgs.argv;
    StackArgs stackArgs;
    ExplainArgs explainArgs;
    WeightsArgs weightsArgs;
    LaunchArgs resolveArgs, planArgs;
    CollectArgs collectArgs;
    collectArgs.argv = launchArgs.argv;
    CommandFunction chosen;
    addLaunch(app, launchArgs, chosen);
    addWatchCommands(app, watchArgs, chosen);
    addRunCommands(app, runArgs, chosen);
    addExchangeCommands(app, exportArgs, importArgs, chosen);
    addStacks(app, stackArgs, chosen);
    addAnalysisCommands(app, waitsArgs, scalingArgs, batchArgs, chosen);
    addExplain(app, explainArgs, chosen);
    addConfigCommands(app, compareArgs, planArgs, chosen);
    addClusterCommands(app, resolveArgs, collectArgs, chosen);
    addWeightsCommands(app, weightsArgs, chosen);
    if (const auto code = parse(app, argc, argv))
        return *code;
    const auto result = chosen();
    const int code = result ? *result : reportError(result.error());
    // launch returns the run's result even if stdout is closed
    const bool supervises = app.got_subcommand("launch") || app.got_subcommand("run") || app.got_subcommand("attach");
    return supervises ? code : console::exitCode(code, launch::kRankFailed, "rankscopectl");
}

/// Opens standard streams that are closed, so that nothing can be written to them, as before. Otherwise a file of the
/// run would get the number of one, and then what is printed, or what a watched command writes.
static void openStandardStreams() {
    int fd = 0;
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = ::open("/dev/null", O_RDONLY);
    if (fd > STDERR_FILENO)
        ::close(fd);
}

} // namespace rankscope::ctl

int main(int argc, char** argv) {
    rankscope::ctl::openStandardStreams();
    std::signal(SIGPIPE,
                SIG_IGN);          // a closed pipe must not end the supervisor: core/base/console/console.h
    std::signal(SIGXFSZ, SIG_IGN); // report a file size limit as an error of write(), like a full disk
    ::umask(::umask(0077) & 0077); // an inherited umask must not lock the owner out of folders that we create
    return rankscope::ctl::run(argc, argv);
}
