// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/remedies.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::explain {
namespace {

using Presence = RankRow::Presence;

bool nothingFound(const HangEvidence& e) {
    return e.timeouts.empty() && e.mismatches.empty() && e.missing.empty() && e.connections.empty() && e.ends.empty() &&
           e.monitors.empty() && e.dumps.empty();
}

/// Returns where the dumps are that ranks said to have written; none if the input has dumps.
std::optional<Action> writtenDumps(const HangEvidence& e) {
    const DumpNotice* written = nullptr;
    bool isOff = false;
    for (const DumpNotice& notice : e.dumpNotices) {
        isOff = isOff || notice.isOff;
        if (!notice.isOff && (!written || (written->path.empty() && !notice.path.empty())))
            written = &notice;
    }
    if (!written || !e.dumps.empty() || (isOff && written->path.empty()))
        return std::nullopt;
    if (!written->path.empty())
        return Action{{"{} wrote the Flight Recorder dump {}: give explain the dumps of all ranks, too",
                       written->rank ? Message("{}", Ranks{{*written->rank}}) : Message("a rank"), written->path},
                      "",
                      ""};
    return Action{"look for Flight Recorder dumps on every host, which explain reads: nccl_trace_rank_N or "
                  "comm_lib_trace_rank_N in /tmp or ~/.cache/torch",
                  "", ""};
}

} // namespace

std::vector<Action> batchRemedies() {
    return {{"leave out the last, smaller batches, so that all ranks have as many", "model.train_ds.drop_last", "true"},
            {"let Lightning give all ranks equal shares", "trainer.use_distributed_sampler", "true"},
            {"with Lhotse or tar files, end an epoch by a number of batches that every rank has: "
             "trainer.limit_train_batches, trainer.limit_val_batches",
             "", ""}};
}

std::vector<Action> validationRemedies() {
    return {{"end validation by a number of batches that every rank has: trainer.limit_val_batches", "", ""},
            {"let Lightning give all ranks equal shares", "trainer.use_distributed_sampler", "true"}};
}

std::vector<Action> dataRemedies() {
    return {{"read batches ahead, so that a slow file does not hold all ranks", "model.train_ds.num_workers", "8"}};
}

std::vector<Action> memoryRemedies() {
    return {{"look for the reason: dmesg or journalctl -k for the kernel's out-of-memory killer, sacct -j JOB "
             "--format=State,MaxRSS for the scheduler's",
             "", ""},
            {"let fewer loader processes hold batches", "model.train_ds.num_workers", "2"}};
}

std::vector<Action> loggingRemedies() {
    return {{"call log(…, sync_dist=True), metrics and barriers on all ranks, equally often and with the same names; "
             "for a value of one rank: log(…, sync_dist=False, rank_zero_only=True)",
             "", ""}};
}

std::vector<Action> networkRemedies() {
    return {
        {"start once with NCCL_DEBUG=INFO, and check NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME, links and nvidia-smi on "
         "every host",
         "", ""}};
}

std::vector<Action> bufferRemedies(bool grew) {
    std::vector<Action> actions;
    if (grew)
        actions.push_back({"let the tables grow together on all ranks", "model.encoder.sync_max_audio_length", "true"});
    actions.push_back(
        {"with SyncBatchNorm, or without batch norm, no buffer needs DDP's broadcast; turn it off in NeMo "
         "with Lightning's DDPStrategy",
         "trainer.strategy",
         "{_target_: lightning.pytorch.strategies.DDPStrategy, broadcast_buffers: "
         "false}"});
    return actions;
}

std::vector<Action> actionsNow(const Findings& findings, const std::vector<ProbableCause>& causes) {
    std::vector<Action> actions;
    const std::vector<int> ranks = causes.empty() ? std::vector<int>{} : causes.front().ranks;
    if (findings.verdict == Verdict::RankDead && !ranks.empty())
        actions.push_back(
            {{"read the log of {} from its end upwards: what the others say came later", Ranks{ranks}}, "", ""});
    else if (!ranks.empty())
        actions.push_back({{"look at {} first: the log above the timeout, or, while the run hangs, the stack: py-spy "
                            "dump --pid PID",
                            Ranks{ranks}},
                           "",
                           ""});
    if (auto dumps = writtenDumps(*findings.evidence))
        actions.push_back(*std::move(dumps));
    if (findings.verdict == Verdict::NotEnoughData)
        actions.push_back({"give the logs and dumps of all ranks together, as files or as their folder", "", ""});
    else
        actions.push_back({"compare the recipe with NeMo's and see which settings can hang ranks: rankscopectl plan "
                           "RECIPE",
                           "", ""});
    return actions;
}

std::vector<Action> actionsNextTime(const Findings& findings) {
    const HangEvidence& e = *findings.evidence;
    std::vector<Action> actions;
    if (e.dumps.empty())
        actions.push_back({"TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 (before PyTorch 2.9: "
                           "TORCH_NCCL_TRACE_BUFFER_SIZE=2000): each rank leaves a Flight Recorder dump for explain",
                           "", ""});
    if (!findings.stuck.empty() && e.timeouts.empty())
        actions.push_back({"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=3600: the monitor waits until the collectives have timed "
                           "out and said which they are",
                           "", ""});
    if (findings.verdict != Verdict::RankDead && e.mismatches.empty())
        actions.push_back({"TORCH_DISTRIBUTED_DEBUG=DETAIL, for a short run: ranks compare each collective before it "
                           "runs, and name who differs",
                           "", ""});
    const bool unknown = !findings.ranks(Presence::Unknown).empty() || findings.ends.empty();
    if (unknown)
        actions.push_back({"keep a log of every rank: torchrun --log-dir logs --redirects 3, or srun --output "
                           "log.%t.txt",
                           "", ""});
    return actions;
}

std::vector<Message> lackingOf(const Findings& findings) {
    const HangEvidence& e = *findings.evidence;
    std::vector<Message> lacking;
    const auto lacks = [&](Message what) { lacking.push_back(std::move(what)); };
    if (nothingFound(e)) {
        lacks({"a timeout, a mismatch, an end of a rank or a dump: the input has none"});
        return lacking;
    }
    const auto has = [&](InputFile::Kind kind, int rank) {
        return std::ranges::any_of(e.files, [&](const InputFile& file) {
            return file.kind == kind && std::ranges::find(file.ranks, rank) != file.ranks.end();
        });
    };
    std::vector<int> without, withLog;
    for (const int rank : findings.ranks(Presence::Unknown))
        if (!has(InputFile::Kind::Dump, rank))
            (has(InputFile::Kind::Log, rank) ? withLog : without).push_back(rank);
    if (!without.empty())
        lacks({"the log or the dump of {}", Ranks{without}});
    if (!withLog.empty())
        lacks({"the dump of {}: the log does not say where it was", Ranks{withLog}});
    if (!findings.hung.allKnown && findings.verdict != Verdict::Mismatch)
        lacks({"the number of ranks: give it with --ranks N"});
    if (findings.hung.waits && findings.hung.call.op == CollectiveOp::Unknown && !findings.mismatch)
        lacks({"which collective it was: messages of Gloo and of PyTorch 2.15 do not say it, dumps do"});
    for (const InputFile& file : e.files) {
        if (file.startsLate && lacking.size() < 4)
            lacks({"the beginning of {}", file.name});
        if (!file.problem.empty() && lacking.size() < 4)
            lacks({"a part of {}: {}", file.name, file.problem});
    }
    return lacking;
}

} // namespace rankscope::explain
