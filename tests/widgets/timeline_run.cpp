// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/timeline_run.h"

namespace rankscope::test {

using telemetry::Phase;
using telemetry::PhaseRecord;

RankStep timelineStep(int rank, std::int64_t step) {
    RankStep s;
    std::int64_t at = 0;
    const auto add = [&](Phase phase, std::int64_t ns) {
        PhaseRecord record;
        record.phase = phase;
        record.beginNs = at;
        record.endNs = at += ns;
        s.phases.push_back(record);
    };
    if (rank == 1 && step % 5 == 0)
        s.lateNs = step == 60 ? 3'000'000'000 : kLateNs;
    add(Phase::DataWait, 10'000'000 + s.lateNs);
    add(Phase::Forward, 30'000'000);
    for (int i = 0; i < 8; ++i)
        add(Phase::ToDevice, 5'000);
    if (rank == 0 && step == 7)
        add(Phase::Checkpoint, kCheckpointNs);
    add(Phase::Backward, 20'000'000);
    return s;
}

} // namespace rankscope::test
