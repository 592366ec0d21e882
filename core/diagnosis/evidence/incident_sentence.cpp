// SPDX-License-Identifier: Apache-2.0
// Builds the one line about an incident. Each number and tense of an English sentence is a separate pattern, so that
// other languages need not follow the English grammar.
#include "core/diagnosis/evidence/incident_sentence.h"

#include "core/base/values/saturating.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/evidence/leave_sender.h"
#include "core/diagnosis/evidence/not_finite.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/stalls/pause_scan.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace rankscope::diagnosis {

namespace {

/// Returns a figure as ns, clamped, since a store may contain any value.
std::int64_t inNs(const Evidence::Real& seconds) {
    constexpr double kMost = 1e18;
    const double ns = seconds.value_or(0) * 1e9;
    return static_cast<std::int64_t>(std::isfinite(ns) ? std::clamp(ns, -kMost, kMost) : 0);
}

std::string shown(const Evidence::Text& text) {
    return text.value_or("");
}

std::string shown(const Evidence::Whole& number) {
    return number ? std::to_string(*number) : std::string();
}

/// A pattern for arguments of these types.
template <class... A> using Pattern = fmt::format_string<message_detail::ArgumentView<A>...>;

/// Puts whole sentences one after the other; empty ones are left out.
Message inSequence(std::initializer_list<Message> sentences) {
    Message text;
    for (const Message& one : sentences)
        if (text.empty())
            text = one;
        else if (!one.empty())
            text = Message("{} {}", std::move(text), one);
    return text;
}

/// The parts of the line about one incident. Clauses have no full stop.
struct IncidentSentence {
    const Incident& in;
    std::int64_t lastedNs;
    const Evidence& evidence = in.evidence;

    /// Ranks at the beginning of a sentence.
    static Message subject(const std::vector<int>& ranks) {
        if (ranks.size() == 1)
            return {"Rank {}", ranks.front()};
        if (ranks.size() > 8)
            return {"{} ranks", ranks.size()};
        std::vector<Message> numbers;
        for (const int rank : ranks)
            numbers.emplace_back(std::to_string(rank));
        return {"Ranks {}", allOf(std::move(numbers))};
    }
    Message holders() const { return subject(in.holders); }
    /// The holders in a clause that follows their first mention.
    Message who() const { return oneHolder() ? Message("{}", Ranks{in.holders}) : Message("they"); }
    Duration lasted() const { return {lastedNs}; }
    Message collective() const {
        return {"{} {} ({})", telemetry::opName(in.collective.op), in.collective.sequence, in.collective.tag};
    }
    bool waits() const { return !in.waiters.empty() && in.collective.known; }
    bool over() const { return in.closed != CloseReason::Open || in.closedNs != 0; }
    bool oneHolder() const { return in.holders.size() == 1; }
    /// The English verb has four forms: of one holder and of several, while the incident is open and once it is over.
    template <class... A>
    Message ofHolders(Pattern<A...> one, Pattern<A...> several, Pattern<A...> oneThen, Pattern<A...> severalThen,
                      const A&... arguments) const {
        return {over() ? (oneHolder() ? oneThen : severalThen) : oneHolder() ? one : several, arguments...};
    }

    Message text() const;
    Message opening() const;  ///< "Rank 1 has been holding up rank 0 for 3.2 s"
    Message where() const;    ///< "rank 0 is waiting in all-reduce 512 (sync_max_audio_length)"
    Message why() const;      ///< "rank 1 is still reading utt_0412.flac (3.4 s)"
    Message ofAll() const;    ///< why, as a separate sentence
    Message whyAgain() const; ///< why, for a straggler
    Message whyLoading() const;
    Message whyInside() const;
    Message lateness() const; ///< of a straggler, where it is measured
    Message quota() const;    ///< the CPU quota that holds it back, or that its workers have too few processors
    Message withPlace(Message clause) const;
    Message dead() const;
    Message failed(Message how) const; ///< with the exception that ended it
    Message lostWorker() const;
    Message uncertain() const; ///< it is not known whether the holders have entered the collective
    Message memory() const;
    Message unevenCalls() const;
    Message callsBefore() const; ///< what they say about a call that does not match
    Message neverJoined() const;
    Message askedToLeave() const;
    Message notFinite() const;
    Message notFiniteTensor() const;
    Message paused() const;
    /// Returns whether the cause concerns the run as a whole: a separate sentence then reports it, which names no
    /// acting rank.
    bool isRunWide() const {
        return in.straggler || in.cause == Cause::MismatchedCollective || in.cause == Cause::UnevenCalls ||
               in.cause == Cause::GrownBuffer || (in.cause == Cause::InsideCollective && in.waiters.empty());
    }
};

/// Adds the place in the model, if it is known: "rank 1 is in forward (layer 3)".
Message IncidentSentence::withPlace(Message clause) const {
    const std::string name = shown(evidence.place), layer = shown(evidence.layer);
    if (name.empty() || name == "none")
        return clause;
    if (name == "layer" && !layer.empty() && layer != "-1")
        return {"{} (layer {})", std::move(clause), layer};
    return {"{} ({})", std::move(clause), name};
}

Message IncidentSentence::dead() const {
    const std::string signal = shown(evidence.signalName), code = shown(evidence.exitCode);
    // unknown how: it is not in the process table, and its parent did not report it
    Message how = evidence.diskFull.value_or(false)    ? Message("ended because the disk or quota is full,")
                  : !signal.empty()                    ? Message("was ended by {}", signal)
                  : !code.empty()                      ? Message("exited with code {}", code)
                  : !shown(evidence.exception).empty() ? Message("failed")
                                                       : Message("disappeared for an unknown reason");
    if (evidence.outOfMemory.value_or(false))
        how = Message("{} (out of memory)", std::move(how));
    Message text = !shown(evidence.exception).empty() ? failed(how)
                   : in.step < 0                      ? Message("{} {} before its first step.", holders(), how)
                   : in.phase == telemetry::Phase::None // between two steps, or at its end
                       ? Message("{} {} at step {}.", holders(), how, in.step)
                       : Message("{} {} at step {}, in {}.", holders(), how, in.step, telemetry::phaseName(in.phase));
    return inSequence(
        {std::move(text), waits() ? Message("{} waited in {}.", subject(in.waiters), collective()) : Message()});
}

Message IncidentSentence::failed(Message how) const {
    const std::string exception = shown(evidence.exception);
    return in.step < 0 ? Message("{} {} before its first step: {}.", holders(), std::move(how), exception)
           : in.phase == telemetry::Phase::None
               ? Message("{} {} at step {}: {}.", holders(), std::move(how), in.step, exception)
               : Message("{} {} at step {}, in {}: {}.", holders(), std::move(how), in.step,
                         telemetry::phaseName(in.phase), exception);
}

/// Returns the sentence about a rank whose loader has reported the worker's end; empty: it still waits for the batch.
Message IncidentSentence::lostWorker() const {
    const std::string exception = shown(evidence.exception);
    if (exception.empty())
        return {};
    return in.step < 0 ? Message("A loader worker of {} died before the first step: {}.", Ranks{in.holders}, exception)
                       : Message("A loader worker of {} died at step {}: {}.", Ranks{in.holders}, in.step, exception);
}

Message IncidentSentence::uncertain() const {
    const std::string missing = shown(evidence.missing);
    if (missing != kLostRecords && missing != kHiddenGroup)
        return {};
    const bool one = in.waiters.size() == 1;
    Message waits = over() ? Message("{} waited for {} in {}.", subject(in.waiters), lasted(), collective())
                    : one  ? Message("{} has been waiting for {} in {}.", subject(in.waiters), lasted(), collective())
                           : Message("{} have been waiting for {} in {}.", subject(in.waiters), lasted(), collective());
    const Ranks ranks{in.holders};
    Message why =
        missing == kLostRecords
            ? Message("The data does not suffice to name the rank that is missing: records of {} were lost ({}), so "
                      "that it may have entered it.",
                      ranks, shown(evidence.lostRecords))
            : Message(
                  "The data does not suffice to name the rank that is missing: {} may have entered it, but the board "
                  "shows only four other groups.",
                  ranks);
    return inSequence({std::move(waits), std::move(why)});
}

Message IncidentSentence::memory() const {
    const ByteSize used{evidence.memoryUsedBytes.value_or(0)}, limit{evidence.memoryLimitBytes.value_or(0)};
    const auto perMinute = [](const Evidence::Real& perSecond) {
        return ByteSize{saturatingInt64(60 * perSecond.value_or(0))};
    };
    const Duration left{inNs(evidence.memoryLeftSeconds)};
    const ByteSize growth = perMinute(evidence.memoryGrowthBytes), own = perMinute(evidence.holderGrowthBytes);
    const Ranks ranks{in.holders};
    const ByteSize workers{evidence.workersRssBytes.value_or(0)};
    const ByteSize whole{
        saturatingInt64(static_cast<double>(evidence.rssBytes.value_or(0)) + static_cast<double>(workers.bytes))};
    Message host =
        over() ? Message("Memory was about to run out: {} of {} were in use, {} more each minute.", used, limit, growth)
               : Message("Memory will run out in about {} at this rate: {} of {} are in use, {} more each "
                         "minute.",
                         left, used, limit, growth);
    Message mostly =
        workers.bytes > 0
            ? over() ? Message("The processes of {} took {} ({} of it loader workers) and grew by {} each minute.",
                               ranks, whole, workers, own)
                     : Message("The processes of {} take {} ({} of it loader workers) and grow by {} each minute.",
                               ranks, whole, workers, own)
        : over() ? Message("The processes of {} took {} and grew by {} each minute.", ranks, whole, own)
                 : Message("The processes of {} take {} and grow by {} each minute.", ranks, whole, own);
    return inSequence({std::move(host), std::move(mostly)});
}

Message IncidentSentence::unevenCalls() const {
    const std::string mine = shown(evidence.holderCalls), theirs = shown(evidence.othersCalls);
    return over()
               ? Message("The ranks differed in how often they called {} in this step: {} {}, the others {}. So their "
                         "collectives did not match: {}.",
                         in.collective.tag, Ranks{in.holders}, mine, theirs, shown(evidence.mismatch))
               : Message("The ranks differ in how often they have called {} in this step: {} {}, the others {}. So "
                         "their collectives do not match: {}.",
                         in.collective.tag, Ranks{in.holders}, mine, theirs, shown(evidence.mismatch));
}

Message IncidentSentence::whyAgain() const {
    if (evidence.missing)
        return over() ? Message("The data did not suffice to say why: the extra time went to {}.",
                                shown(evidence.phaseShares))
                      : Message("The data does not suffice to say why: the extra time goes to {}.",
                                shown(evidence.phaseShares));
    if (in.cause == Cause::LongBatch)
        return {"Its batch was the longest in {:.0f} % of them ({} frames on average; the others had {}).",
                100 * evidence.longestBatchShare.value_or(0), shown(evidence.holderLongestFrames),
                shown(evidence.othersLongestFrames)};
    const auto phase = telemetry::phaseName(in.phase);
    return over() ? Message("Its {} took longer than on the other ranks.", phase)
                  : Message("Its {} takes longer than on the other ranks.", phase);
}

Message IncidentSentence::lateness() const {
    const std::string last = shown(evidence.lastInSteps);
    const Duration late{inNs(evidence.lateStepSeconds)};
    if (!in.straggler || last.empty() || late.ns <= 0)
        return {};
    return {"It arrived last in {} of them and took {} longer per step than the others.", last, late};
}

Message IncidentSentence::quota() const {
    constexpr double kTold = 0.1; // of the periods
    if (in.cause == Cause::DataLoading && evidence.workersCpuWaitShare)
        return {"The host has not enough CPU for the loader workers of {}: they waited for a processor {:.0f} % of the "
                "time.",
                Ranks{in.holders}, 100 * std::min(*evidence.workersCpuWaitShare, 1.0)};
    const double processors = evidence.cpuQuota.value_or(0), share = evidence.cpuThrottledShare.value_or(0);
    if (in.cause != Cause::SlowCompute || processors <= 0 || share <= kTold)
        return {};
    const double percent = 100 * std::min(share, 1.0);
    if (processors < 1)
        return {"Its control group allows it {:.3g} of a processor and held it back in {:.0f} % of the periods.",
                processors, percent};
    return processors == 1
               ? Message("Its control group allows it {:.3g} processor and held it back in {:.0f} % of the periods.",
                         processors, percent)
               : Message("Its control group allows it {:.3g} processors and held it back in {:.0f} % of the periods.",
                         processors, percent);
}

Message IncidentSentence::opening() const {
    if (evidence.noStep.value_or(false))
        return {"No step finished in {}", lasted()};
    const Ranks waiters{in.waiters};
    if (in.straggler)
        return ofHolders("{} has repeatedly held up {}: {} in the last {} steps",
                         "{} have repeatedly held up {}: {} in the last {} steps",
                         "{} repeatedly held up {}: {} in the last {} steps",
                         "{} repeatedly held up {}: {} in the last {} steps", holders(), waiters, lasted(),
                         shown(evidence.windowSteps));
    if (in.waiters.empty())
        return ofHolders("{} has made no progress for {}", "{} have made no progress for {}",
                         "{} made no progress for {}", "{} made no progress for {}", holders(), lasted());
    return ofHolders("{} has been holding up {} for {}", "{} have been holding up {} for {}", "{} held up {} for {}",
                     "{} held up {} for {}", holders(), waiters, lasted());
}

/// Several waiters are "they" if that is unambiguous.
Message IncidentSentence::where() const {
    const Ranks ranks{in.waiters};
    const bool one = in.waiters.size() == 1;
    if (!one && oneHolder())
        return over() ? Message("they waited in {}", collective()) : Message("they are waiting in {}", collective());
    return over() ? Message("{} waited in {}", ranks, collective())
           : one  ? Message("{} is waiting in {}", ranks, collective())
                  : Message("{} are waiting in {}", ranks, collective());
}

Message IncidentSentence::whyLoading() const {
    // of an ended wait, a file that was read for a small part of it explains nothing
    const bool named = !over() || evidence.readingSeconds.value_or(0) >= evidence.holderPhaseSeconds.value_or(0) / 2;
    if (const std::string file = shown(evidence.reading); named && !file.empty())
        return ofHolders("{} is still reading {} ({})", "{} are still reading {} ({})", "{} was reading {} ({})",
                         "{} were reading {} ({})", who(), file, Duration{inNs(evidence.readingSeconds)});
    const Duration inPhase{inNs(evidence.holderPhaseSeconds)};
    return ofHolders("{} has been waiting for its data loader for {} ({})",
                     "{} have been waiting for their data loaders for {} ({})",
                     "{} had been waiting for its data loader for {} ({})",
                     "{} had been waiting for their data loaders for {} ({})", who(),
                     inPhase.ns > 0 ? inPhase : lasted(), telemetry::phaseName(in.phase));
}

Message IncidentSentence::whyInside() const {
    return evidence.handedOver ? ofHolders("{} has entered it too, but has not handed it to the transport",
                                           "{} have entered it too, but have not handed it to the transport",
                                           "{} had entered it too, but had not handed it to the transport",
                                           "{} had entered it too, but had not handed it to the transport", who())
                               : ofHolders("{} has entered a collective and has not left it",
                                           "{} have entered a collective and have not left it",
                                           "{} had entered a collective and had not left it",
                                           "{} had entered a collective and had not left it", who());
}

Message IncidentSentence::why() const {
    const Message phase = withPlace(std::string(telemetry::phaseName(in.phase)));
    const Duration measured{inNs(evidence.holderPhaseSeconds)}, inPhase = measured.ns > 0 ? measured : lasted();
    switch (in.cause) {
    case Cause::DataLoading:
        return whyLoading();
    case Cause::LongBatch:
        return ofHolders("{} has a batch of up to {} frames, the others at most {}; still in {}",
                         "{} have a batch of up to {} frames, the others at most {}; still in {}",
                         "{} had a batch of up to {} frames, the others at most {}; it was in {}",
                         "{} had a batch of up to {} frames, the others at most {}; they were in {}", who(),
                         shown(evidence.holderLongestFrames), shown(evidence.othersLongestFrames), phase);
    case Cause::Stopped:
        return ofHolders("{} is stopped by {}", "{} are stopped by {}", "{} was stopped by {}", "{} were stopped by {}",
                         who(), shown(evidence.signalName));
    case Cause::UnevenBatches:
        if (evidence.holderBatches && evidence.othersBatches)
            return {"{} ran out of batches while the others entered step {} (an epoch: {} batches; of the others: {})",
                    who(), in.step, shown(evidence.holderBatches), shown(evidence.othersBatches)};
        return {"{} ran out of batches while the others entered step {}", who(), in.step};
    case Cause::Checkpoint: {
        Message text = ofHolders("{} has been writing a checkpoint for {}", "{} have been writing a checkpoint for {}",
                                 "{} had been writing a checkpoint for {}", "{} had been writing a checkpoint for {}",
                                 who(), inPhase);
        if (!evidence.writtenBytes)
            return text;
        return {"{}, {} so far at {}/s", std::move(text), ByteSize{evidence.writtenBytes.value_or(0)},
                ByteSize{saturatingInt64(evidence.writeRateBytes.value_or(0))}};
    }
    case Cause::InsideCollective:
        return withPlace(whyInside());
    case Cause::LoaderWorkerDied:
        return over() ? Message("a loader worker of {} had died ({})", Ranks{in.holders}, shown(evidence.workerEnd))
                      : Message("a loader worker of {} has died ({}), and its batch does not come", Ranks{in.holders},
                                shown(evidence.workerEnd));
    case Cause::Unknown:
        if (evidence.missing == kNoPhase)
            return over()
                       ? Message("the data did not suffice to say why, as {} was in none of the phases that it reports",
                                 Ranks{in.holders})
                       : Message("the data does not suffice to say why, as {} is in none of the phases that it reports",
                                 Ranks{in.holders});
        if (evidence.missing == kSeveralPhases)
            return over() ? Message("the data did not suffice to say why, as the time of {} went to {}",
                                    Ranks{in.holders}, shown(evidence.phaseShares))
                          : Message("the data does not suffice to say why, as the time of {} went to {}",
                                    Ranks{in.holders}, shown(evidence.phaseShares));
        [[fallthrough]];
    case Cause::Preprocessing:
    case Cause::SlowCompute:
    default:
        return ofHolders("{} has been in {} for {}", "{} have been in {} for {}", "{} was in {} for {}",
                         "{} were in {} for {}", who(), phase, inPhase);
    }
}

Message IncidentSentence::ofAll() const {
    if (in.straggler)
        return whyAgain();
    if (in.cause == Cause::UnevenCalls)
        return unevenCalls();
    if (in.cause == Cause::GrownBuffer)
        return {"The buffers in {} had grown on {}: {} elements there, {} on the others.", collective(),
                Ranks{in.holders}, shown(evidence.holderElements), shown(evidence.othersElements)};
    if (in.cause == Cause::InsideCollective)
        return {"All ranks entered {}, and none left it.", collective()};
    return inSequence(
        {Message("The ranks entered different collectives at the same point: {}.", shown(evidence.mismatch)),
         callsBefore()});
}

Message IncidentSentence::callsBefore() const {
    if (evidence.missing == kWhichSide)
        return "The calls before do not tell which rank is wrong: each may have left out a call or made one too many.";
    const std::string usual = shown(evidence.usualCall), fresh = shown(evidence.newCall);
    if (usual.empty())
        return fresh.empty() ? Message() : Message("No rank had made {} before.", fresh);
    return fresh.empty() ? Message("Until then, all ranks made {} here, which {} left out.", usual, Ranks{in.holders})
                         : Message("Until then, all ranks made {} here. No rank had made {} before.", usual, fresh);
}

/// Returns which rank held up which and why, for every cause without a separate wording.
Message IncidentSentence::text() const {
    if (isRunWide())
        return inSequence({Message("{}.", opening()), lateness(), ofAll(), quota()});
    return inSequence(
        {waits() ? Message("{}: {}, {}.", opening(), where(), why()) : Message("{}: {}.", opening(), why()), quota()});
}

Message IncidentSentence::neverJoined() const {
    if (const std::string exception = shown(evidence.exception); !exception.empty())
        return {"{} did not join the process group: {}.", holders(), exception};
    if (const std::string code = shown(evidence.exitCode); !code.empty())
        return {"{} did not join the process group: exited with code {}.", holders(), code};
    return {"{} did not join the process group within {}.", holders(), lasted()};
}

Message IncidentSentence::askedToLeave() const {
    const std::string signal = shown(evidence.signalName);
    const Message sender = leaveSenderText(evidence);
    const Message asked =
        in.step < 0
            ? oneHolder()
                  ? Message("{} was asked to leave by {} from {} before the first step", holders(), signal, sender)
                  : Message("{} were asked to leave by {} from {} before the first step", holders(), signal, sender)
        : oneHolder() ? Message("{} was asked to leave by {} from {} at step {}", holders(), signal, sender, in.step)
                      : Message("{} were asked to leave by {} from {} at step {}", holders(), signal, sender, in.step);
    return over() ? Message("{}; all ranks left after the same step.", asked)
                  : Message("{}; all ranks leave after the same step.", asked);
}

/// Returns "Rank 1 has a loss that is not finite at step 20".
Message IncidentSentence::notFiniteTensor() const {
    const std::string name = shown(evidence.what);
    const Message what = name == "batch"      ? Message("a batch")
                         : name == "loss"     ? Message("a loss")
                         : name == "gradient" ? Message("a gradient")
                                              : Message("a " + name);
    return ofHolders("{} has {} that is not finite at step {}", "{} have {} that is not finite at step {}",
                     "{} had {} that was not finite at step {}", "{} had {} that was not finite at step {}", holders(),
                     what, in.step);
}

/// Returns first what it means for the run, then how it began.
Message IncidentSentence::notFinite() const {
    Message meaning;
    if (staysNotFinite(in))
        meaning = over() ? Message("The loss was NaN from step {} to step {}.", in.step, shown(evidence.lastStep))
                         : Message("The loss has been NaN since step {}; stop the run.", in.step);
    if (in.cause == Cause::EmptyBatch)
        return inSequence(
            {std::move(meaning),
             ofHolders("{} got a batch without a masked frame at step {}, so it has no loss.",
                       "{} got a batch without a masked frame at step {}, so they have no loss.",
                       "{} got a batch without a masked frame at step {}, so it had no loss.",
                       "{} got a batch without a masked frame at step {}, so they had no loss.", holders(), in.step)});
    const std::string tensor = shown(evidence.firstTensor);
    return inSequence({std::move(meaning), tensor.empty()
                                               ? Message("{}.", notFiniteTensor())
                                               : Message("{}; first seen in {}.", notFiniteTensor(), tensor)});
}

Message IncidentSentence::paused() const {
    const std::string what = shown(evidence.paused);
    if (what == kMachinePaused)
        return {"Everything was paused for {}: the machine was suspended.", lasted()};
    if (what == kRunPaused)
        return {"Everything was paused for {}: the supervisor and all ranks were stopped from outside (by SIGSTOP, or "
                "with their container or virtual machine).",
                lasted()};
    const std::string signal = shown(evidence.signalName);
    return over() ? Message("All ranks were stopped from outside by {} for {}.", signal, lasted())
                  : Message("All ranks have been stopped from outside by {} for {}.", signal, lasted());
}

/// Returns the sentence of a cause that has a separate wording; empty for the others.
Message special(const IncidentSentence& s) {
    switch (s.in.cause) {
    case Cause::Dead:
        return s.dead();
    case Cause::NeverJoined:
        return s.neverJoined();
    case Cause::ConfigurationDiffers: {
        const std::string keys = shown(s.evidence.keys);
        return keys.empty()
                   ? Message("{} started with a different configuration from the others.", s.holders())
                   : Message("{} started with a different configuration from the others: {}.", s.holders(), keys);
    }
    case Cause::AskedToLeave:
        return s.askedToLeave();
    case Cause::NotFinite:
    case Cause::EmptyBatch:
        return s.notFinite();
    case Cause::Paused:
        return s.paused();
    case Cause::LoaderWorkerDied:
        return s.lostWorker();
    case Cause::MemoryRunsOut:
        return s.memory();
    case Cause::Unknown:
        return s.in.straggler ? Message() : s.uncertain();
    default:
        return {};
    }
}

} // namespace

std::int64_t lastedNs(const Incident& in, std::int64_t nowNs) {
    const std::int64_t pausedNs = std::max<std::int64_t>(0, inNs(in.evidence.pausedSeconds));
    const std::int64_t openNs = std::max<std::int64_t>(0, (in.closedNs ? in.closedNs : nowNs) - in.openedNs);
    // the monotonic clock does not count a suspension
    return in.cause == Cause::Paused ? std::max(openNs, pausedNs) : std::max<std::int64_t>(0, openNs - pausedNs);
}

Message sentence(const Incident& in, std::int64_t nowNs, bool withRemedy) {
    const IncidentSentence s{in, in.straggler ? inNs(in.evidence.heldSeconds) : lastedNs(in, nowNs)};
    Message text = special(s);
    if (text.empty())
        text = s.text();
    const Remedy& remedy = in.remedy;
    if (!withRemedy || remedy.text.empty())
        return text;
    return inSequence(
        {std::move(text), remedy.key.empty() || !hydraOverride(remedy).empty()
                              ? Message("{}.", remedyText(in))
                              : Message("Try {}: {}.", remedy.key.substr(remedy.key.rfind('.') + 1), remedy.value)});
}

Message noneImported() {
    return "Event files contain no incidents, so an imported run has none. Waits, if the files have them, are in the "
           "curves.";
}

static double secondsOf(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

nlohmann::json toJson(const Incident& in, std::int64_t runStartNs) {
    nlohmann::json collective = nullptr;
    if (in.collective.known)
        collective = {{"tag", in.collective.tag},
                      {"op", telemetry::opName(in.collective.op)},
                      {"group", in.collective.group},
                      {"seq", in.collective.sequence}};
    nlohmann::json remedy = nullptr;
    if (!in.remedy.text.empty())
        remedy = {{"text", in.remedy.text.english()},
                  {"key", in.remedy.key},
                  {"value", in.remedy.value},
                  {"override", hydraOverride(in.remedy)}};
    return {{"id", in.id},
            {"cause", causeName(in.cause)},
            {"phase", telemetry::phaseName(in.phase)},
            {"holders", in.holders},
            {"waiters", in.waiters},
            {"collective", collective},
            {"step", in.step},
            {"straggler", in.straggler},
            {"opened_s", secondsOf(in.openedNs - runStartNs)},
            {"detected_after_s", secondsOf(in.detectedNs - in.openedNs)},
            {"closed_s", in.closedNs ? nlohmann::json(secondsOf(in.closedNs - runStartNs)) : nlohmann::json(nullptr)},
            {"closed", closeReasonName(in.closed)},
            {"remedy", remedy},
            {"sentence", sentence(in, in.closedNs ? in.closedNs : in.detectedNs).english()},
            {"evidence", toJson(in.evidence)}};
}

} // namespace rankscope::diagnosis
