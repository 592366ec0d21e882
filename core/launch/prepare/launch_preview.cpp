// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/launch_preview.h"

#include "core/base/files/file.h"
#include "core/base/files/paths.h"
#include "core/base/process/libtorch_location.h"
#include "core/base/values/result.h"
#include "core/config/check/model_support.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/config/recipe/validation_sets.h"
#include "core/config/risks/risk_rules.h"
#include "core/launch/host/device_assignment.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/host/process_usage.h"
#include "core/launch/prepare/data_check.h"
#include "core/launch/prepare/disk_space.h"
#include "core/launch/prepare/prepare_launch.h"
#include "core/plan/cost/memory_estimate.h"
#include "core/plan/cost/step_collectives.h"
#include "core/plan/cost/training_flops.h"
#include "core/plan/data/data_plan.h"
#include "core/plan/data/epoch_order.h"
#include "core/plan/result/launch_commands.h"
#include "core/plan/steps/step_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace rankscope::launch {
namespace {

constexpr const char* kTrainManifest = "model.train_ds.manifest_filepath";
constexpr const char* kValidationManifest = "model.validation_ds.manifest_filepath";
// a journal in use and its successor; the size of a store soon after the start
constexpr std::int64_t kJournalsOfRank = 2 << 20, kStoreAtFirst = 4 << 20;

/// The recipe, even if it leaves a manifest open: the plan then has no data, and says why.
struct ReadRecipe {
    config::Recipe recipe;
    std::string text;                  ///< effective text of the recipe
    Message openTrain, openValidation; ///< problem of the key; empty: it names manifests
};

Result<ReadRecipe> readOpen(const config::Effective& effective, const std::string& fileName) {
    ReadRecipe read;
    config::Effective closed = effective;
    std::vector<std::string> overrides;
    for (const auto& problem : effective.problems) {
        if (problem.severity != config::Problem::Severity::Error)
            continue;
        if (problem.key == kTrainManifest && read.openTrain.empty()) {
            read.openTrain = problem.text.english();
            overrides.push_back(fmt::format("++{}=[open]", kTrainManifest));
        } else if (problem.key == kValidationManifest && read.openValidation.empty()) {
            read.openValidation = problem.text.english();
            overrides.push_back(fmt::format("++{}=[open]", kValidationManifest));
        }
    }
    if (!overrides.empty())
        closed = config::evaluate(effective.text, fileName, overrides);
    if (auto error = config::launchError(closed, fileName)) // errors of other keys: reported as by a launch
        return tl::unexpected(config::launchError(effective, fileName).value_or(*error));
    RS_TRY_ASSIGN(read.recipe, config::readRecipe(closed.text, fileName));
    read.text = std::move(closed.text);
    return read;
}

class DryRun {
public:
    DryRun(const config::Effective& effective, const std::string& fileName, ReadRecipe read,
           const DryRunOptions& options)
        : m_effective(effective), m_fileName(fileName), m_read(std::move(read)), m_recipe(m_read.recipe),
          m_options(options) {}

    Result<plan::Plan> run() {
        const auto& facts = m_options.machine;
        const Machine machine{facts.gpus, facts.cores, facts.visibleGpus};
        RS_TRY_ASSIGN(auto devices, planDevices(m_recipe.trainer, m_options.ranks, machine));
        m_plan.name = m_recipe.name;
        m_plan.machine = m_options.target.name;
        m_plan.device = devices.device;
        m_plan.ranks = devices.ranks;
        m_plan.nodes = m_recipe.trainer.numNodes;
        processes(devices, machine);
        RS_TRY(data());
        model();
        const auto counted = steps();
        memory();
        for (const plan::Trainer trainer : plan::kTrainers)
            m_plan.collectives.push_back(plan::plannedCollectives(trainer, m_recipe, m_shapes, worldSize()));
        const config::RiskContext around = surroundings();
        m_plan.risks = config::risksOf(m_effective, around);
        disk();
        obstacles(around);
        if (!counted && !isObstacle(counted.error().where)) // if the data is sound, a launch reports it first
            refusedData(counted.error());
        speed();
        m_plan.start = plan::launchCommands(m_plan, {m_fileName, m_options.overrides, m_options.ranks});
        return std::move(m_plan);
    }

private:
    int worldSize() const { return m_plan.ranks * std::max(1, m_plan.nodes); }

    void processes(const DeviceAssignment& devices, const Machine& machine) {
        for (int r = 0; r < devices.ranks; ++r) {
            const std::string device =
                devices.gpuIds.empty()
                    ? "cpu"
                    : fmt::format("GPU {}", gpuName(machine, devices.gpuIds[static_cast<std::size_t>(r)]));
            m_plan.processes.push_back({r, r, device,
                                        rankEnvironment(r, m_recipe, devices, machine, "chosen at launch",
                                                        std::getenv("OMP_NUM_THREADS") != nullptr)});
        }
        const std::string& asked = m_recipe.trainer.devices;
        if (devices.device == "cpu" && devices.ranks == 1 && m_options.ranks == 0 && (asked == "-1" || asked == "auto"))
            m_plan.warnings.push_back({"no GPU was found here, so trainer.devices {} is one rank on the CPU", asked});
        if (m_plan.nodes > 1)
            m_plan.warnings.push_back({"{} nodes: only this node's processes are listed; torchrun or srun starts them "
                                       "on each node and sets the addresses",
                                       m_plan.nodes});
    }

    plan::DataOptions dataOptions(const config::BatchLimit& limit, bool training) const {
        const auto& trainer = m_recipe.trainer;
        plan::DataOptions options;
        options.ranks = worldSize();
        options.sharded = trainer.useDistributedSampler;
        options.seed = [&trainer](int rank) { return plan::orderSeed(trainer, rank); };
        options.limit = limit;
        const bool everyBatch = m_recipe.model.encoder.syncMaxAudioLength || trainer.syncBatchnorm;
        options.batchesPerMeeting = training && !everyBatch ? trainer.accumulateGradBatches : 1;
        options.cancelled = m_options.cancelled;
        return options;
    }

    Result<plan::DataPlan> set(const std::string& section, const config::DatasetConfig& data, const Message& open,
                               const plan::DataOptions& options) const {
        if (open.empty())
            return plan::planData(section, data, options);
        plan::DataPlan unknown;
        unknown.section = section;
        unknown.problem = open;
        return unknown;
    }

    Result<void> data() {
        RS_TRY_ASSIGN(m_plan.train, set("model.train_ds", plan::trainingData(m_recipe, worldSize()), m_read.openTrain,
                                        dataOptions(m_recipe.trainer.limitTrain, true)));
        tellProblem(m_plan.train);
        const auto sets = config::validationSets(m_recipe);
        for (const auto& one : sets) {
            RS_TRY_ASSIGN(auto validation,
                          set(sets.size() > 1 && !one.monitored ? fmt::format("model.validation_ds ({})", one.lossName)
                                                                : "model.validation_ds",
                              one.data, m_read.openValidation, dataOptions(m_recipe.trainer.limitVal, false)));
            tellProblem(validation);
            if (one.monitored)
                m_plan.validation = std::move(validation);
            else
                m_plan.otherValidation.push_back(std::move(validation));
        }
        return {};
    }

    void tellProblem(const plan::DataPlan& set) {
        if (!set.problem.empty())
            m_plan.warnings.push_back({"{}: {}", set.section, set.problem});
    }

    void model() {
        m_shapes = plan::modelShapes(m_recipe.model);
        for (const plan::TensorShape& tensor : m_shapes) {
            if (tensor.again)
                continue;
            (tensor.buffer      ? m_plan.model.buffers
             : tensor.trainable ? m_plan.model.trainable
                                : m_plan.model.frozen) += tensor.count();
        }
        if (const auto problems = config::modelProblems(m_recipe.model); !problems.empty())
            m_plan.model.problem = config::toText(problems.front()).english();
    }

    /// Returns an error if the epochs have too few batches for limits and intervals, for which a launch is refused.
    Result<void> steps() {
        const auto& trainer = m_recipe.trainer;
        plan::StepsPlan& steps = m_plan.steps;
        steps.globalBatch =
            std::int64_t{m_recipe.train.batchSize} * worldSize() * std::max(1, trainer.accumulateGradBatches);
        if (!m_plan.train.problem.empty()) {
            steps.totalSteps = std::max<std::int64_t>(0, trainer.maxSteps);
            return {};
        }
        RS_TRY_ASSIGN(steps.batchesPerEpoch, plan::trainingBatches(trainer, m_plan.train.batchesPerRank));
        const plan::StepSchedule plan{steps.batchesPerEpoch, trainer.accumulateGradBatches, trainer.maxSteps,
                                      trainer.maxEpochs, m_plan.train.batchesPerRank};
        steps.stepsPerEpoch = plan.stepsPerEpoch();
        steps.totalSteps = plan.totalSteps();
        std::vector<std::int64_t> inSets;
        for (const plan::DataPlan* set : validationSets()) {
            if (!set->problem.empty())
                return {};
            inSets.push_back(set->batchesPerRank);
        }
        RS_TRY_ASSIGN(const auto validation, plan::planValidation(trainer, steps.batchesPerEpoch, inSets));
        steps.validationEveryBatches = validation.batches() > 0 ? validation.everyBatches : 0;
        steps.validationBatches = validation.batches();
        return {};
    }

    std::vector<const plan::DataPlan*> validationSets() const {
        std::vector<const plan::DataPlan*> sets;
        if (m_plan.validation)
            sets.push_back(&*m_plan.validation);
        for (const plan::DataPlan& other : m_plan.otherValidation)
            sets.push_back(&other);
        return sets;
    }

    void memory() {
        const bool gpu = m_plan.device == "cuda";
        m_plan.memory = plan::planMemory(m_recipe, m_shapes,
                                         {m_plan.train.longestBatchSize, m_plan.train.longestBatchSeconds}, gpu);
        m_plan.memory.available =
            gpu ? m_options.machine.gpuMemoryBytes : m_options.machine.memoryBytes / std::max(1, m_plan.ranks);
    }

    /// config::RiskContext::fittingBatch describes the rule.
    std::optional<std::int64_t> fittingBatch() const {
        if (m_plan.memory.available <= 0)
            return std::nullopt;
        const double full = std::max(1, m_recipe.train.batchSize);
        plan::LargestBatch largest{m_plan.train.longestBatchSize, m_plan.train.longestBatchSeconds};
        if (largest.utterances == 0)
            largest = plan::largestBatchOf(m_recipe.train);
        for (std::int64_t size = m_recipe.train.batchSize; size >= 1; size /= 2) {
            const double share = static_cast<double>(size) / full;
            const auto utterances = static_cast<double>(largest.utterances);
            const plan::LargestBatch part{std::max<std::int64_t>(1, static_cast<std::int64_t>(utterances * share)),
                                          largest.paddedSeconds * share};
            if (plan::planMemory(m_recipe, m_shapes, part, m_plan.device == "cuda").total <= m_plan.memory.available)
                return size;
        }
        return 0;
    }

    void disk() {
        if (m_options.runsDir.empty() || !m_options.target.name.empty())
            return;
        const auto checkpoints = config::readCheckpointRecipe(m_read.text, m_fileName);
        if (!checkpoints)
            return; // a launch reports what is wrong with it
        const config::CheckpointConfig& keeps = checkpoints->checkpoint;
        const plan::MemoryPlan& memory = m_plan.memory;
        // one more is written before an old one is removed; of "all", only the first is certain
        const std::int64_t kept = keeps.enabled ? std::max(1, keeps.saveTopK) + (keeps.saveLast ? 1 : 0) + 1 : 0;
        plan::DiskPlan disk;
        disk.folder = m_options.runsDir.string();
        disk.needed = kept * (memory.weights + memory.optimizer) +
                      (keeps.enabled && keeps.nemoAtEnd ? memory.weights : 0) + m_plan.ranks * kJournalsOfRank +
                      kStoreAtFirst;
        disk.available = freeSpaceFor(m_options.runsDir);
        m_plan.disk = disk;
    }

    bool isObstacle(const std::string& key) const {
        return std::any_of(m_plan.obstacles.begin(), m_plan.obstacles.end(),
                           [&](const plan::Blocker& one) { return one.key == key; });
    }

    void obstacle(bool refused, const char* kind, std::string key, Message text) {
        m_plan.obstacles.push_back({refused, kind, std::move(key), std::move(text)});
    }

    void obstacles(const config::RiskContext& around) {
        missingLibTorch();
        const std::size_t before = m_plan.obstacles.size();
        if (!m_read.openTrain.empty())
            obstacle(true, "data", kTrainManifest, "no manifest has been chosen yet");
        missingFiles(around);
        if (m_plan.obstacles.size() == before && m_read.openValidation.empty())
            if (const auto data = checkData(m_recipe, worldSize()); !data)
                refusedData(data.error());
        const plan::MemoryPlan& memory = m_plan.memory;
        if (memory.available > 0 && memory.total > memory.available)
            obstacle(false, "memory", "model.train_ds.batch_size",
                     {"a rank needs {}, but only {} are available: it will run out of memory", ByteSize{memory.total},
                      ByteSize{memory.available}});
        if (const auto full = m_plan.disk ? diskBlocker(*m_plan.disk) : std::nullopt)
            m_plan.obstacles.push_back(*full);
    }

    /// Checks for LibTorch only if a trainer is installed, and only on this machine.
    void missingLibTorch() {
        if (!m_options.target.name.empty() || !findProgram("rankscope-trainer"))
            return;
        if (const auto trainer = findTrainer(); !trainer)
            obstacle(true, "trainer", "", trainer.error().what);
    }

    static Message missing(const std::string& file) {
        if (file.find("resources/sample/data/") != std::string::npos)
            return {"{} does not exist: run rankscope-setup, which creates the sample speech (in a checkout: "
                    "resources/sample/make.sh)",
                    file};
        if (std::filesystem::path(file).is_absolute())
            return {"{} does not exist", file};
        return {"{} does not exist (a relative path starts at the working folder)", file};
    }

    void missingFiles(const config::RiskContext& around) {
        std::set<std::string> told;
        for (const config::PathFact& file : around.paths)
            if (!file.exists && told.insert(file.path).second)
                obstacle(true, "data", file.key, missing(file.path));
    }

    /// Takes an error whose place begins with the key, as checkData() reports it.
    void refusedData(const Error& error) {
        const auto end = error.where.find(": ");
        const std::string file = end == std::string::npos ? "" : error.where.substr(end + 2);
        obstacle(true, "data", error.where.substr(0, end), Error{error.code, error.what, file}.asMessage());
    }

    void speed() {
        if (m_options.reached && m_options.target.name.empty())
            if (const auto before = m_options.reached(m_plan, m_recipe); before.flopsPerSecond > 0) {
                m_plan.speed = plan::speedAt(m_plan, m_recipe, before.flopsPerSecond);
                m_plan.speed->run = before.run;
                m_plan.speed->measuredSteps = before.steps;
                return;
            }
        m_plan.speed = plan::estimatedSpeed(m_plan, m_recipe, m_options.target);
    }

    void path(config::RiskContext& s, const std::string& key, const std::string& file) const {
        std::error_code ec;
        if (!file.empty())
            s.paths.push_back({key, file, std::filesystem::exists(file, ec)});
    }
    void paths(config::RiskContext& s, const std::string& section, const config::DatasetConfig& data, bool open) const {
        if (!open)
            for (const auto& file : data.manifests)
                path(s, section + ".manifest_filepath", file);
        for (const auto& file : data.noiseManifests)
            path(s, section + ".noise_manifest", file);
        for (const auto& shards : data.tarred.shards)
            for (const auto& file : shards)
                path(s, section + ".tarred_audio_filepaths", file);
    }

    config::RiskContext surroundings() const {
        config::RiskContext s;
        s.machine = m_options.machine;
        s.ranks = worldSize();
        s.device = m_plan.device;
        paths(s, "model.train_ds", m_recipe.train, !m_read.openTrain.empty());
        if (m_recipe.validation)
            paths(s, "model.validation_ds", *m_recipe.validation, !m_read.openValidation.empty());
        if (m_read.openTrain.empty())
            s.train = m_plan.train.facts;
        if (m_plan.validation && m_read.openValidation.empty())
            s.validation = m_plan.validation->facts;
        s.rankMemoryBytes = m_plan.memory.total;
        s.fittingBatch = fittingBatch();
        if (m_plan.train.problem.empty()) {
            if (m_plan.steps.batchesPerEpoch > 0) { // otherwise a limit leaves none
                s.batchesPerEpoch = m_plan.steps.batchesPerEpoch;
                s.totalSteps = m_plan.steps.totalSteps;
            }
            s.lostToImbalance = m_plan.train.imbalance;
        }
        return s;
    }

    const config::Effective& m_effective;
    const std::string& m_fileName;
    ReadRecipe m_read;
    const config::Recipe& m_recipe;
    const DryRunOptions& m_options;
    std::vector<plan::TensorShape> m_shapes;
    plan::Plan m_plan;
};

bool cpuHasBfloat16() {
    const auto info = readFile("/proc/cpuinfo", 16u << 20);
    return info && (info->find("avx512_bf16") != std::string::npos || info->find("amx_bf16") != std::string::npos);
}

} // namespace

Result<plan::Plan> dryRun(const config::Effective& effective, const std::string& fileName,
                          const DryRunOptions& options) {
    RS_TRY_ASSIGN(auto read, readOpen(effective, fileName));
    RS_TRY(checkInitialWeights(read.text, read.recipe.model));
    return DryRun(effective, fileName, std::move(read), options).run();
}

void addGpus(config::MachineFacts& facts, const std::vector<GpuFacts>& gpus) {
    const auto smaller = [](auto known, auto other) { return known > 0 ? std::min(known, other) : other; };
    for (const GpuFacts& gpu : gpus) {
        if (gpu.totalBytes > 0)
            facts.gpuMemoryBytes = smaller(facts.gpuMemoryBytes, gpu.totalBytes);
        if (gpu.computeCapability > 0)
            facts.gpuComputeCapability = smaller(facts.gpuComputeCapability, gpu.computeCapability);
    }
}

config::MachineFacts machineFacts() {
    config::MachineFacts facts;
    const Machine machine = thisMachine();
    facts.cores = machine.cores;
    facts.gpus = machine.gpus;
    facts.visibleGpus = machine.visible;
    facts.bfloat16Units = cpuHasBfloat16();
    const auto membership = readFile("/proc/self/cgroup", 1u << 16), meminfo = readFile("/proc/meminfo", 1u << 16);
    if (meminfo)
        facts.memoryBytes = std::max<std::int64_t>(
            0, groupFacts(membership.value_or(""), *meminfo, usualGroupMounts()).memoryLimitBytes);
    if (facts.gpus == 0)
        return facts;
    if (const auto nvml = Nvml::load()) // without it the figures remain unknown
        addGpus(facts, nvml->devices());
    return facts;
}

} // namespace rankscope::launch
