// SPDX-License-Identifier: Apache-2.0
// A log of a hung run, in two parts of any size: read at once it says the same.
#include "core/base/text/terminal_safe.h"
#include "core/explain/line/log_number.h"
#include "core/explain/log/log_files.h"
#include "core/explain/log/log_scanner.h"
#include "tests/fuzz/target.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace rankscope::fuzz {

using namespace explain;

namespace {

HangEvidence reading(std::string_view text, std::size_t atOnce) {
    EvidenceCollector collector;
    InputFile file;
    file.name = "train.log";
    collector.beginFile(std::move(file));
    LogScanner scanner(collector);
    for (; !text.empty(); text.remove_prefix(std::min(atOnce, text.size())))
        scanner.feed(text.substr(0, atOnce));
    scanner.finish();
    return collector.finish();
}

void requireRank(const std::optional<int>& rank) {
    require(!rank || (*rank >= 0 && *rank <= kHighestRank), "a rank that no process has");
}

void requireText(const std::string& text) {
    require(text == printableLine(text), "text that a terminal would obey");
}

void requireCall(const CollectiveCall& call) {
    require(call.sequence.value_or(0) >= 0 && call.elementsIn.value_or(0) >= 0 && call.elementsOut.value_or(0) >= 0,
            "a negative count");
    for (const std::string& text : {call.group, call.writtenOp, call.dtype})
        requireText(text);
}

void requirePlace(const Place& place, const HangEvidence& found) {
    const InputFile& file = found.files.front();
    require(place.file == file.name && place.line >= 1 && place.line <= std::max<std::int64_t>(file.lines, 1),
            fmt::format("line {} of {}", place.line, file.lines));
}

std::string summary(const HangEvidence& found) {
    std::string text = fmt::format("{} {} {} {}", found.timeouts.size(), found.mismatches.size(), found.leftOut,
                                   fmt::join(found.files.front().ranks, ","));
    for (const auto& one : found.timeouts)
        text += fmt::format(" t{}:{}", one.rank.value_or(-1), one.call.sequence.value_or(-1));
    for (const auto& one : found.progress)
        text += fmt::format(" p{}:{}:{}", one.rank.value_or(-1), one.epoch, one.batch);
    for (const auto& one : found.ends)
        text += fmt::format(" e{}:{}", one.rank.value_or(-1), one.text);
    for (const auto& one : found.monitors)
        text += fmt::format(" m{}:{}:{}", one.rank.value_or(-1), static_cast<int>(one.kind), one.seconds);
    for (const auto& one : found.dumpNotices)
        text += fmt::format(" d{}:{}:{}", one.rank.value_or(-1), one.path, one.isOff);
    return text;
}

} // namespace

static void examine(const std::string& bytes) {
    Bytes in(bytes);
    const std::size_t atOnce = 1 + in.number<std::uint16_t>();
    const HangEvidence found = reading(in.rest(), atOnce);
    require(summary(found) == summary(reading(in.rest(), in.rest().size() + 1)), "in parts it says something else");
    for (const auto& one : found.timeouts) {
        requireRank(one.rank);
        requireCall(one.call);
        require(one.waitedMs >= 0 && one.timeoutMs >= 0, "a negative time");
        requirePlace(one.place, found);
    }
    for (const auto& one : found.mismatches) {
        require(!one.sides.empty() && one.sides.size() <= 2, "no sides");
        for (const auto& side : one.sides) {
            requireRank(side.rank);
            requireCall(side.call);
        }
        requirePlace(one.place, found);
    }
    for (const auto& one : found.missing) {
        requireRank(one.rank);
        requireText(one.key);
        requirePlace(one.place, found);
        for (const int rank : one.missing)
            requireRank(rank);
    }
    for (const auto& one : found.connections) {
        requireText(one.peer);
        requirePlace(one.place, found);
    }
    for (const auto& one : found.ends) {
        requireRank(one.rank);
        requireText(one.text);
        requirePlace(one.place, found);
    }
    for (const auto& one : found.monitors) {
        requireRank(one.rank);
        require(one.seconds >= 0, "a negative time");
        requirePlace(one.place, found);
    }
    for (const auto& one : found.dumpNotices) {
        requireRank(one.rank);
        requireText(one.path);
        requirePlace(one.place, found);
    }
    for (const auto& one : found.progress) {
        require(one.batch >= 0 && one.batches >= 0 && one.epoch >= -1, "a negative step");
        requirePlace(one.place, found);
    }
    require(!found.worldSize || (*found.worldSize >= 1 && *found.worldSize <= kHighestRank + 1), "no such world size");
    (void)looksLikeDump(in.rest());
    if (!found.timeouts.empty() || !found.progress.empty() || !found.ends.empty() || !found.mismatches.empty())
        ++taken;
}

RANKSCOPE_FUZZ_TARGET(hang_log)

} // namespace rankscope::fuzz
