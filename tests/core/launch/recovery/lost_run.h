// SPDX-License-Identifier: Apache-2.0
// A run whose supervisor is gone, made by hand: a folder, a run.json that claims to be live, and journals with known
// contents.
#pragma once

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/recording/journal_drain.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "core/telemetry/journal/journal_writer.h"

#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::launch {

using namespace telemetry;

class LostRun {
protected:
    static constexpr int kRanks = 2;

    std::unique_ptr<QTemporaryDir> m_dir;
    RunPaths m_run;
    std::int64_t m_startNs = 0;

    /// Creates a run of a supervisor that no longer exists.
    void makeLost() {
        m_run.dir = (m_dir->path() + "/20260101-000000-lost-0001").toStdString();
        for (int r = 0; r < kRanks; ++r)
            QVERIFY(makePrivateDirs(m_run.rank(r)));
        m_startNs = monotonicNs();
        RunInfo info;
        info.name = "lost";
        info.state = RunState::Running;
        info.worldSize = kRanks;
        info.totalSteps = 100;
        info.supervisorPid = ::getpid();
        info.supervisorStartTicks = processStat(::getpid())->startTicks + 1;
        info.host = hostName();
        info.bootId = bootId();
        info.namespaces = processNamespaces();
        info.startNs = m_startNs;
        info.startRealtimeNs = realtimeNs();
        QVERIFY(writeRunInfo(m_run, info));
        QVERIFY(store::RunWriter::open(m_run.store(), {"x", kRanks, m_startNs, info.startRealtimeNs, 100}));
    }
    void writeSteps(int rank, int steps, std::optional<EndCause> end = {}, std::uint64_t hash = 5) {
        auto journal = JournalWriter::create(m_run.rank(rank));
        QVERIFY(journal);
        for (int s = 0; s < steps; ++s) {
            StepRecord step;
            step.header.step = s;
            step.loss = 1.0 + s;
            step.beginNs = m_startNs + s * 1'000'000;
            step.endNs = step.beginNs + 900'000;
            QVERIFY(journal->append(step));
        }
        if (!end)
            return;
        EndRecord record;
        record.header.step = steps - 1;
        record.cause = *end;
        record.weightsHash = hash;
        QVERIFY(journal->append(record));
    }
    std::vector<store::RankSummary> stored() const {
        auto reader = store::RunReader::open(m_run.store());
        return reader ? reader->ranks().value_or(std::vector<store::RankSummary>{}) : std::vector<store::RankSummary>{};
    }
    std::int64_t records(int rank) const {
        auto reader = store::RunReader::open(m_run.store());
        const auto counters = reader->counters().value();
        for (const auto& c : counters)
            if (c.name == "records" && c.rank == rank)
                return c.value;
        return -1;
    }
    int endsTold() const {
        auto reader = store::RunReader::open(m_run.store());
        const auto notes = reader->notes(0, 100).value();
        return static_cast<int>(std::count_if(notes.begin(), notes.end(),
                                              [](const auto& n) { return n.text.starts_with("The run ended:"); }));
    }

    /// Rewrites run.json after `change` has modified its contents.
    template <class Change> void rewrite(const Change& change) {
        auto info = recordedRunInfo(m_run);
        QVERIFY(info);
        change(*info);
        QVERIFY(writeRunInfo(m_run, *info));
    }
};

} // namespace rankscope::launch
