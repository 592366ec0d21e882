// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/unit_format.h"
#include "core/telemetry/journal/journal_reader.h"
#include "core/telemetry/journal/journal_writer.h"
#include "core/trainer/distributed/observe/observed_group.h"
#include "core/trainer/distributed/parallel/data_parallel.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/libtorch.h"
#include "tests/core/trainer/distributed/run_ranks.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

namespace rankscope::test {
namespace {

using namespace trainer;
namespace fs = std::filesystem;

// Before main(), because Qt Test reads the environment in a separate thread.
[[maybe_unused]] const bool kFlightRecorderOff = (disableFlightRecorder(), true);

constexpr int kRanks = 2;
constexpr int kWidth = 600; // 1.4 MB per layer: more than fits into the first bucket

RankResult collect(const fs::path& rankDir) {
    RankResult result;
    telemetry::JournalReader reader(rankDir);
    std::vector<telemetry::AnyRecord> records;
    reader.read(records, 100'000, true);
    for (const auto& any : records) {
        if (const auto* collective = any.as<telemetry::CollectiveRecord>()) {
            (collective->group == 0 ? result.collectives : result.peerTraffic).push_back(*collective);
        }
    }
    std::sort(result.collectives.begin(), result.collectives.end(),
              [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    if (auto board = telemetry::BoardReader::open(rankDir / "board")) {
        result.board = board->snapshot();
    }
    return result;
}

void runRank(const c10::intrusive_ptr<c10d::Store>& store, int rank, const fs::path& dir, const Scene& scene,
             RankResult& result) {
    const fs::path rankDir = dir / std::to_string(rank);
    fs::create_directories(rankDir);
    RankResult own;
    {
        auto board = telemetry::BoardWriter::create(rankDir / "board");
        auto journal = telemetry::JournalWriter::create(rankDir);
        if (!board || !journal) {
            result.thrown = !board ? board.error().message() : journal.error().message();
            return;
        }
        auto telemetry = std::make_shared<observer::RankTelemetry>(std::move(*board), std::move(*journal));
        GroupOptions options;
        options.collectiveTimeout = options.joinTimeout = std::chrono::seconds(30);
        auto joined = ObservedGroup::over(store, rank, kRanks, true, options, telemetry);
        if (!joined) {
            result.thrown = joined.error().message();
            return;
        }
        std::shared_ptr<ObservedGroup> group(std::move(*joined));
        try {
            scene(group, *telemetry, own);
        } catch (const std::exception& error) {
            own.thrown = error.what();
        }
        if (const auto failure = group->failure()) {
            own.failure = failure->sentence().english();
        }
    }
    result = collect(rankDir);
    result.thrown = own.thrown;
    result.failure = own.failure;
    result.weightsHash = own.weightsHash;
    result.values = own.values;
    result.gradient = own.gradient;
    result.exposedNs = own.exposedNs;
    const std::int64_t last = result.collectives.empty() ? -1 : result.collectives.back().header.step;
    while (result.find("gradient:" + std::to_string(result.buckets), last))
        ++result.buckets;
}

} // namespace

RankResults runRanks(const fs::path& dir, const Scene& scene) {
    auto store = c10::make_intrusive<c10d::HashStore>();
    RankResults results(kRanks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
        threads.emplace_back([&, rank] { runRank(store, rank, dir, scene, results[static_cast<std::size_t>(rank)]); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    return results;
}

namespace {

// The process has one generator, which both threads share: weights and data are made without it.
torch::Tensor pattern(at::IntArrayRef shape, double phase) {
    const std::int64_t n = c10::multiply_integers(shape);
    return (torch::arange(n, torch::kFloat32) * 0.37 + phase).sin().reshape(shape);
}

torch::nn::Sequential makeNet(double phase) {
    torch::nn::Sequential net(torch::nn::Linear(kWidth, kWidth), torch::nn::Tanh(), torch::nn::BatchNorm1d(kWidth),
                              torch::nn::Linear(kWidth, kWidth));
    const torch::NoGradGuard noGrad;
    for (auto& parameter : net->parameters()) {
        parameter.copy_(pattern(parameter.sizes(), phase) * 0.05);
    }
    return net;
}

ReplicaState stateOf(torch::nn::Module& net) {
    ReplicaState state;
    for (const auto& item : net.named_parameters()) {
        state.parameters.emplace_back(item.key(), item.value());
    }
    for (const auto& item : net.named_buffers()) {
        state.buffers.emplace_back(item.key(), item.value());
    }
    return state;
}

std::uint64_t hashOf(torch::nn::Module& net) {
    std::uint64_t hash = hash64("");
    for (const auto& parameter : net.parameters()) {
        const auto bytes = parameter.detach().contiguous();
        hash = hash64({static_cast<const char*>(bytes.data_ptr()), bytes.nbytes()}, hash);
    }
    return hash;
}

torch::Tensor dataOf(int rank, int step) {
    return pattern({4, kWidth}, rank * 11.0 + step * 3.0);
}

// Without batch norm, whose statistics would differ between ranks.
torch::Tensor plainLoss(torch::nn::Linear& net, const torch::Tensor& data) {
    return net->forward(data).square().mean();
}

torch::nn::Linear plainNet() {
    torch::nn::Linear net(kWidth, kWidth);
    const torch::NoGradGuard noGrad;
    for (auto& parameter : net->parameters()) {
        parameter.copy_(pattern(parameter.sizes(), 0.5) * 0.05);
    }
    return net;
}

std::vector<float> numbers(const torch::Tensor& tensor) {
    const auto flat = tensor.detach().to(torch::kFloat32).contiguous().reshape(-1);
    return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

} // namespace

const telemetry::CollectiveRecord* RankResult::find(const std::string& tag, std::int64_t step) const {
    for (const auto& record : collectives) {
        if (record.header.step == step && telemetry::getText(record.tag, sizeof record.tag) == tag) {
            return &record;
        }
    }
    return nullptr;
}

RankResults trainSmallNet(const TrainScene& scene, const fs::path& dir) {
    return runRanks(dir, [&](const auto& group, observer::RankTelemetry& telemetry, RankResult& result) {
        auto net = makeNet(group->rank() * 7.0);
        DataParallelOptions options;
        options.findUnusedParameters = scene.findUnused;
        options.broadcastBuffers = scene.broadcastBuffers;
        options.staticGraph = scene.staticGraph;
        options.commHook = commHookNamed(scene.hook).value();
        if (scene.bucketCapMb > 0) {
            options.bucketCapMb = scene.bucketCapMb;
        }
        ReplicaState state = stateOf(*net);
        if (scene.unusedParameter) {
            state.parameters.emplace_back("unused", torch::zeros({kWidth}).requires_grad_(true));
        }
        DataParallel parallel(group, state, options);
        torch::optim::SGD optimizer(net->parameters(), 0.1);
        for (int step = 0; step < scene.steps; ++step) {
            telemetry.beginStep(step, 0);
            for (auto& parameter : net->parameters()) {
                if (parameter.grad().defined()) {
                    parameter.mutable_grad().zero_();
                }
            }
            for (int micro = 0; micro < scene.accumulate; ++micro) {
                const bool sync = micro + 1 == scene.accumulate;
                parallel.beforeForward(sync);
                telemetry.phase(telemetry::Phase::Forward);
                const auto loss = net->forward(dataOf(group->rank(), step + micro * 100)).square().mean();
                if (group->rank() == scene.lateRank && step == scene.lateStep) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(scene.lateMs));
                }
                const auto share = parallel.beforeBackward(loss, sync);
                telemetry.phase(telemetry::Phase::Backward);
                share.backward();
                result.exposedNs.push_back(parallel.afterBackward());
                result.values.push_back(loss.template item<float>());
            }
            result.gradient = numbers(net->parameters().front().grad());
            optimizer.step();
        }
        telemetry.phase(telemetry::Phase::None);
        result.weightsHash = hashOf(*net);
        group->barrier("end");
    });
}

std::vector<float> jointGradient() {
    auto net = plainNet();
    plainLoss(net, torch::cat({dataOf(0, 0), dataOf(1, 0)})).backward();
    return numbers(net->weight.grad());
}

RankResults averagedGradient(const fs::path& dir) {
    return runRanks(dir, [&](const auto& group, observer::RankTelemetry&, RankResult& result) {
        auto net = plainNet();
        DataParallel parallel(group, stateOf(*net), {});
        parallel.beforeForward(true);
        const auto loss = plainLoss(net, dataOf(group->rank(), 0));
        parallel.beforeBackward(loss, true).backward();
        parallel.afterBackward();
        result.values = numbers(net->weight.grad());
        group->barrier("end");
    });
}

RankResults everyOperation(const fs::path& dir) {
    return runRanks(dir, [](const auto& group, observer::RankTelemetry&, RankResult& result) {
        const auto& pg = group->processGroup();
        const int rank = group->rank();
        const auto make = [&](double offset) { return torch::full({3}, rank + offset); };
        const auto keep = [&](const torch::Tensor& tensor) {
            result.values.push_back(tensor.sum().template item<float>());
        };
        const auto done = [](const c10::intrusive_ptr<c10d::Work>& work) { work->wait(); };
        std::vector<torch::Tensor> in{make(1)}, out{make(0)};
        std::vector<std::vector<torch::Tensor>> lists{{torch::zeros({3}), torch::zeros({3})}};

        {
            const CollectiveTag tag("allreduce");
            done(pg->allreduce(in));
        }
        keep(in[0]); // (1 + 2) x 3
        {
            const CollectiveTag tag("allreduce_coalesced");
            done(pg->allreduce_coalesced(in));
        }
        keep(in[0]); // doubled
        {
            const CollectiveTag tag("broadcast");
            in[0] = make(1);
            done(pg->broadcast(in));
        }
        keep(in[0]); // 1 x 3
        {
            const CollectiveTag tag("reduce");
            in[0] = make(1);
            done(pg->reduce(in));
        }
        keep(rank == 0 ? in[0] : torch::full({3}, 3.0)); // 3 x 3 at the root
        {
            const CollectiveTag tag("allgather");
            in[0] = make(1);
            done(pg->allgather(lists, in));
        }
        keep(lists[0][1]); // 2 x 3
        torch::Tensor one = make(5), both = torch::zeros({6});
        {
            const CollectiveTag tag("allgather_base");
            done(allGatherSingle(*pg, both, one));
        }
        keep(both); // (5 + 6) x 3
        {
            const CollectiveTag tag("reduce_scatter");
            std::vector<std::vector<torch::Tensor>> parts{{torch::ones({3}), torch::full({3}, 2.0)}};
            done(pg->reduce_scatter(out, parts));
        }
        keep(out[0] / (rank + 1)); // 2 x 3
        {
            const CollectiveTag tag("gather");
            std::vector<std::vector<torch::Tensor>> root;
            if (rank == 0) {
                root = lists;
            }
            in[0] = make(1);
            done(pg->gather(root, in));
        }
        {
            const CollectiveTag tag("scatter");
            std::vector<std::vector<torch::Tensor>> parts;
            if (rank == 0) {
                parts = {{torch::full({3}, 7.0), torch::full({3}, 7.0)}};
            }
            done(pg->scatter(out, parts));
        }
        keep(out[0]); // 7 x 3
        std::vector<torch::Tensor> letter{torch::full({4}, rank == 0 ? 9.0 : 0.0)};
        {
            const CollectiveTag tag("letter");
            done(rank == 0 ? pg->send(letter, 1, 0) : pg->recv(letter, 0, 0));
        }
        keep(letter[0]); // 9 x 4
        group->barrier("last");
    });
}

RankResults peerLeaves(const fs::path& dir) {
    return runRanks(dir, [](const auto& group, observer::RankTelemetry&, RankResult&) {
        group->barrier("both");
        if (group->rank() == 1) {
            return; // its connections close
        }
        torch::Tensor value = torch::ones({1});
        CollectiveTag tag("metrics", CollectiveTag::Exposure::Kept);
        group->allReduce(value, c10d::ReduceOp::SUM, tag);
    });
}

RankResults exchanges(const fs::path& dir) {
    return runRanks(dir, [](const auto& group, observer::RankTelemetry&, RankResult& result) {
        ObservedStatsExchange stats(group);
        result.values = numbers(stats.allGather(torch::full({5}, group->rank() + 1.0), "encoder.layers.0.conv"));
        torch::Tensor sums = torch::full({4}, group->rank() + 1.0);
        stats.allReduceSum(sums, "encoder.layers.0.conv");
        result.values.push_back(sums[0].template item<float>());
        result.values.push_back(static_cast<float>(syncMaxAudioLength(*group, 100 + group->rank())));
        for (const std::int64_t number : gatherNumbers(*group, std::int64_t{1} << (40 + group->rank()), "metrics")) {
            result.values.push_back(static_cast<float>(number));
        }
    });
}

} // namespace rankscope::test
