// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/causes.h"

#include "core/explain/verdict/remedies.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope::explain {
namespace {

using Presence = RankRow::Presence;
using Kind = MismatchFound::Kind;

constexpr std::int64_t kMsToNs = 1'000'000, kSecondsToNs = 1'000'000'000;
constexpr std::size_t kMostPlaces = 3;

Statement seen(Message text, std::vector<Place> places = {}) {
    return {Certainty::Seen, std::move(text), std::move(places)};
}
Statement follows(Message text, std::vector<Place> places = {}) {
    return {Certainty::Follows, std::move(text), std::move(places)};
}
Statement likely(Message text) {
    return {Certainty::Likely, std::move(text), {}};
}

bool isSmall(const CollectiveCall& call) {
    return call.op == CollectiveOp::Barrier || call.elementsIn == 1;
}

class CauseFinder {
public:
    explicit CauseFinder(const Findings& findings) : m_f(findings) {}

    std::vector<ProbableCause> take() && {
        for (const RankEnd& end : m_f.ends)
            if (m_f.verdict != Verdict::Mismatch || end.kind == RankEnd::Kind::Exception ||
                end.kind == RankEnd::Kind::OutOfMemory) // ranks that differ end by themselves
                ended(end);
        switch (m_f.verdict) {
        case Verdict::Mismatch:
            mismatched();
            break;
        case Verdict::RankMissing:
            missing();
            break;
        case Verdict::RankBehind:
            behind();
            break;
        case Verdict::EveryoneInside:
            inside();
            break;
        case Verdict::NeverStarted:
            neverStarted();
            break;
        case Verdict::RankDead:
            break;
        case Verdict::NotEnoughData:
            stuckWatchdog();
            unknown();
            break;
        }
        if (m_f.verdict != Verdict::NotEnoughData)
            stuckWatchdog();
        for (ProbableCause& cause : m_causes)
            std::ranges::stable_sort(cause.evidence, {}, &Statement::certainty);
        return std::move(m_causes);
    }

private:
    ProbableCause& add(std::string id, Message title, std::vector<int> ranks) {
        m_causes.push_back({std::move(id), std::move(title), std::move(ranks), {}, {}});
        return m_causes.back();
    }

    bool hasTag(std::string_view tag) const { return !m_f.names.empty() && m_f.names.front().tag == tag; }

    /// Adds who waited in what for how long.
    void addWaiting(ProbableCause& cause) const {
        const auto ranks = m_f.ranks(Presence::Reports);
        if (ranks.empty())
            return;
        std::int64_t waited = 0;
        for (const RankRow& row : m_f.hung.rows)
            if (row.presence == Presence::Reports)
                waited = std::max(waited, row.waitedMs.value_or(0));
        auto places = placesOf(m_f.hung.rows, Presence::Reports);
        if (waited > 0)
            cause.evidence.push_back(seen({"{} waited in {} for {}", Ranks{ranks}, callWithElements(m_f.hung.call),
                                           Duration{std::min(waited, INT64_MAX / kMsToNs) * kMsToNs}},
                                          std::move(places)));
        else if (m_f.hung.call.op != CollectiveOp::Unknown || m_f.hung.call.sequence)
            cause.evidence.push_back(
                seen({"{} waited in {}", Ranks{ranks}, callWithElements(m_f.hung.call)}, std::move(places)));
        else
            cause.evidence.push_back(
                seen({"{} waited in a collective or lost the connection", Ranks{ranks}}, std::move(places)));
    }

    void ended(const RankEnd& end) {
        const std::vector<int> ranks = end.rank ? std::vector{*end.rank} : std::vector<int>{};
        const Message who = end.rank ? Message("{}", Ranks{ranks}) : Message("a rank");
        switch (end.kind) {
        case RankEnd::Kind::OutOfMemory: {
            auto& cause = add("out_of_memory", "A rank ran out of memory", ranks);
            cause.evidence.push_back(seen(end.text.empty() ? Message("{} ran out of memory", who)
                                                           : Message("{} ran out of memory: {}", who, end.text),
                                          {end.place}));
            cause.actions = memoryRemedies();
            break;
        }
        case RankEnd::Kind::Signal: {
            auto& cause = add("killed", "A rank was ended by a signal", ranks);
            cause.evidence.push_back(seen({"{} was ended by signal {}", who, end.code}, {end.place}));
            if (end.code == SIGKILL) {
                cause.evidence.push_back(likely("the kernel or the scheduler ended it because memory ran out"));
                cause.actions = memoryRemedies();
            }
            break;
        }
        case RankEnd::Kind::Exception: {
            auto& cause = add("exception", "An exception ended the work of a rank", ranks);
            cause.evidence.push_back(seen({"{} raised {}", who, end.text}, {end.place}));
            cause.evidence.push_back(
                likely("the other ranks do not learn of it: they wait in their next collective, or "
                       "the rank waits in a barrier that they never reach"));
            break;
        }
        case RankEnd::Kind::ExitCode: {
            auto& cause = add("exited", "A rank left before the others", ranks);
            cause.evidence.push_back(seen({"{} ended with exit code {}", who, end.code}, {end.place}));
            if (end.code == 0) {
                cause.evidence.push_back(likely("it had fewer batches than the others, and was done"));
                cause.actions = batchRemedies();
            }
            break;
        }
        }
        if (m_f.verdict == Verdict::RankDead)
            addWaiting(m_causes.back());
    }

    // -- ranks in different collectives

    void addSides(ProbableCause& cause) const {
        const MismatchFound& found = *m_f.mismatch;
        for (const auto& side : found.sides) {
            const Message what = side.call.codePlace.empty()
                                     ? callWithElements(side.call)
                                     : Message("{} ({})", callWithElements(side.call), side.call.codePlace);
            cause.evidence.push_back(seen(side.ranks.empty() ? Message("a rank called {}", what)
                                                             : Message("{} called {}", Ranks{side.ranks}, what),
                                          side.places.empty() ? found.places : side.places));
        }
        if (found.sides.size() > 1 && found.kind != Kind::Groups)
            cause.evidence.push_back(
                follows("no collective can complete from there on: each rank pairs its call with another one"));
        else if (found.sides.size() == 1)
            cause.evidence.push_back(seen("another rank's collective was different", found.places));
    }

    void mismatched() {
        const MismatchFound& found = *m_f.mismatch;
        const bool buffers =
            found.kind == Kind::Sizes && !found.sides.empty() && found.sides.front().call.op == CollectiveOp::Broadcast;
        const bool small = std::ranges::any_of(found.sides, [](const auto& side) { return isSmall(side.call); });
        if (found.kind == Kind::Groups) {
            auto& cause = add("groups_crossed", "Ranks use two groups in different orders", found.differing);
            addSides(cause);
            cause.evidence.push_back(follows("each group waits for a rank that waits in the other one"));
            cause.actions.push_back({"call the collectives of both groups in the same order on all ranks", "", ""});
            return;
        }
        if (buffers) {
            auto& cause = add("buffers_differ", "DDP's buffers have different sizes on some ranks", found.differing);
            addSides(cause);
            cause.evidence.push_back(likely("a table that grows with the longest input, such as the position table, "
                                            "grew on one rank only"));
            cause.actions = bufferRemedies(true);
            return;
        }
        const bool otherCall = found.kind == Kind::Sizes && small; // one element is no part of a larger call
        if ((found.kind == Kind::Sizes && !otherCall) || found.kind == Kind::Types) {
            auto& cause = add("sizes_differ", "Ranks give tensors of different sizes or types", found.differing);
            addSides(cause);
            if (found.sides.empty())
                cause.evidence.push_back(
                    seen("Gloo received another number of bytes than the rank waited for", found.places));
            cause.evidence.push_back(likely("the models differ (another recipe, checkpoint or branch), or the tensor "
                                            "depends on the batch"));
            return;
        }
        auto& cause = add("mismatched_collective", "Ranks call different collectives", found.differing);
        addSides(cause);
        if (small) {
            cause.evidence.push_back(
                likely("a metric, a value logged with sync_dist=True, a checkpoint or a barrier is "
                       "inside a condition that holds on some ranks only"));
            cause.actions = loggingRemedies();
        } else {
            cause.evidence.push_back(likely("a branch on the rank or on the data skips or adds a call on some ranks"));
        }
        uneven();
    }

    // -- a rank that never came

    static Message whoDidNotCome(const RanksMissing& fact) {
        if (fact.where == RanksMissing::Where::Watchdog)
            return {"NCCL's watchdog compared the ranks: {} did not join", Ranks{fact.missing}};
        return fact.rank ? Message("{} waited for {} by name", Ranks{{*fact.rank}}, Ranks{fact.missing})
                         : Message("{} did not come", Ranks{fact.missing});
    }

    void addAbsence(ProbableCause& cause) const {
        std::vector<int> byCounts, silent;
        for (const RankRow& row : m_f.hung.rows)
            if (row.presence == Presence::Absent)
                (row.lastCompleted ? byCounts : silent).push_back(row.rank);
        for (const auto& one : m_f.evidence->missing)
            if (!one.missing.empty()) {
                cause.evidence.push_back(seen(whoDidNotCome(one), {one.place}));
                break;
            }
        if (!byCounts.empty())
            cause.evidence.push_back(
                follows({"{} had not entered it: the rank's own count ends before it", Ranks{byCounts}},
                        placesOf(m_f.hung.rows, Presence::Absent)));
        if (!silent.empty())
            cause.evidence.push_back(
                follows({"{} had not entered it: its log, or the joined one, has no timeout of it", Ranks{silent}}));
    }

    std::vector<int> ranksOf(MonitorReport::Kind kind, const std::vector<int>& among,
                             std::vector<Place>& places) const {
        std::set<int> ranks;
        for (const MonitorReport& report : m_f.evidence->monitors)
            if (report.kind == kind && report.rank && std::ranges::binary_search(among, *report.rank) &&
                ranks.insert(*report.rank).second && places.size() < kMostPlaces)
                places.push_back(report.place);
        return {ranks.begin(), ranks.end()};
    }

    /// Adds that Python's lock was held on these ranks, and whether it was.
    void addPythonLock(ProbableCause& cause, const std::vector<int>& among) const {
        std::vector<Place> places;
        const auto ranks = ranksOf(MonitorReport::Kind::PythonLock, among, places);
        if (!ranks.empty())
            cause.evidence.push_back(
                seen({"on {} a thread held Python's lock (GIL) and did not return", Ranks{ranks}}, places));
    }

    void stuckWatchdog() {
        if (m_f.stuck.empty() || m_f.verdict == Verdict::Mismatch)
            return;
        const bool all = m_f.stuck.size() == m_f.hung.rows.size();
        auto& cause = add("watchdog_stuck", "A call of CUDA or NCCL did not return, or a thread held Python's lock",
                          all ? std::vector<int>{} : m_f.stuck);
        std::int64_t seconds = 0;
        for (const MonitorReport& report : m_f.evidence->monitors)
            seconds = std::max(seconds, report.seconds);
        std::vector<Place> places;
        ranksOf(MonitorReport::Kind::Stuck, m_f.stuck, places);
        cause.evidence.push_back(seconds > 0
                                     ? seen({"on {} the watchdog made no progress for {}", Ranks{m_f.stuck},
                                             Duration{std::min(seconds, INT64_MAX / kSecondsToNs) * kSecondsToNs}},
                                            places)
                                     : seen({"on {} the watchdog made no progress", Ranks{m_f.stuck}}, places));
        addPythonLock(cause, m_f.stuck);
        cause.evidence.push_back(follows("a rank whose watchdog is stuck reports no timeout, so that its silence does "
                                         "not say where it was; that its monitor aborts it comes later"));
        cause.evidence.push_back(likely("a CUDA call waited for a GPU that still ran a collective, or for a GPU or a "
                                        "driver that hung, perhaps with Python's lock"));
        cause.actions.push_back({"while it hangs: py-spy dump --native --pid PID for the call; nvidia-smi, and dmesg "
                                 "for lines with Xid, on its host",
                                 "", ""});
    }

    void uneven() {
        const bool ends = atEpochEnd(m_f.evidence->progress);
        const auto& validation = m_f.evidence->inValidation;
        if (!m_f.batches && !ends && !validation)
            return;
        auto& cause = add("uneven_batches", "Ranks have different numbers of batches",
                          m_f.batches ? m_f.batches->ranks : std::vector<int>{});
        if (m_f.batches)
            cause.evidence.push_back(seen({"{} had done {} batches, others up to {}", Ranks{m_f.batches->ranks},
                                           Count{m_f.batches->fewest}, Count{m_f.batches->most}},
                                          m_f.batches->places));
        if (validation) {
            cause.evidence.push_back(seen("the last progress bar is one of validation", {*validation}));
            cause.evidence.push_back(likely("a rank with fewer batches of validation went on to the end of the epoch "
                                            "or the next step"));
            cause.actions = validationRemedies();
            return;
        }
        if (ends)
            cause.evidence.push_back(likely("it hung at the end of an epoch, where ranks with fewer batches go on to "
                                            "something else"));
        cause.actions = batchRemedies();
    }

    void firstCollective(const std::vector<int>& ranks) {
        auto& cause = add("first_collective", "A rank did not get through the start", ranks);
        for (const auto& one : m_f.evidence->missing)
            if (m_f.verdict == Verdict::NeverStarted && !one.missing.empty() && cause.evidence.size() < 3)
                cause.evidence.push_back(seen(whoDidNotCome(one), {one.place}));
        cause.evidence.push_back(follows("it was the first collective of the group"));
        cause.evidence.push_back(likely("the rank was still reading data or building the model, or took another branch "
                                        "in setup() or train_dataloader()"));
        cause.actions.push_back({"let all ranks do the same in setup() and before the first step; prepare data on rank "
                                 "0 before the group is made",
                                 "", ""});
    }

    /// Adds what a rank usually did instead of this collective, by the collective's place in the step.
    void instead(const std::vector<int>& ranks) {
        if (hasTag("broadcast:buffers") || hasTag("sync_max_audio_length")) {
            auto& cause = add("data_loading", "A rank was late for the step: data, checkpoint or validation", ranks);
            cause.evidence.push_back(
                likely("this is one of the first collectives of a step: the rank was still reading "
                       "its batch, writing a checkpoint or busy with what only it does"));
            cause.actions = dataRemedies();
            if (hasTag("broadcast:buffers"))
                for (Action& action : bufferRemedies(false))
                    cause.actions.push_back(std::move(action));
        }
        if (hasTag("object")) {
            auto& cause = add("rank_busy", "A rank was busy with what only it does", ranks);
            cause.evidence.push_back(likely("a rank sends an object when it has written or decided something, such as "
                                            "a checkpoint: it was still busy, or left by an exception"));
            cause.actions.push_back(
                {"write checkpoints in another thread", "exp_manager.checkpoint_callback_params.async_save", "true"});
        } else if (isSmall(m_f.hung.call)) {
            auto& cause = add("rank_dependent_call", "Only some ranks log a value, compute a metric or meet", ranks);
            cause.evidence.push_back(likely("one element is what a metric, a value logged with sync_dist=True or a "
                                            "barrier exchanges; a condition keeps some ranks from it"));
            cause.actions = loggingRemedies();
        }
        if (hasTag("gradient") || hasTag("sync_batchnorm")) {
            auto& cause = add("branch_in_step", "A rank left the step in the middle", ranks);
            cause.evidence.push_back(
                likely("the rank skipped a part of the model or the batch, or its GPU hung, so that "
                       "these tensors never came"));
            cause.actions.push_back({"if a part of the model may be unused in a step, say so", "trainer.strategy",
                                     "ddp_find_unused_parameters_true"});
        }
    }

    void missing() {
        const auto ranks = m_f.ranks(Presence::Absent);
        if (ranks.empty())
            return peerEnded();
        auto& cause = add("rank_missing", "A rank never entered the collective", ranks);
        addWaiting(cause);
        addAbsence(cause);
        addPythonLock(cause, ranks);
        if (!m_f.evidence->connections.empty())
            cause.evidence.push_back(
                likely("connections were lost: the rank's process may have ended, and how it ended "
                       "is not in the input"));
        uneven();
        if (isFirst(m_f.hung))
            firstCollective(ranks);
        instead(ranks);
    }

    void behind() {
        const auto ranks = m_f.ranks(Presence::Behind);
        if (!ranks.empty()) {
            auto& cause = add("rank_behind", "A rank was in an earlier collective than others", ranks);
            addWaiting(cause);
            for (const RankRow& row : m_f.hung.rows)
                if (row.presence == Presence::Behind && row.stuckIn && cause.evidence.size() < 4)
                    cause.evidence.push_back(
                        seen({"{} waited in {}", Ranks{{row.rank}}, callWithElements(*row.stuckIn)}, row.places));
            cause.evidence.push_back(follows("others have left the collective that this rank waits in, so the same "
                                             "number is not the same call on all ranks"));
            cause.evidence.push_back(likely("a rank made a call or a batch more than others, or fewer"));
        }
        uneven();
        if (m_f.batches == std::nullopt && !atEpochEnd(m_f.evidence->progress) && !m_causes.empty())
            m_causes.back().actions = batchRemedies();
    }

    void inside() {
        auto& cause = add("inside_collective", "All ranks are inside: the transfer itself hangs", {});
        addWaiting(cause);
        cause.evidence.push_back(follows("no rank is missing, and none called something else"));
        cause.evidence.push_back(likely("a link, a network interface, a driver or a GPU hangs; or one rank entered "
                                        "shortly before the others gave up"));
        cause.actions = networkRemedies();
    }

    void neverStarted() {
        std::set<int> named;
        for (const auto& one : m_f.evidence->missing)
            named.insert(one.missing.begin(), one.missing.end());
        std::vector<int> ranks(named.begin(), named.end());
        if (!ranks.empty()) // of NCCL's first communicator: the store was reached
            firstCollective(ranks);
        auto& cause = add("never_joined", "Ranks did not meet at the start", std::move(ranks));
        for (const auto& one : m_f.evidence->missing) {
            if (cause.evidence.size() > 2 || !named.empty())
                break;
            if (one.joined && one.expected)
                cause.evidence.push_back(
                    seen({"{} of {} ranks came", Count{*one.joined}, Count{*one.expected}}, {one.place}));
            else
                cause.evidence.push_back(seen("a rank waited for the others at the start, in vain", {one.place}));
        }
        cause.evidence.push_back(
            likely("a host or a process did not start, its address or port cannot be reached, or a "
                   "process of an earlier run still holds the port"));
        cause.actions.push_back({"check that all hosts have started, with the same MASTER_ADDR, MASTER_PORT and world "
                                 "size, and that the port is open between them",
                                 "", ""});
    }

    // -- not enough data

    void unknown() {
        if (!m_f.hung.proven.empty()) {
            auto& cause = add("no_record", "A rank of which the input has nothing", m_f.hung.proven);
            addWaiting(cause);
            cause.evidence.push_back(
                seen({"{} belongs to the group, by the dumps of the others", Ranks{m_f.hung.proven}},
                     placesOf(m_f.hung.rows, Presence::Reports)));
            cause.evidence.push_back(likely("it ended without a dump, or its dump is not part of the input"));
            return;
        }
        peerEnded();
    }

    void peerEnded() {
        if (m_f.evidence->connections.empty())
            return;
        const auto& silent = m_f.hung.silent;
        auto& cause = silent.empty() ? add("peer_ended", "A rank ended first, and the input does not say which", {})
                                     : add("peer_ended", "A rank ended first", silent);
        const auto& lost = m_f.evidence->connections.front();
        cause.evidence.push_back(seen(lost.rank
                                          ? Message("{} lost the connection to {}", Ranks{{*lost.rank}}, lost.peer)
                                          : Message("a rank lost the connection to {}", lost.peer),
                                      {lost.place}));
        cause.evidence.push_back(follows("a rank ended before the ones that say so"));
        if (!silent.empty())
            cause.evidence.push_back(follows(
                {"{} is the one that says nothing of a lost connection, though its log is there", Ranks{silent}}));
        cause.evidence.push_back(likely("the kernel or the scheduler ended it because memory ran out"));
        cause.actions = memoryRemedies();
    }

    const Findings& m_f;
    std::vector<ProbableCause> m_causes;
};

} // namespace

std::vector<ProbableCause> causesOf(const Findings& findings) {
    return CauseFinder(findings).take();
}

} // namespace rankscope::explain
