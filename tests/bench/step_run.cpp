// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/step_run.h"

#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/distributed/nccl/nccl_plugin.h"
#include "core/trainer/distributed/parallel/data_parallel.h"
#include "core/trainer/distributed/parallel/device_stream_timer.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/loop/precision/autocast_precision.h"
#include "core/trainer/optim/optimizers.h"
#include "core/trainer/ssl/nest_model.h"

#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>

namespace rankscope::bench {
namespace {

using namespace rankscope::trainer;
using Clock = std::chrono::steady_clock;

/// Divides a step's time into phases: mark(i) ends phase i now, or on a GPU when its stream reaches this point.
class Watch {
public:
    Watch(StepResult& result, bool keep, at::Device device) : m_result(result), m_keep(keep) {
        if (!device.is_cpu()) {
            m_stream.emplace(device);
            m_stream->mark();
        }
    }
    void mark(std::size_t phase) {
        if (m_stream) {
            m_stream->mark();
            m_marked.push_back(phase);
            return;
        }
        const auto now = Clock::now();
        if (m_keep)
            m_result.ms[phase].push_back(std::chrono::duration<double, std::milli>(now - m_last).count());
        m_last = now;
    }
    void finish() {
        constexpr std::size_t kWhole = kPhases.size() - 1;
        if (!m_stream) {
            m_last = m_begin;
            return mark(kWhole);
        }
        const auto times = m_stream->times(); // waits for the stream
        const auto keep = [&](std::size_t phase, std::int64_t ns) {
            if (m_keep)
                m_result.ms[phase].push_back(static_cast<double>(ns) / 1e6);
        };
        for (std::size_t i = 0; i < m_marked.size(); ++i)
            keep(m_marked[i], times[i + 1] - times[i]);
        keep(kWhole, times.back() - times.front());
    }

private:
    StepResult& m_result;
    bool m_keep;
    std::optional<DeviceStreamTimer> m_stream; ///< none: this thread's own clock
    std::vector<std::size_t> m_marked;         ///< the phases after the stream's first mark
    Clock::time_point m_begin = Clock::now(), m_last = m_begin;
};

/// Receives the model's phases; only a training pass is divided into phases.
class PhaseHooks final : public ForwardHooks {
public:
    PhaseHooks(Watch& watch, ObservedGroup* group) : m_watch(watch), m_group(group) {}

    void phase(telemetry::Phase next) override {
        if (next == telemetry::Phase::Augment)
            m_watch.mark(0);
        else if (next == telemetry::Phase::Forward)
            m_watch.mark(2);
    }
    void targetsReady() override { m_watch.mark(1); }
    void place(telemetry::ForwardSite place, int) override {
        if (place == telemetry::ForwardSite::Decoder)
            m_watch.mark(3);
    }
    std::int64_t syncMaxAudioLength(std::int64_t localMax) override {
        return m_group ? trainer::syncMaxAudioLength(*m_group, localMax) : localMax;
    }

private:
    Watch& m_watch;
    ObservedGroup* m_group;
};

struct Replica {
    std::unique_ptr<ObservedGroup> group;
    NestModel model{nullptr};
    std::vector<torch::Tensor> parameters;
    std::unique_ptr<DataParallel> parallel;
    std::unique_ptr<torch::optim::Optimizer> optimizer;
    NestInput input;
    Precision precision;
    at::Device device{at::kCPU};
};

Result<config::Recipe> recipeOf(const StepOptions& o) {
    std::vector<std::string> overrides{
        "model.encoder.sync_max_audio_length=false", "model.train_ds.manifest_filepath=none.json",
        "model.validation_ds.manifest_filepath=none.json", "model.optim.lr=1e-4", "model.optim.weight_decay=1e-3"};
    if (o.ownSizes)
        overrides.insert(overrides.end(), {fmt::format("model.encoder.d_model={}", o.dModel),
                                           fmt::format("model.encoder.n_layers={}", o.layers),
                                           fmt::format("model.encoder.n_heads={}", o.heads),
                                           fmt::format("model.num_classes={}", o.classes)});
    overrides.insert(overrides.end(), o.overrides.begin(), o.overrides.end());
    auto effective = config::evaluateFile(o.config, overrides);
    if (!effective)
        return tl::unexpected(effective.error());
    if (auto error = config::launchError(*effective, o.config))
        return tl::unexpected(*error);
    return config::readRecipe(effective->text, o.config);
}

ReplicaState stateOf(const NestModel& model) {
    ReplicaState state;
    state.parameters = model->trainable();
    std::set<std::string> trainable, buffers;
    for (const auto& [name, tensor] : state.parameters)
        trainable.insert(name);
    for (const auto& item : model->named_buffers())
        buffers.insert(item.key());
    for (const auto& [name, tensor] : model->stateDict())
        if (!trainable.contains(name))
            (buffers.contains(name) ? state.buffers : state.frozen).emplace_back(name, tensor);
    return state;
}

NestInput noise(int batch, double seconds, at::Device device) {
    const auto samples = static_cast<std::int64_t>(seconds * 16000);
    NestInput in;
    in.audio = torch::randn({batch, samples}) * 0.05;
    in.noisy = in.audio + 0.01 * torch::randn_like(in.audio);
    in.audioLen = in.noisyLen = torch::full({batch}, samples, torch::kInt64);
    for (torch::Tensor* tensor : {&in.audio, &in.noisy, &in.audioLen, &in.noisyLen})
        *tensor = tensor->to(device);
    return in;
}

Result<at::Device> deviceOf(const StepOptions& o, const RankEnvironment& me) {
    if (!o.cuda)
        return at::Device(at::kCPU);
    const auto count = cudaDeviceCount(); // loads the NCCL plug-in
    if (!count)
        return tl::unexpected(count.error());
    if (*count <= me.localRank)
        return fail(Errc::Unsupported, fmt::format("this process sees {} GPUs", *count), "--device cuda");
    at::globalContext().setAllowTF32CuBLAS(o.tf32);
    at::globalContext().setAllowTF32CuDNN(o.tf32);
    return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(me.localRank));
}

void readGpuMemory(at::Device device, StepResult& result) {
    constexpr double kMiB = 1024.0 * 1024.0;
    const auto stats = at::getDeviceAllocator(device.type())->getDeviceStats(device.index());
    result.peakGpuMiB = static_cast<double>(stats.allocated_bytes[0].peak) / kMiB; // [0]: all kinds of memory together
    result.reservedGpuMiB = static_cast<double>(stats.reserved_bytes[0].peak) / kMiB;
}

Result<void> join(Replica& replica, const RankEnvironment& me, bool takeTurns) {
    GroupOptions options;
    options.device = replica.device;
    auto group = ObservedGroup::join(me, options,
                                     std::make_shared<observer::RankTelemetry>(observer::RankTelemetry::detached()));
    if (!group)
        return tl::unexpected(group.error());
    replica.group = std::move(*group);
    DataParallelOptions ddp;
    ddp.broadcastBuffers = !takeTurns; // a step that one rank makes alone must not wait for a broadcast
    replica.parallel = std::make_unique<DataParallel>(
        std::shared_ptr<ObservedGroup>(replica.group.get(), [](ObservedGroup*) {}), stateOf(replica.model), ddp);
    return {};
}

/// `exchange` false: gradients are not exchanged, as under no_sync.
double step(Replica& r, Watch& watch, bool exchange = true) {
    PhaseHooks hooks(watch, exchange ? r.group.get() : nullptr);
    if (r.parallel)
        r.parallel->beforeForward(exchange);
    const torch::Tensor loss = [&] {
        const AutocastScope autocast = r.precision.forward();
        return r.model->loss(r.model->forward(r.input, true, hooks));
    }();
    const double value = loss.item<double>();
    watch.mark(4);
    releaseGradients(r.parameters); // as the training loop does
    (r.parallel ? r.parallel->beforeBackward(loss, exchange) : loss).backward();
    if (r.parallel)
        r.parallel->afterBackward();
    watch.mark(5);
    r.optimizer->step();
    watch.mark(6);
    watch.finish();
    return value;
}

double peakMiB() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0; // Linux counts KiB
}

} // namespace

double median(std::vector<double> values) {
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double StepResult::median(std::size_t phase) const {
    return bench::median(ms[phase]);
}

static Result<Replica> makeReplica(const StepOptions& o, const RankEnvironment& me, bool takeTurns) {
    at::set_num_threads(o.threads);
    auto recipe = recipeOf(o);
    if (!recipe)
        return tl::unexpected(recipe.error());
    const auto device = deviceOf(o, me);
    if (!device)
        return tl::unexpected(device.error());
    torch::manual_seed(0);
    Replica replica;
    replica.device = *device;
    replica.precision = Precision(recipe->trainer.precision, *device);
    replica.model = NestModel(recipe->model);
    replica.model->to(*device);
    replica.model->train();
    replica.model->setDecodeMaskedOnly(true); // as the trainer does
    for (const auto& [name, parameter] : replica.model->trainable())
        replica.parameters.push_back(parameter);
    replica.optimizer = makeOptimizer(recipe->model.optim, replica.parameters);
    replica.input = noise(o.batch, o.seconds, *device);
    if (!me.alone())
        if (auto joined = join(replica, me, takeTurns); !joined)
            return tl::unexpected(joined.error());
    return replica;
}

Result<StepResult> runSteps(const StepOptions& o) {
    auto me = readRankEnvironment();
    if (!me)
        return tl::unexpected(me.error());
    auto replica = makeReplica(o, *me, false);
    if (!replica)
        return tl::unexpected(replica.error());
    StepResult result;
    result.rank = me->rank;
    result.ranks = me->worldSize;
    for (const auto& parameter : replica->parameters)
        result.parameters += parameter.numel();
    const int before = o.cuda ? 3 : 1; // the first step allocates, and DDP creates its buckets in it
    for (int i = 0; i < before + o.steps; ++i) {
        Watch watch(result, i >= before, replica->device);
        result.losses.push_back(step(*replica, watch));
    }
    if (o.cuda)
        readGpuMemory(replica->device, result);
    if (o.kernels)
        result.kernels = kernelTimes([&] {
            Watch watch(result, false, replica->device);
            step(*replica, watch);
        });
    if (replica->group)
        replica->group->barrier("end");
    result.peakMiB = peakMiB();
    return result;
}

Result<ScalingResult> runScaling(const StepOptions& o) {
    auto me = readRankEnvironment();
    if (!me)
        return tl::unexpected(me.error());
    if (me->alone())
        return fail(Errc::BadInput, "scaling needs at least two ranks", "WORLD_SIZE");
    auto replica = makeReplica(o, *me, true);
    if (!replica)
        return tl::unexpected(replica.error());
    ScalingResult result;
    result.rank = me->rank;
    const auto turn = [&](std::vector<double>& into, bool exchange, bool keep) {
        StepResult one;
        Watch watch(one, keep, replica->device);
        step(*replica, watch, exchange);
        into.insert(into.end(), one.ms.back().begin(), one.ms.back().end());
    };
    for (int i = 0; i < 2; ++i) // the first step allocates, and DDP reorders its buckets before the second
        turn(result.both, true, false);
    for (int i = 0; i < o.steps; ++i) {
        replica->group->barrier("alone");
        if (me->rank == 0)
            turn(result.alone, false, true);
        replica->group->barrier("apart");
        turn(result.apart, false, true);
        replica->group->barrier("both");
        turn(result.both, true, true);
    }
    replica->group->barrier("end");
    return result;
}

} // namespace rankscope::bench
