// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/prepare_launch.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/files/paths.h"
#include "core/base/process/libtorch_location.h"
#include "core/base/process/process_identity.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/config/edit/document.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/key_diff.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/config/recipe/fault_spec.h"
#include "core/config/recipe/recipe.h"
#include "core/config/yaml/scalar.h"
#include "core/launch/host/device_assignment.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/prepare/data_check.h"
#include "core/launch/prepare/prepare_command.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/run/checkpoint_list.h"
#include "core/launch/run/run_folder.h"
#include "core/plan/cost/model_shapes.h"
#include "core/store/read/run_reader.h"
#include "core/trainer/formats/archives/weights_file.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

namespace rankscope::launch {

namespace fs = std::filesystem;

/// Returns a port that was free a moment ago. Another program may take it before rank 0 does; rank 0 then reports that,
/// and the run ends at its start.
static Result<int> freePort() {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (!fd || ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return tl::unexpected(systemError("find a free port on 127.0.0.1", "MASTER_PORT", errno));
    return ntohs(address.sin_port);
}

static Result<void> checkFault(const config::FaultConfig& fault, const config::Recipe& recipe, int worldSize,
                               const std::string& effectiveText) {
    const auto bad = [](Message what) { return fail(Errc::BadInput, std::move(what), "rankscope.faults"); };
    const std::string& kind = fault.kind;
    if (fault.rank < 0 || fault.rank >= worldSize)
        return bad(worldSize == 1 ? Message("a {} fault is set for rank {}, but the run has {} rank (numbered from 0)",
                                            kind, fault.rank, worldSize)
                                  : Message("a {} fault is set for rank {}, but the run has {} ranks (numbered from 0)",
                                            kind, fault.rank, worldSize));
    if (kind == "checkpoint" && fault.rank != 0)
        return bad({"a checkpoint fault is set for rank {}, but only rank 0 writes checkpoints", fault.rank});
    if (kind == "no_length_sync" && !recipe.model.encoder.syncMaxAudioLength)
        return bad("a no_length_sync fault is set, but model.encoder.sync_max_audio_length is false");
    if (fault.layer >= recipe.model.encoder.nLayers)
        return bad({"a {} fault is set for layer {}, but the encoder has {} (numbered from 0)", kind, fault.layer,
                    recipe.model.encoder.nLayers});
    const bool hasPlaces = fault.phase.empty() || fault.phase == "forward" || fault.phase == "backward";
    if ((fault.layer >= 0 || !fault.place.empty()) && !hasPlaces)
        return bad({"a {} fault is set for a place in phase {}, but only forward and backward have places", kind,
                    fault.phase});
    if (fault.phase == "backward" && !fault.place.empty() && fault.place != "layer" && fault.place != "subsampling")
        return bad({"a {} fault is set for {} in backward, where only layers and subsampling are distinguished", kind,
                    fault.place});
    if (fault.layer >= 0 && !fault.place.empty() && fault.place != "layer")
        return bad(
            {"a {} fault is set for layer {} and for place {}: set only one of them", kind, fault.layer, fault.place});
    if (kind == "other_settings") {
        const auto changed = config::evaluate(effectiveText, "other_settings", {"++" + fault.set});
        if (auto error = config::firstError(changed, fmt::format("rank {} with {}", fault.rank, fault.set)))
            return bad(error->asMessage());
    }
    return {};
}

static Result<void> checkHook(const std::vector<std::string>& argv) {
    if (argv.empty() || programExists(argv.front()))
        return {};
    return fail(Errc::NotFound, {"there is no executable program {}", argv.front()}, "rankscope.on_incident");
}

static Result<void> checkFaults(const config::Recipe& recipe, int worldSize, const std::string& effectiveText) {
    for (const auto& fault : recipe.rankscope.faults)
        RS_TRY(checkFault(fault, recipe, worldSize, effectiveText));
    return {};
}

using ModelShapes = std::map<std::string, std::vector<std::int64_t>>;

static std::string joined(const std::vector<std::int64_t>& shape) {
    return fmt::format("{}", fmt::join(shape, ", "));
}

static Result<void> checkWeightsFile(const config::InitialWeights& from, const ModelShapes& model) {
    const auto inKey = [&](const std::string& place) { return fmt::format("{}: {}", from.key, place); };
    const auto tensors = trainer::readWeightsShapes(from.path);
    if (!tensors) {
        const Error& error = tensors.error();
        if (error.code == Errc::NotFound)
            return fail(error.code, "the file does not exist (relative paths start at the working folder)",
                        inKey(from.path));
        return fail(error.code, error.what, inKey(error.where));
    }
    bool any = false;
    for (const auto& [name, shape] : *tensors) {
        const auto target = from.takes(name) ? model.find(name) : model.end();
        if (target == model.end())
            continue;
        if (target->second != shape)
            return fail(Errc::BadInput,
                        {"tensor {} is [{}], the model's is [{}]: change the recipe, or name it in exclude", name,
                         joined(shape), joined(target->second)},
                        inKey(from.path));
        any = true;
    }
    if (any)
        return {};
    return fail(Errc::BadInput,
                tensors->empty() ? Message("has no tensor")
                                 : Message("has no tensor of the model that include and exclude select; its first is "
                                           "{}, the model's is {}",
                                           tensors->front().name, model.empty() ? "none" : model.begin()->first),
                inKey(from.path));
}

Result<void> checkInitialWeights(const std::string& effectiveText, const config::ModelConfig& model) {
    RS_TRY_ASSIGN(const auto recipe, config::readCheckpointRecipe(effectiveText, "effective.yaml"));
    if (recipe.initialWeights.empty())
        return {};
    ModelShapes shapes;
    for (auto& tensor : plan::modelShapes(model))
        shapes.emplace(tensor.name, tensor.shape);
    for (const auto& from : recipe.initialWeights)
        RS_TRY(checkWeightsFile(from, shapes));
    return {};
}

static std::vector<PreparedLaunch::RankLaunch> planRanks(const PreparedLaunch& plan, const config::Recipe& recipe,
                                                         const DeviceAssignment& devices, const Machine& machine,
                                                         int port) {
    std::vector<PreparedLaunch::RankLaunch> ranks;
    for (int r = 0; r < devices.ranks; ++r) {
        PreparedLaunch::RankLaunch rank{r, r, {}, {}};
        rank.argv = {plan.trainer.string(), "train", plan.run.effective().string(), "--run", plan.run.dir.string()};
        if (!plan.checkpoints.empty())
            rank.argv.insert(rank.argv.end(), {"--resume", plan.run.checkpoints().string()});
        rank.environment = rankEnvironment(r, recipe, devices, machine, std::to_string(port),
                                           std::getenv("OMP_NUM_THREADS") != nullptr);
        if (plan.info.drawnSeed != 0)
            rank.environment.emplace_back("RANKSCOPE_DRAWN_SEED", std::to_string(plan.info.drawnSeed));
        ranks.push_back(std::move(rank));
    }
    return ranks;
}

/// The given recipe, or that of an earlier run.
struct RecipeFile {
    fs::path path;
    bool ofRun = false;
};

static Result<config::Recipe> checkedRecipe(const RecipeFile& file, const std::vector<std::string>& overrides,
                                            config::Effective& effective) {
    RS_TRY_ASSIGN(auto evaluated, file.ofRun ? config::evaluateRunFile(file.path, overrides)
                                             : config::evaluateFile(file.path, overrides));
    if (auto error = config::firstError(evaluated, file.path.string()))
        return tl::unexpected(*error);
    effective = std::move(evaluated);
    return config::readRecipe(effective.text, file.path.string());
}

/// Lists the faults of the recipe, then those of the command line.
static std::string faultsOverride(const config::Recipe& recipe, const std::vector<config::FaultConfig>& asked) {
    std::vector<std::string> items;
    for (const auto& fault : recipe.rankscope.faults)
        items.push_back(config::faultYaml(fault));
    for (const auto& fault : asked)
        items.push_back(config::faultYaml(fault));
    return fmt::format("++rankscope.faults=[{}]", fmt::join(items, ", "));
}

/// Reads the recipe with the options of the command line that set keys: --fault, and --ranks if the recipe names no
/// GPUs. The run then records the number of ranks that it has.
static Result<config::Recipe> checkedRecipe(const RecipeFile& file, const LaunchOptions& options,
                                            config::Effective& effective) {
    RS_TRY_ASSIGN(auto recipe, checkedRecipe(file, options.overrides, effective));
    auto overrides = options.overrides;
    if (!options.faults.empty())
        overrides.push_back(faultsOverride(recipe, options.faults));
    if (options.ranks > 0 && !namesGpus(recipe.trainer) && recipe.trainer.devices != std::to_string(options.ranks))
        overrides.push_back(fmt::format("++trainer.devices={}", options.ranks));
    if (overrides.size() == options.overrides.size())
        return recipe;
    return checkedRecipe(file, overrides, effective);
}

/// Returns the overrides with which a resumed run reads its tar files as before, even if num_workers has changed, or if
/// an older version, which read one file after another, began the run. Returns none if no override is needed.
static Result<std::vector<std::string>> keptTarReading(const RunPaths& run, const config::Recipe& now) {
    const auto text = readRunFile(run.effective());
    if (!text) // checkResumed() reports it
        return std::vector<std::string>();
    RS_TRY_ASSIGN(const auto then, config::readRecipe(*text, run.effective().string()));
    if (!then.train.tarred.enabled)
        return std::vector<std::string>();
    const bool older = text->find("tar_readers:") == std::string::npos; // effective.yaml holds every key
    const int readers = older ? 1 : then.train.readers();
    const bool reorder = older || then.train.bucketing.reorder;
    if (readers == now.train.readers() && reorder == now.train.bucketing.reorder)
        return std::vector<std::string>();
    return std::vector{fmt::format("++rankscope.data.tar_readers={}", readers),
                       fmt::format("++rankscope.data.reorder_buckets={}", reorder)};
}

/// Refuses a run that is finished and would end at the same point again.
static Result<void> checkStepsRemain(const RunInfo& before, const RunPaths& run, const config::Recipe& now) {
    if (before.state != RunState::Finished)
        return {};
    RS_TRY_ASSIGN(const auto then, recordedRecipe(run));
    const auto &a = then.trainer, &b = now.trainer;
    if (a.maxSteps == b.maxSteps && a.maxEpochs == b.maxEpochs && a.maxTimeSeconds == b.maxTimeSeconds)
        return fail(Errc::BadInput,
                    "is finished with all its steps: raise trainer.max_steps, trainer.max_epochs or trainer.max_time "
                    "to continue",
                    before.id);
    return {};
}

/// Returns the run to resume from, as it is known before the trainer reads its checkpoint.
static Result<RunInfo> checkResumed(const RunPaths& run, const std::string& effectiveText) {
    RS_TRY_ASSIGN(auto info, readRunInfo(run));
    if (isLive(info.state))
        return fail(Errc::Busy, {"is still {}; stop it first", runStateName(info.state)}, info.id);
    if (auto reader = store::RunReader::open(run.store())) // without a store, run.json alone gives the state
        RS_TRY(judgeTraining(info, *reader));
    RS_TRY_ASSIGN(const auto checkpoints, listCheckpoints(run));
    if (!newestUsable(checkpoints))
        return fail(Errc::NotFound,
                    checkpoints.files.empty()
                        ? Message("has no checkpoint to resume from")
                        : Message("has no checkpoint to resume from: {}: {}", checkpoints.files.front().name,
                                  checkpoints.files.front().problem),
                    info.id);
    RS_TRY_ASSIGN(const auto before, readRunFile(run.effective()));
    RS_TRY(config::checkResumable(before, effectiveText, info.id));
    return info;
}

/// Plans as many ranks as the run had, unless the user asks for another number, which is an error.
static Result<DeviceAssignment> resumedDevices(const LaunchOptions& options, const config::Recipe& recipe,
                                               const Machine& machine, const RunInfo& before) {
    auto devices = planDevices(recipe.trainer, options.ranks, machine);
    if (options.ranks == 0 && (!devices || devices->ranks != before.worldSize))
        devices = planDevices(recipe.trainer, before.worldSize, machine);
    if (devices && devices->ranks != before.worldSize)
        return fail(Errc::BadInput,
                    before.worldSize == 1
                        ? Message("is {}, but the run had {} rank: data shares and random numbers belong to ranks",
                                  devices->ranks, before.worldSize)
                        : Message("is {}, but the run had {} ranks: data shares and random numbers belong to ranks",
                                  devices->ranks, before.worldSize),
                    "--ranks");
    return devices;
}

static bool changesDevices(const std::string& change) {
    const auto key = change.substr(std::min(change.find_first_not_of("+~"), change.size()));
    return key.starts_with("trainer.devices");
}

int ranksToRepeat(const RunInfo& run, const std::string& recipe) {
    if (run.ranksAsked > 0)
        return run.ranksAsked;
    const auto document = config::Document::fromText(recipe);
    const config::Node* node = document.root() ? config::find(*document.root(), "trainer.devices") : nullptr;
    std::string devices = !node ? std::string() : node->isScalar() ? node->text : config::toText(*node);
    for (const std::string& change : run.overrides)
        if (changesDevices(change))
            devices = change.substr(std::min(change.find('='), change.size() - 1) + 1);
    return countsRanks(devices) ? 0 : run.worldSize;
}

/// Returns the run whose own recipe is launched again, including the changes made at its launch; none: a recipe was
/// given.
static Result<std::optional<RunInfo>> earlierRecipe(LaunchOptions& options) {
    const fs::path& earlier = options.resume.empty() ? options.relaunch : options.resume;
    if (!options.config.empty() || earlier.empty())
        return std::optional<RunInfo>();
    const RunPaths run{earlier};
    RS_TRY_ASSIGN(auto info, readRunInfo(run));
    // a change of trainer.devices by hand takes precedence over the ranks of an earlier launch
    const auto& changes = options.overrides;
    if (options.ranks == 0 && std::none_of(changes.begin(), changes.end(), changesDevices)) {
        RS_TRY_ASSIGN(const auto recipe, readRunFile(run.effective()));
        options.ranks = ranksToRepeat(info, recipe);
    }
    return std::optional(std::move(info));
}

/// Returns the number from which the ranks derive their seeds if the recipe has no seed. A run that repeats or resumes
/// another run takes over that run's number, so that the two differ only in what was changed.
static std::uint64_t drawnSeed(const LaunchOptions& options, const config::Recipe& recipe) {
    if (recipe.trainer.seed)
        return 0;
    const fs::path& earlier = options.resume.empty() ? options.relaunch : options.resume;
    if (!earlier.empty())
        if (const auto before = readRunInfo(RunPaths{earlier}); before && before->drawnSeed != 0)
            return before->drawnSeed;
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = static_cast<std::uint64_t>(monotonicNs());
    constexpr std::uint64_t kExactInJson = (std::uint64_t{1} << 53) - 1; // for readers that only know doubles
    return (random & kExactInJson) | 1;
}

static RunInfo planInfo(const LaunchOptions& options, const config::Recipe& recipe, int worldSize,
                        const std::optional<RunInfo>& own) {
    RunInfo info = newRunInfo(recipe.name, options.argv);
    info.worldSize = worldSize;
    info.totalSteps = std::max<std::int64_t>(0, recipe.trainer.maxSteps);
    std::error_code ec;
    info.resumedFrom = options.resume.filename().string();
    info.relaunchedFrom = options.relaunch.filename().string();
    info.configPath = own ? own->configPath : fs::absolute(options.config, ec).lexically_normal().string();
    info.ranksAsked = options.ranks;
    info.drawnSeed = drawnSeed(options, recipe);
    if (own)
        info.overrides = own->overrides;
    info.overrides.insert(info.overrides.end(), options.overrides.begin(), options.overrides.end());
    for (const auto& fault : recipe.rankscope.faults)
        info.faults.push_back(config::faultSpecText(fault));
    info.versions.emplace_back("nemo_facts", std::string(config::toText(recipe.model.nemo)));
    return info;
}

/// Checks that a checkpoint that was named exists, and is complete as far as its header shows.
static Result<void> checkCheckpointName(const RunPaths& resumed, const std::string& name) {
    if (name.empty())
        return {};
    RS_TRY_ASSIGN(const auto all, listCheckpoints(resumed));
    const std::string last = "last.safetensors";
    const auto chosen = std::find_if(all.files.begin(), all.files.end(), [&](const CheckpointFile& file) {
        return file.name == name || (name == last && file.last);
    });
    const std::string where = (resumed.checkpoints() / name).string();
    if (chosen == all.files.end())
        return fail(Errc::NotFound,
                    "is not a checkpoint of that run; see its folder checkpoints/ for the "
                    "names",
                    where);
    if (!chosen->problem.empty())
        return fail(Errc::Malformed, chosen->problem, where);
    return {};
}

static SupervisionSettings supervisionOf(const config::Recipe& recipe) {
    SupervisionSettings settings;
    diagnosis::Settings& s = settings.detector;
    s.stallMinSeconds = recipe.rankscope.stallMinSeconds;
    s.stallFactor = recipe.rankscope.stallFactor;
    s.stragglerShare = recipe.rankscope.stragglerShare;
    s.stragglerWindowSteps = recipe.rankscope.stragglerWindowSteps;
    s.joinSeconds = recipe.rankscope.joinSeconds;
    s.numWorkers = recipe.train.numWorkers;
    s.prefetchFactor = recipe.train.prefetchFactor;
    s.lengthSync = recipe.model.encoder.syncMaxAudioLength;
    s.dropLast = recipe.train.dropLast;
    s.sampleRate = recipe.model.sampleRate;
    s.configHash = recipe.configHash;
    settings.retentionSteps = recipe.rankscope.retentionSteps;
    settings.stopGraceSeconds = recipe.rankscope.stopGraceSeconds;
    settings.onIncident = recipe.rankscope.onIncident;
    settings.faults = recipe.rankscope.faults;
    return settings;
}

Result<PreparedLaunch> prepareLaunch(const LaunchOptions& asked) {
    PreparedLaunch plan;
    LaunchOptions options = asked;
    RS_TRY_ASSIGN(const auto own, earlierRecipe(options));
    const RunPaths resumed{options.resume}, earlier{options.resume.empty() ? options.relaunch : options.resume};
    const RecipeFile file{own ? earlier.effective() : options.config, own.has_value()};
    config::Effective effective;
    RS_TRY_ASSIGN(auto recipe, checkedRecipe(file, options, effective));
    if (!options.resume.empty()) {
        RS_TRY_ASSIGN(const auto kept, keptTarReading(resumed, recipe));
        if (!kept.empty()) { // before the user's own overrides, which take precedence
            options.overrides.insert(options.overrides.begin(), kept.begin(), kept.end());
            RS_TRY_ASSIGN(recipe, checkedRecipe(file, options, effective));
        }
    }
    plan.effectiveText = effective.text;
    std::optional<RunInfo> before;
    if (!options.resume.empty()) {
        RS_TRY_ASSIGN(before, checkResumed(resumed, plan.effectiveText));
        plan.checkpoints = resumed.checkpoints();
        RS_TRY(checkCheckpointName(resumed, options.checkpoint));
        plan.checkpoint = options.checkpoint;
    }
    RS_TRY_ASSIGN(plan.configText, own ? readRunFile(earlier.config()) : readFile(options.config));
    if (recipe.trainer.numNodes > 1)
        return fail(Errc::Unsupported,
                    {"is {}; a launch covers this machine only. Start rankscope-trainer on each node with "
                     "torchrun or srun",
                     recipe.trainer.numNodes},
                    "trainer.num_nodes");
    const Machine machine = thisMachine();
    RS_TRY_ASSIGN(const auto devices, before ? resumedDevices(options, recipe, machine, *before)
                                             : planDevices(recipe.trainer, options.ranks, machine));
    RS_TRY(before && plan.checkpoint.empty() ? checkStepsRemain(*before, resumed, recipe) : Result<void>());
    RS_TRY(checkFaults(recipe, devices.ranks, plan.effectiveText));
    RS_TRY(checkHook(recipe.rankscope.onIncident));
    RS_TRY_ASSIGN(auto trainer, findTrainer());
    if (auto ok = checkData(recipe, devices.ranks); !ok)
        return tl::unexpected(config::located(ok.error(), effective, file.path.string()));
    RS_TRY(before ? Result<void>() : checkInitialWeights(plan.effectiveText, recipe.model));
    RS_TRY_ASSIGN(auto runsDir, options.runsDir.empty() ? defaultRunsDir() : Result<fs::path>(options.runsDir));
    RS_TRY_ASSIGN(auto port, freePort());
    std::error_code ec;
    plan.trainer = fs::absolute(trainer, ec);
    plan.info = planInfo(options, recipe, devices.ranks, own);
    plan.run.dir = fs::absolute(runsDir, ec).lexically_normal() / plan.info.id;
    plan.device = devices.device;
    plan.ranks = planRanks(plan, recipe, devices, machine, port);
    plan.settings = supervisionOf(recipe);
    return plan;
}

} // namespace rankscope::launch
