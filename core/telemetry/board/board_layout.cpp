// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/board/board_layout.h"

#include <algorithm>
#include <csignal>

namespace rankscope::telemetry {

template <class E> static E inRange(std::uint8_t value, E otherwise) {
    return value < static_cast<std::uint8_t>(E::Count) ? static_cast<E>(value) : otherwise;
}

static BoardCollective decodeGroup(const BoardGroup& group) {
    BoardCollective c;
    const BoardArrival& arrived = group.arrived.data;
    c.used = group.owner != 0 && group.owner <= 0x100000000u && group.arrived.sequence != 0;
    if (!c.used)
        return c;
    c.group = static_cast<std::uint32_t>(group.owner - 1);
    c.sequence = arrived.sequence;
    c.op = inRange(arrived.op, CollectiveOp::Other);
    c.dtype = arrived.dtype;
    c.count = arrived.count;
    c.arrivedNs = arrived.arrivedNs;
    c.tag = getText(arrived.tag, sizeof arrived.tag);
    c.done = group.done;
    c.doneNs = group.doneNs;
    c.started = group.started;
    return c;
}

static LeaveRequest decodeLeave(const BoardSection<LeaveRequest>& section) {
    LeaveRequest asked = section.data;
    if (section.sequence != kLeaveThere || asked.signal <= 0 || asked.signal >= NSIG)
        return {};
    asked.sender = inRange(static_cast<std::uint8_t>(asked.sender), LeaveRequest::Sender::Kernel);
    asked.pid = std::max(asked.pid, 0);
    return asked;
}

BoardSnapshot decodeBoard(const BoardPage& page) {
    const BoardTraining& t = page.training.data;
    BoardSnapshot s;
    s.rank = t.rank >= 0 && t.rank < kMaxRanks ? t.rank : -1;
    s.worldSize = std::clamp(t.worldSize, 0, kMaxRanks);
    s.pid = std::max(t.pid, 0);
    s.startTicks = t.startTicks;
    s.configHash = t.configHash;
    s.stage = inRange(t.stage, RankStage::Starting);
    s.updatedNs = t.updatedNs;
    s.step = std::max<std::int64_t>(t.step, -1);
    s.epoch = std::max(t.epoch, 0);
    s.totalSteps = std::max<std::int64_t>(t.totalSteps, 0);
    s.stepsPerEpoch = std::max(t.stepsPerEpoch, 0);
    s.phase = inRange(t.phase, Phase::None);
    s.phaseSinceNs = t.phaseSinceNs;
    s.place = inRange(t.place, ForwardSite::None);
    s.layer = std::max(t.layer, -1);
    s.batchSize = std::max(t.batchSize, -1);
    s.longestSamples = std::max<std::int64_t>(t.longestSamples, -1);
    s.longestFrames = std::max<std::int64_t>(t.longestFrames, -1);
    s.inputShape = t.inputShape;
    s.device = getText(t.device, sizeof t.device);
    for (int g = 0; g < kBoardGroups; ++g) {
        s.collectives[g] = decodeGroup(page.groups[g]);
        if (s.collectives[g].used) // entering a collective is also a sign of life
            s.updatedNs = std::max(s.updatedNs, s.collectives[g].arrivedNs);
    }
    s.reading = getText(page.loader.data.path, sizeof page.loader.data.path);
    s.readingSinceNs = page.loader.data.sinceNs;
    s.queueDepth = std::max(static_cast<std::int32_t>(page.queue & 0xffffffffu), 0);
    s.queueCapacity = std::max(static_cast<std::int32_t>(page.queue >> 32), 0);
    s.droppedRecords = page.dropped;
    s.asked = decodeLeave(page.leave);
    return s;
}

} // namespace rankscope::telemetry
