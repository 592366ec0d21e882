// SPDX-License-Identifier: Apache-2.0
#include "core/explain/messages/collective_messages.h"

#include "core/explain/line/log_number.h"
#include "core/explain/line/matched_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>

namespace rankscope::explain {

namespace {

using re2::StringPiece;

constexpr std::size_t kMostMatches = 64; ///< of a pattern in a record
constexpr std::string_view kWorkName = "WorkNCCL(";

// All of them match text without whitespace.
struct CollectivePatterns {
    RE2 watchdog{R"((?:\[Rank(\d+)\])?Watchdogcaughtcollectiveoperationtimeout)"};
    RE2 blocking{R"((?:\[Rank(\d+)\])?WorkWorkNCCL\()"};
    // NCCL's newer process group, the usual one since PyTorch 2.15: "[TC][rank=2][name=0]"
    RE2 newer{R"(\[TC\]\[rank=(\d+)\](?:\[name=([^\[\]]{0,100})\])?Operationtimedoutafter(\d+)ms)"};
    RE2 blockingEnd{R"(^timedoutinblockingwait)"};
    RE2 work{R"(^[^W]{0,3}WorkNCCL\(([^()]*(?:\(ms\)[^()]*)?)(\)?))"};
    RE2 ran{R"(^ranfor(\d+)(?:milliseconds|ms))"};
    // each field is whole only if the next one, or the end, follows
    RE2 sequence{R"(SeqNum=(\d+)(?:,[ONT]|\)))"};
    RE2 opType{R"(OpType=([A-Z_]+)(?:,[SNT]|\)))"};
    RE2 numelIn{R"(NumelIn=(-?\d+)(?:,[NT]|\)))"};
    RE2 numelOut{R"(NumelOut=(-?\d+)(?:,[NT]|\)))"};
    RE2 workShape{R"(TensorShape=\[([\d,]*)\])"};
    RE2 timeout{R"(Timeout\(ms\)=(\d+)\))"};

    // the prefix of a group: "[PG ID 0 PG GUID 0(default_pg) Rank 0]", "[PG 0 (default_pg) Rank 0]", "[PG 1 Rank 0]"
    // 2.4: "Received a timeout signal from this local rank", "Received a global timeout from another rank"
    RE2 counts{
        R"(((?:\[PG(?:ID\d+PGGUID)?([^\[\]()]{0,100}?)(?:\(([^\[\]()]{0,100})\))?Rank(\d+)\])?(?:Exception\(eitheranerrorortimeout\)detectedbywatchdogatwork:|TimeoutatNCCLwork:|fail[a-z]{0,6}detectedbywatchdogatworksequenceid:|Received(?:adumpsignal|aglobaltimeout|atimeoutsignal)).{0,300}?[Ll]astenqueued(?:NCCL)?work:(-?\d+),.{0,80}?lastcompleted(?:NCCL)?work:(-?\d+)))"};
    RE2 countsSequence{R"((?:watchdogatwork:|TimeoutatNCCLwork:|sequenceid:)(\d+)[,P])"};

    RE2 gloo{R"(Timedoutwaiting(\d+)msfor(?:recv|send)operation(?:tocomplete)?)"};
    RE2 glooClosed{R"(Applicationtimeoutcausedpairclosure)"};
    RE2 glooSizes{R"(op\.preamble\.length<=op\.nbytes(?:\.(\d+)vs(\d+))?)"};

    RE2 mismatch{R"(Detectedmismatchbetweencollectivesonranks)"};
    RE2 side{R"(Rank(\d+)isrunning(?:inconsistent)?collective:([A-Z_]*))"};
    RE2 printSequence{R"(SequenceNumber=(\d+?)(?:,|OpType))"};
    RE2 printOp{R"(OpType=(\w+))"};
    RE2 printShape{R"(TensorShape=\[([\d,]*)\])"};
    RE2 printType{R"(TensorDtypes=(\w+))"};
    RE2 barrierOf{R"(MonitoredBarrierencounterederrorrunningcollective:CollectiveFingerPrint\()"};

    RE2 barrier{R"((?:\[Rank(\d+)\]:)?Ranks?([\d,]+)failedtopassmonitoredBarrierin(\d+)ms)"};
    RE2 barrierTimeout{R"(Rank(\d+)timedoutinmonitoredBarrierafter(\d+)ms)"};
    RE2 barrierVictim{R"(Rank(\d+)successfullyreachedmonitoredBarrier,butreceivederrors)"};
    RE2 desyncBehind{R"(\[([\d,]+)\]finishedcollective#\d+,butdidn'tjoincollective#\d+)"};
    RE2 desyncNever{R"(ranks\[([\d,]+)\]arethelaggingranksthatcausedthistimeout)"};

    RE2 clients{R"(waitingforclients\.(\d+)/(\d+)clientsjoined)"};
    RE2 storeBarrier{
        R"(storebasedbarrieronrank:?(\d+),forkey:([^\s(]{1,200}?)\(world_size=(\d+),(?:num_workers_joined|worker_count)=(\d+))"};
    RE2 waitKeys{R"(waittimeoutafter\d+ms,keys:([^\s,'"]{1,200}))"};
    RE2 waitKey{R"(Timeoutwaitingforkey:([^\s'"]{1,200}?)(?:after|[,.]|$))"};
    RE2 uniqueId{
        R"(\[(\d+)\]issettingupNCCLcommunicators?andretrievingncclUniqueIds?from(?:\[(\d+)\]viac10dkey-valuestore|rootsviaTCPStore)by(?:store->get\(|key)'([^']{1,100})'\)?,butstore->get\('[^']{1,100}'\)goterror:(waittimeout|SocketTimeout|Timeout))"};
    RE2 connectTimeout{
        R"(clientsockethastimedoutafter\d+(?:ms|s|seconds|milliseconds)?whiletryingtoconnectto\(([^\s(),]{1,100}),(\d+)\))"};

    RE2 closed{R"(Connection(?:closed|reset)bypeer(?:(\[[^\]]{1,100}\]:)(\d+))?)"};
    RE2 closedRemote{R"(Connectionclosedbyremotepeer([\w.:-]{1,100}(?:<\d+>))?)"};
    RE2 readError{R"((?:Read|Write)error(\[[^\]]{1,100}\]:\d+):?)"};
    RE2 socketRemote{R"(remote=(\[?[\w.:-]{1,100}\]?:\d+))"};
    RE2 socketError{
        R"((?:sendBytes|recvBytes|recvVector|recvValue\w*|sendValue)failedon.{0,300}?(Connectionresetbypeer|Brokenpipe|Connectionwaslikelyclosed|failedtorecv))"};
    RE2 likelyClosed{R"(Failedto(?:recv|send),(?:got|sent)0bytes\.Connectionwaslikelyclosed)"};
};

const CollectivePatterns& collectivePatterns() {
    static const CollectivePatterns all;
    return all;
}

std::optional<StringPiece> capture(const StringPiece& text, const RE2& pattern) {
    StringPiece part;
    return RE2::PartialMatch(text, pattern, &part) ? std::optional(part) : std::nullopt;
}

std::optional<std::int64_t> countIn(const StringPiece& text, const RE2& pattern) {
    const auto part = capture(text, pattern);
    return part ? logCount(matchedText(*part)) : std::nullopt;
}

/// Returns the number of elements of "20,10"; of an empty shape, 1. None: it does not fit.
std::optional<std::int64_t> elementsOf(const std::vector<std::int64_t>& shape) {
    std::int64_t elements = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(elements, size, &elements))
            return std::nullopt;
    return elements;
}

std::vector<std::int64_t> shapeOf(std::string_view text) {
    constexpr std::size_t kMostDimensions = 64;
    std::vector<std::int64_t> shape;
    while (!text.empty() && shape.size() < kMostDimensions) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const auto size = logCount(text.substr(0, comma));
        if (!size)
            return {};
        shape.push_back(*size);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return shape;
}

void nameOp(std::string_view written, CollectiveCall& call) {
    call.writtenOp = shownText(written, 64);
    call.op = collectiveOp(written);
}

/// Reads what is in the parentheses of WorkNCCL, whose order differs by version.
void readWork(const std::string& fields, CollectiveTimeout& timeout) {
    const CollectivePatterns& p = collectivePatterns();
    timeout.call.sequence = countIn(fields, p.sequence);
    timeout.call.elementsIn = countIn(fields, p.numelIn);
    timeout.call.elementsOut = countIn(fields, p.numelOut);
    timeout.timeoutMs = countIn(fields, p.timeout).value_or(0);
    StringPiece part;
    if (RE2::PartialMatch(fields, p.opType, &part))
        nameOp(matchedText(part), timeout.call);
    if (!timeout.call.elementsIn && RE2::PartialMatch(fields, p.workShape, &part))
        if (const auto shape = shapeOf(matchedText(part)); !shape.empty() || part.empty())
            timeout.call.elementsIn = elementsOf(shape);
}

/// Where `rest` begins in the record.
std::size_t offsetIn(const DenseText& record, const StringPiece& rest) {
    return static_cast<std::size_t>(rest.data() - record.text().data());
}

/// The place of a message whose beginning was taken from the front of `rest`.
Place placeBefore(const DenseText& record, const StringPiece& rest) {
    return {{}, static_cast<std::int64_t>(std::max<std::size_t>(offsetIn(record, rest), 1) - 1)};
}

void readWatchdog(const DenseText& record, LogFacts& facts) {
    const CollectivePatterns& p = collectivePatterns();
    for (const RE2* start : {&p.watchdog, &p.blocking}) {
        StringPiece rest(record.text()), rank;
        for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, *start, &rank); ++n) {
            CollectiveTimeout timeout;
            timeout.place = placeBefore(record, rest);
            timeout.rank = logRank(matchedText(rank));
            StringPiece tail = rest, fields, end, ms;
            if (start == &p.blocking) // the pattern has taken the name
                tail = StringPiece(rest.data() - kWorkName.size(), rest.size() + kWorkName.size());
            if (RE2::Consume(&tail, p.work, &fields, &end)) {
                readWork(std::string(matchedText(fields)).append(matchedText(end)), timeout);
                facts.backend = "nccl";
            }
            if (start == &p.blocking && !RE2::Consume(&tail, p.blockingEnd))
                continue;
            if (RE2::Consume(&tail, p.ran, &ms))
                timeout.waitedMs = logCount(matchedText(ms)).value_or(0);
            facts.timeouts.push_back(std::move(timeout));
        }
    }
}

/// The name of the default group is empty.
std::string nameOfGroup(std::string_view name, std::string_view description) {
    return description == "default_pg" || (description.empty() && name == "0") ? "" : shownText(name, 100);
}

void readNewerWatchdog(const DenseText& record, LogFacts& facts) {
    StringPiece rest(record.text()), rank, name, ms;
    for (std::size_t n = 0;
         n < kMostMatches && RE2::FindAndConsume(&rest, collectivePatterns().newer, &rank, &name, &ms); ++n) {
        CollectiveTimeout& timeout = facts.timeouts.emplace_back();
        timeout.place = placeBefore(record, rest);
        timeout.rank = logRank(matchedText(rank));
        timeout.waitedMs = logCount(matchedText(ms)).value_or(0);
        if (logCount(matchedText(name))) // a group's number, and no name that the program chose
            timeout.call.group = nameOfGroup(matchedText(name), "");
        facts.backend = "nccl";
    }
}

void readCounts(const DenseText& record, LogFacts& facts) {
    const CollectivePatterns& p = collectivePatterns();
    const std::string_view text(record.text());
    StringPiece rest(record.text()), whole, group, description, rank, enqueued, completed;
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.counts, &whole, &group, &description,
                                                                    &rank, &enqueued, &completed);
         ++n) {
        WatchdogCounts counts;
        counts.place = placeBefore(record, rest);
        counts.rank = logRank(matchedText(rank));
        counts.group = nameOfGroup(matchedText(group), matchedText(description));
        counts.lastEnqueued = logNumber(matchedText(enqueued));
        const std::size_t begin = offsetIn(record, completed), end = begin + completed.size();
        const bool closed =
            text.substr(end, 1) == "." && std::isdigit(static_cast<unsigned char>(text.substr(end, 2).back())) == 0;
        counts.lastCompleted = logNumber(closed ? matchedText(completed) : record.lastNumber(begin, end));
        counts.sequence = countIn(whole, p.countsSequence);
        facts.counts.push_back(std::move(counts));
    }
}

/// Reads what is in the parentheses of a fingerprint, up to its end or the next side.
void readPrint(std::string_view text, CollectiveMismatch::Side& side) {
    const CollectivePatterns& p = collectivePatterns();
    const StringPiece print(text.data(), text.size());
    StringPiece part;
    side.call.sequence = countIn(print, p.printSequence);
    if (RE2::PartialMatch(print, p.printOp, &part))
        nameOp(matchedText(part), side.call);
    if (RE2::PartialMatch(print, p.printShape, &part)) {
        side.shape = shapeOf(matchedText(part));
        if (!side.shape.empty() || part.empty())
            side.call.elementsIn = elementsOf(side.shape);
    }
    if (RE2::PartialMatch(print, p.printType, &part))
        side.call.dtype = shownText(matchedText(part), 32);
}

void readMismatches(const DenseText& record, LogFacts& facts) {
    const CollectivePatterns& p = collectivePatterns();
    StringPiece rest(record.text());
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.mismatch); ++n) {
        std::string_view text = matchedText(rest);
        text = text.substr(0, text.find("Detectedmismatchbetween"));
        text = text.substr(0, text.find("Collectivesdifferinthefollowing"));
        CollectiveMismatch mismatch;
        mismatch.place = placeBefore(record, rest);
        StringPiece sides(text.data(), text.size()), rank, op;
        while (mismatch.sides.size() < 2 && RE2::FindAndConsume(&sides, p.side, &rank, &op)) {
            CollectiveMismatch::Side side;
            side.rank = logRank(matchedText(rank));
            std::string_view print = matchedText(sides);
            if (op.empty() || matchedText(op) == "C") // of CollectiveFingerPrint
                readPrint(print.substr(0, print.find("butRank")), side);
            else
                nameOp(matchedText(op), side.call);
            mismatch.sides.push_back(std::move(side));
        }
        if (!mismatch.sides.empty())
            facts.mismatches.push_back(std::move(mismatch));
    }
}

void readGloo(const DenseText& record, LogFacts& facts) {
    const CollectivePatterns& p = collectivePatterns();
    StringPiece rest(record.text()), part;
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.gloo, &part); ++n) {
        CollectiveTimeout timeout;
        timeout.place = placeBefore(record, rest);
        timeout.timeoutMs = timeout.waitedMs = logCount(matchedText(part)).value_or(0);
        facts.timeouts.push_back(std::move(timeout));
    }
    if (facts.timeouts.empty() && RE2::PartialMatch(record.text(), p.glooClosed))
        facts.timeouts.emplace_back();
    rest = record.text();
    // with DETAIL, ranks meet in a barrier before a collective, and rank 0 says of which
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.barrierOf); ++n) {
        CollectiveMismatch::Side side;
        readPrint(matchedText(rest).substr(0, matchedText(rest).find("Error:")), side);
        CollectiveTimeout timeout;
        timeout.place = placeBefore(record, rest);
        timeout.call = std::move(side.call);
        StringPiece rank, ranks, ms;
        if (RE2::PartialMatch(rest, p.barrier, &rank, &ranks, &ms)) {
            timeout.rank = logRank(matchedText(rank));
            timeout.timeoutMs = timeout.waitedMs = logCount(matchedText(ms)).value_or(0);
        } else if (RE2::PartialMatch(rest, p.barrierVictim, &rank)) {
            timeout.rank = logRank(matchedText(rank));
        }
        facts.timeouts.push_back(std::move(timeout));
    }
}

/// Gloo ends a process whose thread receives more bytes than the process waits for.
void readGlooSizes(const DenseText& record, LogFacts& facts) {
    StringPiece rest(record.text()), sent, awaited;
    if (!RE2::FindAndConsume(&rest, collectivePatterns().glooSizes, &sent, &awaited))
        return;
    ProcessEnd& end = facts.ends.emplace_back();
    end.ofPrefix = true;
    end.end.kind = RankEnd::Kind::Exception;
    end.end.ofCollective = true;
    end.end.text = "gloo: op.preamble.length <= op.nbytes";
    if (!sent.empty()) {
        const std::size_t begin = offsetIn(record, awaited);
        const std::string_view last = record.lastNumber(begin, begin + awaited.size());
        end.end.text += shownText(fmt::format(": {} vs {}", matchedText(sent), last), 60);
    }
    end.end.place = placeBefore(record, rest);
}

void addMissing(RanksMissing::Where where, std::optional<int> rank, std::vector<int> ranks, Place place,
                LogFacts& facts) {
    RanksMissing& fact = facts.missing.emplace_back();
    fact.where = where;
    fact.rank = rank;
    fact.missing = std::move(ranks);
    fact.place = std::move(place);
}

void readBarriers(const DenseText& record, LogFacts& facts) {
    using Where = RanksMissing::Where;
    const CollectivePatterns& p = collectivePatterns();
    StringPiece rest(record.text()), rank, ranks, ms;
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.barrier, &rank, &ranks, &ms); ++n)
        addMissing(Where::MonitoredBarrier, logRank(matchedText(rank)), logRanks(matchedText(ranks)),
                   placeBefore(record, rest), facts);
    rest = record.text();
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.barrierTimeout, &rank, &ms); ++n)
        addMissing(Where::MonitoredBarrier, logRank(matchedText(rank)), {}, placeBefore(record, rest), facts);
    rest = record.text();
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.barrierVictim, &rank); ++n)
        addMissing(Where::MonitoredBarrier, logRank(matchedText(rank)), {}, placeBefore(record, rest), facts);
    for (const RE2* desync : {&p.desyncBehind, &p.desyncNever}) {
        rest = record.text();
        for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, *desync, &ranks); ++n)
            addMissing(Where::Watchdog, std::nullopt, logRanks(matchedText(ranks)), placeBefore(record, rest), facts);
    }
}

void readStores(const DenseText& record, LogFacts& facts) {
    using Where = RanksMissing::Where;
    const CollectivePatterns& p = collectivePatterns();
    StringPiece rest(record.text()), rank, joined, expected, key, from, error;
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.clients, &joined, &expected); ++n) {
        addMissing(Where::Rendezvous, std::nullopt, {}, placeBefore(record, rest), facts);
        facts.missing.back().joined = logRank(matchedText(joined));
        facts.missing.back().expected = logWorldSize(matchedText(expected));
    }
    rest = record.text();
    for (std::size_t n = 0;
         n < kMostMatches && RE2::FindAndConsume(&rest, p.storeBarrier, &rank, &key, &expected, &joined); ++n) {
        addMissing(Where::Rendezvous, logRank(matchedText(rank)), {}, placeBefore(record, rest), facts);
        facts.missing.back().key = shownText(matchedText(key), 200);
        facts.missing.back().expected = logWorldSize(matchedText(expected));
        facts.missing.back().joined = logRank(matchedText(joined));
    }
    rest = record.text();
    StringPiece who;
    if (RE2::FindAndConsume(&rest, p.uniqueId, &rank, &from, &key, &error)) {
        const auto other = logRank(matchedText(from));
        addMissing(Where::Store, logRank(matchedText(rank)), other ? std::vector<int>{*other} : std::vector<int>{},
                   placeBefore(record, rest), facts);
        facts.missing.back().key = shownText(matchedText(key), 200);
        return; // the store's own message is a part of it
    }
    for (const RE2* wait : {&p.waitKeys, &p.waitKey}) {
        rest = record.text();
        for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, *wait, &key); ++n) {
            addMissing(Where::Store, std::nullopt, {}, placeBefore(record, rest), facts);
            facts.missing.back().key = shownText(matchedText(key), 200);
        }
    }
    rest = record.text();
    for (std::size_t n = 0; n < kMostMatches && RE2::FindAndConsume(&rest, p.connectTimeout, &key, &from); ++n) {
        addMissing(Where::Rendezvous, std::nullopt, {}, placeBefore(record, rest), facts);
        facts.missing.back().key = shownText(std::string(matchedText(key)) + ':' + std::string(matchedText(from)), 200);
    }
}

/// One for each record: a stack trace repeats it.
void readConnections(const DenseText& record, LogFacts& facts) {
    const CollectivePatterns& p = collectivePatterns();
    bool lost = RE2::PartialMatch(record.text(), p.likelyClosed);
    std::string peer;
    Place place;
    StringPiece rest(record.text()), part, port;
    for (std::size_t n = 0; n < kMostMatches && peer.empty() && RE2::FindAndConsume(&rest, p.closed, &part, &port);
         ++n) {
        lost = true;
        place = placeBefore(record, rest);
        if (!port.empty()) {
            const std::size_t begin = offsetIn(record, port);
            peer = std::string(matchedText(part)).append(record.lastNumber(begin, begin + port.size()));
        }
    }
    rest = record.text();
    for (std::size_t n = 0; n < kMostMatches && peer.empty() && RE2::FindAndConsume(&rest, p.closedRemote, &part);
         ++n) {
        lost = true;
        place = placeBefore(record, rest);
        peer = matchedText(part);
    }
    lost = RE2::PartialMatch(record.text(), p.socketError) || lost;
    if (lost && peer.empty() &&
        (RE2::PartialMatch(record.text(), p.readError, &part) ||
         RE2::PartialMatch(record.text(), p.socketRemote, &part)))
        peer = matchedText(part);
    if (lost)
        facts.connections.push_back({std::nullopt, shownText(peer, 120), std::move(place)});
}

} // namespace

void readCollectiveMessages(const DenseText& record, LogFacts& facts) {
    // a search for a word costs a hundredth of one for a pattern
    const auto has = [&](std::string_view word) { return record.text().find(word) != std::string::npos; };
    if (has("Watchdogcaught") || has("WorkNCCL("))
        readWatchdog(record, facts);
    if (has("[TC][rank="))
        readNewerWatchdog(record, facts);
    if (has("lastcompleted"))
        readCounts(record, facts);
    if (has("Detectedmismatch"))
        readMismatches(record, facts);
    if (has("operation") || has("pairclosure") || has("runningcollective"))
        readGloo(record, facts);
    if (has("op.preamble"))
        readGlooSizes(record, facts);
    if (has("onitoredBarrier") || has("joincollective") || has("lagging"))
        readBarriers(record, facts);
    if (has("clientsjoined") || has("storebased") || has("imeout") || has("timedout"))
        readStores(record, facts);
    if (has("peer") || has("likelyclosed") || has("failedon"))
        readConnections(record, facts);
}

} // namespace rankscope::explain
