// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/train.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/config/effective/read_recipe.h"
#include "core/observer/resource_sampler.h"
#include "core/telemetry/board/control_page.h"
#include "core/telemetry/board/leave_request.h"
#include "core/telemetry/format/note_markers.h"
#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/checkpoint/weights.h"
#include "core/trainer/distributed/parallel/device_stream_timer.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/exception_text.h"
#include "core/trainer/loop/process/stop_request.h"
#include "core/trainer/loop/setup/checkpointing.h"
#include "core/trainer/loop/setup/rank_setup.h"
#include "core/trainer/loop/setup/resume.h"
#include "core/trainer/loop/training_loop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string_view>

namespace rankscope::trainer {
namespace {

namespace fs = std::filesystem;
using telemetry::EndCause;
using telemetry::Phase;
using telemetry::RankStage;

int exitCodeOf(Errc code) {
    switch (code) {
    case Errc::BadInput:
    case Errc::NotFound:
    case Errc::Permission:
    case Errc::Malformed:
    case Errc::Unsupported:
        return kTrainBadInput;
    default:
        return kTrainFailed;
    }
}

struct TrainResult {
    EndCause cause = EndCause::Finished;
    int exitCode = kTrainDone;
    std::uint64_t weightsHash = 0;
    std::string text;
};

TrainResult failed(const Error& error) {
    return {EndCause::Failed, exitCodeOf(error.code), 0, error.message()};
}

Result<std::shared_ptr<observer::RankTelemetry>> openTelemetry(const fs::path& runDir, int rank) {
    if (runDir.empty())
        return std::make_shared<observer::RankTelemetry>(observer::RankTelemetry::detached());
    RS_TRY(makePrivateDirs(runDir));
    RS_TRY_ASSIGN(const auto run, GuardedFolder::open(runDir));
    RS_TRY_ASSIGN(const auto ranks, run.makeFolder("ranks"));
    RS_TRY_ASSIGN(const auto folder, ranks.makeFolder(std::to_string(rank)));
    RS_TRY_ASSIGN(auto board, telemetry::BoardWriter::create(folder.path() / "board"));
    RS_TRY_ASSIGN(auto journal, telemetry::JournalWriter::create(folder.path()));
    return std::make_shared<observer::RankTelemetry>(std::move(board), std::move(journal));
}

/// Writes the configuration into a folder that no supervisor made, so that it records what was trained: `rankscopectl
/// collect` looks for it.
Result<void> keepConfig(const fs::path& runDir, const RankEnvironment& me, const std::string& text) {
    std::error_code ignored;
    const fs::path kept = runDir / "effective.yaml";
    if (runDir.empty() || me.localRank != 0 || fs::exists(kept, ignored))
        return {};
    return writeRunFile(kept, text);
}

bool isLed(const fs::path& runDir) {
    std::error_code ignored;
    return !runDir.empty() && fs::exists(runDir / "control", ignored);
}

/// Returns none if no supervisor leads this run.
std::optional<telemetry::ControlPage> openControl(const fs::path& runDir) {
    if (!isLed(runDir))
        return std::nullopt;
    auto page = telemetry::ControlPage::open(runDir / "control");
    return page ? std::optional(std::move(*page)) : std::nullopt;
}

void anchor(const RankRuntime& rank) {
    telemetry::AnchorRecord record;
    record.monotonicNs = monotonicNs();
    record.realtimeNs = realtimeNs();
    record.rank = rank.me.rank;
    record.worldSize = rank.me.worldSize;
    record.localRank = rank.me.localRank;
    record.pid = ::getpid();
    record.configHash = rank.recipe.configHash;
    std::array<char, sizeof record.host> host{};
    ::gethostname(host.data(), host.size() - 1);
    telemetry::putText(record.host, sizeof record.host, host.data());
    telemetry::putText(record.device, sizeof record.device, rank.device.str());
    rank.telemetry->journal().append(record);
}

void identify(const RankRuntime& rank, std::int64_t totalSteps, std::int64_t stepsPerEpoch) {
    rank.telemetry->board().identify(rank.me.rank, rank.me.worldSize, rank.recipe.configHash, rank.device.str(),
                                     totalSteps, stepsPerEpoch);
}

void announce(const RankRuntime& rank) {
    std::int64_t parameters = 0;
    for (const auto& parameter : rank.parameters)
        parameters += parameter.numel();
    const std::int64_t total = rank.plan.totalSteps();
    rank.log.info(fmt::format("one of {} on {}, {} threads: {} parameters, {} utterances, {} batches an epoch, {}",
                              rank.me.worldSize, rank.device.str(), at::get_num_threads(), parameters,
                              rank.loader->utterances(), rank.plan.batchesPerEpoch,
                              total > 0 ? fmt::format("{} steps", total) : "no limit of steps"));
    const auto& trainer = rank.recipe.trainer;
    if (trainer.deterministic != "false" && !trainer.seed) {
        rank.log.warning(fmt::format("trainer.deterministic is {}, but rankscope.seed is null: this run cannot be "
                                     "repeated",
                                     trainer.deterministic));
    }
    if (!rank.precision.sentence().empty())
        rank.log.info(rank.precision.sentence());
    if (!rank.precision.warning().empty())
        rank.log.warning(rank.precision.warning());
    for (const std::string& sentence : rank.faults->sentences())
        rank.log.warning(sentence);
}

std::string skippedSteps(const RankRuntime& rank) {
    const GradScaler* scaler = rank.precision.scaler();
    return scaler && scaler->skippedSteps() > 0
               ? fmt::format(", {} of them skipped by the gradient scaler", scaler->skippedSteps())
               : "";
}

/// A run whose weights are not finite continues, as in NeMo; this text reports it to the user.
std::string weightsRemark(const RankRuntime& rank) {
    return firstNotFinite(rank.model->stateDict()) ? fmt::format(", {}", telemetry::kWeightsNotFinite) : "";
}

std::string lengthTimeouts(const RankRuntime& rank) {
    const std::int64_t count = rank.lengthSync ? rank.lengthSync->timeouts() : 0;
    return count > 0 ? fmt::format(", {} length sync{} timed out", count, count == 1 ? "" : "s") : "";
}

/// Loads initial weights that are not random: a checkpoint's, or those of a file.
Result<std::optional<ResumePoint>> restoreState(RankRuntime& rank, const TrainArguments& arguments) {
    auto resumed = resume(rank, arguments.runDir, arguments.resume);
    if (resumed && !*resumed)
        RS_TRY(loadInitialWeights(rank));
    if (resumed && *resumed) {
        rank.log.info(
            fmt::format("continues after {} steps, from {}", (*resumed)->progress.step, (*resumed)->file.string()));
    }
    return resumed;
}

/// Checks that parameters are equal on all ranks, as they are in a sound run, since gradients are averaged.
void compareWeights(RankRuntime& rank) {
    const auto others = ranksWithOtherHash(*rank.group, stateHash(rank.model->trainable()), "check:weights");
    if (!others.empty())
        rank.log.error(fmt::format("the weights of rank {} differ from rank 0's: gradients were not averaged",
                                   fmt::join(others, ", ")));
}

/// After the last step: compares the ranks' weights, writes the last checkpoint and the .nemo (rank 0), and waits for
/// the others. Returns the hash of parameters and buffers. Throws what collectives throw.
Result<std::uint64_t> finish(RankRuntime& rank, Checkpointing& checkpointing, bool stopped) {
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        compareWeights(rank);
    }
    const Result<void> saved = checkpointing.finish(stopped); // before buffers change: a run may be resumed from it
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        // without SyncBatchNorm each rank has its own running statistics; rank 0's were saved
        rank.parallel->broadcastBuffers();
    }
    const std::uint64_t hash = stateHash(rank.model->stateDict());
    if (rank.group) {
        rank.telemetry->phase(Phase::Barrier);
        rank.group->barrier("end"); // also when saving failed: the others wait here
    }
    rank.telemetry->phase(Phase::None);
    RS_TRY(saved);
    return hash;
}

Result<TrainResult> runToTheEnd(RankRuntime& rank, const TrainArguments& arguments) {
    const fs::path& runDir = arguments.runDir;
    rank.telemetry->phase(Phase::Startup);
    RS_TRY(buildAlone(rank));
    identify(rank, rank.plan.totalSteps(), rank.plan.stepsPerEpoch());
    announce(rank);
    RS_TRY_ASSIGN(const auto resumed, restoreState(rank, arguments));
    rank.faults->beforeJoin();
    rank.telemetry->board().stage(RankStage::Joining);
    rank.telemetry->phase(Phase::Rendezvous);
    RS_TRY(joinOthers(rank));
    RS_TRY(compareResumed(rank, resumed));
    RS_TRY_ASSIGN(auto checkpointing, Checkpointing::open(rank, runDir));
    rank.telemetry->phase(Phase::None);
    if (!rank.device.is_cpu())
        rank.telemetry->timeByStream(std::make_unique<DeviceStreamTimer>(rank.device));
    rank.telemetry->board().stage(RankStage::Running);

    const auto control = openControl(runDir);
    const StopRule rule{control.has_value()};
    TrainingLoop loop(rank, [&](std::int64_t step) {
        return rule.leaves(step, control ? control->stopAtStep() : INT64_MAX, telemetry::leaveRequestedAtNs(),
                           monotonicNs());
    });
    loop.onStep([&](const CheckpointContext& step) { checkpointing->afterStep(step); });
    if (resumed) {
        checkpointing->resumed(resumed->progress);
        loop.startAfter(resumed->progress.step, trainedNs(resumed->progress));
        warmUpBuckets(rank);
        RS_TRY(restoreRng(resumed->rng, rank.device)); // nothing draws random numbers between this and the first step
    }
    const bool stopped = loop.run() == TrainingLoop::LoopEnd::Stopped;
    if (const std::string asked = requestToLeaveText(); stopped && !asked.empty())
        rank.log.warning(asked);
    RS_TRY_ASSIGN(const auto finished, finish(rank, *checkpointing, stopped));
    return TrainResult{stopped ? EndCause::Stopped : EndCause::Finished, kTrainDone, finished,
                       fmt::format("{} after {} steps{}{}{}", stopped ? "stopped" : "finished", loop.stepsDone(),
                                   weightsRemark(rank), skippedSteps(rank), lengthTimeouts(rank))};
}

/// Whether an allocation failed: c10's CPU allocator says so only in its text; the GPU's throws a separate type.
bool isOutOfMemory(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const c10::OutOfMemoryError*>(&error))
        return true;
    return std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos;
}

/// Makes an allocation that fails uncaught (in a thread of a library or a noexcept function) end the process with the
/// same code as one that fails in a step.
void endAsOutOfMemory() {
    static std::terminate_handler before = nullptr;
    before = std::set_terminate([] {
        try {
            if (const auto error = std::current_exception())
                std::rethrow_exception(error);
        } catch (const std::exception& error) {
            if (isOutOfMemory(error)) {
                constexpr std::string_view kWords = "out of memory: an allocation failed\n";
                [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
                std::_Exit(kTrainOutOfMemory);
            }
        } catch (...) {
            before();
        }
        before();
    });
}

/// Returns the ending of a failed run. For a failed collective c10d's exception says little, so the collective is
/// named.
TrainResult failedRun(const RankRuntime& rank, const std::exception& error) {
    const std::string where = fmt::format("rank {}", rank.me.rank);
    if (const auto* own = dynamic_cast<const RunError*>(&error))
        return failed(own->error());
    if (isOutOfMemory(error)) {
        TrainResult ending = failed({Errc::Internal, "out of memory: an allocation failed", where});
        ending.exitCode = kTrainOutOfMemory;
        return ending;
    }
    const auto failure = rank.group ? rank.group->failure() : std::nullopt;
    if (failure)
        return failed({Errc::Io, failure->sentence(), where});
    return failed({Errc::Internal, firstLine(error), where});
}

void end(const RankRuntime& rank, const TrainResult& ending) {
    observer::RankTelemetry& telemetry = *rank.telemetry;
    if (ending.cause == EndCause::Failed)
        telemetry.timeByThread();
    // the board of a failed rank continues to show where it failed
    telemetry.phase(ending.cause == EndCause::Failed ? telemetry.phase() : Phase::None);
    telemetry::EndRecord record;
    record.header.step = telemetry.step();
    record.cause = ending.cause;
    record.exitCode = ending.exitCode;
    record.weightsHash = ending.weightsHash;
    record.droppedRecords = telemetry.dropped();
    telemetry::putText(record.text, sizeof record.text, ending.text);
    telemetry.journal().append(record);
    telemetry.board().stage(telemetry::stageAfter(ending.cause));
    if (ending.cause == EndCause::Failed)
        std::fprintf(stderr, "rankscope-trainer: %s\n", printable(ending.text).c_str());
    else
        rank.log.info(fmt::format("{}, weights {:016x}", ending.text, ending.weightsHash));
}

int refuse(const Error& error) {
    std::fprintf(stderr, "rankscope-trainer: %s\n", printable(error.message()).c_str());
    return exitCodeOf(error.code);
}

TrainResult runGuarded(RankRuntime& rank, const TrainArguments& arguments) {
    TrainResult ending;
    {
        const observer::ResourceSampler resources(rank.telemetry);
        try {
            const auto ended = runToTheEnd(rank, arguments);
            ending = ended ? *ended : failed(ended.error());
        } catch (const std::exception& error) {
            ending = failedRun(rank, error);
        }
        if (rank.faults)
            rank.faults->cancel();
        if (rank.loader)
            rank.loader->cancel();
    } // the last resource record comes before the end record
    return ending;
}

/// The inputs of a run.
struct Inputs {
    RankEnvironment me;
    std::string text; ///< the configuration that this rank trains with
    config::Recipe recipe;
    config::CheckpointRecipe keeping;
    std::shared_ptr<observer::RankTelemetry> telemetry;
};

Result<Inputs> readInputs(const TrainArguments& arguments) {
    const std::string file = arguments.config.string();
    Inputs in;
    RS_TRY_ASSIGN(in.me, readRankEnvironment());
    RS_TRY_ASSIGN(const auto shared, readFile(arguments.config));
    RS_TRY_ASSIGN(in.recipe, config::readRecipe(shared, file));
    RS_TRY_ASSIGN(in.text, textForRank(shared, in.recipe, in.me.rank));
    if (in.text != shared) {
        RS_TRY_ASSIGN(in.recipe, config::readRecipe(in.text, file));
    }
    RS_TRY_ASSIGN(in.keeping, config::readCheckpointRecipe(in.text, file));
    useDeterminism(in.recipe.trainer); // sets an environment variable, so only while this is the only thread
    RS_TRY_ASSIGN(in.telemetry, openTelemetry(arguments.runDir, in.me.rank));
    RS_TRY(keepConfig(arguments.runDir, in.me, shared));
    return in;
}

} // namespace

int train(const TrainArguments& arguments) {
    installStopSignals(isLed(arguments.runDir));
    endAsOutOfMemory();
    disableFlightRecorder();
    auto inputs = readInputs(arguments);
    if (!inputs)
        return refuse(inputs.error());
    const auto& [me, text, recipe, keeping, telemetry] = *inputs;
    std::unique_ptr<RankRuntime> owned(new RankRuntime{recipe, me, at::kCPU, telemetry, RunLog(me.rank, telemetry)});
    RankRuntime& rank = *owned;
    rank.configText = text;
    rank.keeping = keeping;
    rank.led = isLed(arguments.runDir);
    if (arguments.runDir.empty() && me.rank == 0)
        rank.log.warning(
            "nothing of this run is saved, neither checkpoints and weights nor measurements: give it a folder "
            "with --run-dir DIR");
    const telemetry::LeaveRequestOnBoard shown(rank.telemetry->board());
    const auto possible = checkTrainer(recipe);
    const auto device = chooseDevice(recipe.trainer, me.localRank);
    if (device)
        rank.device = *device;
    identify(rank, 0, 0);
    rank.telemetry->board().stage(RankStage::Starting);
    anchor(rank);
    const TrainResult ending = !possible ? failed(possible.error())
                               : !device ? failed(device.error())
                                         : runGuarded(rank, arguments);
    end(rank, ending);
    if (ending.cause == EndCause::Failed) {
        // Gloo's destructor waits for collectives in progress, which never end if a peer is gone or stuck.
        static_cast<void>(owned.release());
    }
    return ending.exitCode;
}

} // namespace rankscope::trainer
