// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the runs that a run was resumed from, in the folder that contains the run. Plain calls, for the thread that
// reads the run; it never writes. A missing or damaged run ends the chain there, and problem() says so.
#pragma once

#include "widgets/models/view/run_lineage.h"

#include <QStringList>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

class LineageReader {
public:
    using CancelCheck = std::function<bool()>;
    static constexpr std::size_t kMostParts = 200; ///< bounded, because the files are not trusted

    /// All: also reads incidents, validations, checkpoints and annotations, which are shown in addition to the curves.
    enum class Detail { Curves, All };

    explicit LineageReader(launch::RunPaths run, Detail detail = Detail::All)
        : m_run(std::move(run)), m_detail(detail) {}

    /// Reads the chain. `from`: the id in run.json. `firstStep`: of the run itself; -1: it has none yet, and nothing is
    /// read. The same call again returns the same answer without reading files. Null: there is no earlier run, or
    /// none can be shown.
    RunChainPtr read(const std::string& from, std::int64_t firstStep, const CancelCheck& cancelled = {});
    /// Returns what is wrong, in the window's language; empty: nothing.
    QString problem() const;
    /// Returns whether more damage was found since problem() was last called.
    bool foundDamage() const;

    /// Returns points of ranks 0, 1, … over steps [first, last], as RunReader::series() does, but only of steps that
    /// count.
    Result<std::vector<std::vector<store::SeriesPoint>>> series(store::Metric metric, std::int64_t first,
                                                                std::int64_t last, int maxPoints,
                                                                const CancelCheck& cancelled = {});

private:
    struct Open {
        std::optional<store::RunReader> reader;
        mutable store::StoreHealth told;
        int ranks = 0;
    };
    using RankSeries = std::vector<std::vector<store::SeriesPoint>>;
    /// The newest answer: earlier runs do not change while a live run continues.
    struct Kept {
        std::int64_t first = 0, last = -1;
        RankSeries ranks;
    };
    enum class LineageProblem { None, Missing, Unreadable, NoSteps };

    bool add(const std::string& id, const std::string& next, std::int64_t cut, std::string& from);
    void readDetails(ChainPart& part, store::RunReader& reader, const launch::RunInfo& info);
    void readIncidents(ChainPart& part, store::RunReader& reader, const launch::RunInfo& info);
    void stopAt(LineageProblem trouble, const std::string& id, const std::string& next, const std::string& why = {});
    Result<void> reopen(std::size_t part);

    launch::RunPaths m_run;
    Detail m_detail;
    std::optional<std::int64_t> m_firstStep; ///< that the chain was read for
    std::string m_from;
    QStringList m_skipped;          ///< runs without any step that counts, since the newest part
    std::vector<ChainPart> m_parts; ///< newest first, during reading
    std::vector<Open> m_open;       ///< as the chain's parts
    RunChainPtr m_chain;
    std::map<std::pair<store::Metric, int>, Kept> m_kept; ///< by metric and number of points
    std::int64_t m_nextIncident = -1;
    LineageProblem m_trouble = LineageProblem::None;
    QString m_troubleId, m_troubleNext, m_troubleWhy;
};

} // namespace rankscope::ui
