// SPDX-License-Identifier: Apache-2.0
// A rank's board. The first byte says whether the page's header is repaired, so that the fields after it are reached.
#include "core/telemetry/board/board.h"
#include "core/telemetry/board/board_layout.h"
#include "tests/fuzz/target.h"

#include <cstddef>

namespace rankscope::fuzz {

using namespace telemetry;

namespace {

void isSound(const BoardSnapshot& b) {
    require(b.stage < RankStage::Count && b.phase < Phase::Count && b.place < ForwardSite::Count,
            "a value that is none");
    require(b.device.size() <= 32 && b.reading.size() <= 1008, "a text beyond its field");
    require(b.batchSize >= -1 && b.longestSamples >= -1 && b.longestFrames >= -1, "a count below what means not known");
    require(b.queueDepth >= 0 && b.queueCapacity >= 0, "a queue below zero");
    require(b.asked.signal >= 0 && b.asked.pid >= 0 && b.asked.sender < LeaveRequest::Sender::Count,
            "a request that is none");
    require(b.asked.programName().size() <= 32, "a name beyond its field");
    for (const auto& c : b.collectives) {
        require(c.op < CollectiveOp::Count && c.tag.size() <= kTagBytes, "a collective that is none");
        (void)c.open();
    }
}

/// Makes the sequence even: an odd one means that a write is in progress, and a reader would wait 20 ms for its end.
void settle(std::uint64_t& sequence) {
    sequence &= ~std::uint64_t{1};
}

} // namespace

static void examine(const std::string& bytes) {
    Bytes in(bytes);
    const bool mend = (in.byte() & 1) == 0;
    std::string file(in.rest());
    if (mend)
        file.resize(std::max(file.size(), sizeof(BoardPage)));
    BoardPage page;
    std::memcpy(static_cast<void*>(&page), file.data(), std::min(file.size(), sizeof page));
    if (mend) {
        page.magic = kBoardMagic;
        page.version = kBoardVersion;
    }
    isSound(decodeBoard(page));
    settle(page.training.sequence);
    settle(page.loader.sequence);
    for (auto& group : page.groups)
        settle(group.arrived.sequence);
    std::memcpy(file.data(), &page, std::min(file.size(), sizeof page));
    const auto reader = BoardReader::open(put("board", file));
    if (!reader)
        return require(!reader.error().what.empty(), "refused without a reason");
    ++taken;
    isSound(reader->snapshot());
}

RANKSCOPE_FUZZ_TARGET(board)

} // namespace rankscope::fuzz
