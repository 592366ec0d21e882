// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the runs that a run was resumed from, out of the folder in which it lies itself. Plain calls, for the thread
// that reads the run; it never writes. What is missing or damaged ends the chain there, and problem() says so.
#pragma once

#include "widgets/models/view/run_lineage.h"

#include <QStringList>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

class ChainReader {
public:
    using Cancelled = std::function<bool()>;
    static constexpr std::size_t kMostParts = 200; ///< the files may say anything

    /// With what is told of a run beside its curves: incidents, validations, checkpoints and annotations.
    enum class Detail { Curves, All };

    explicit ChainReader(launch::RunPaths run, Detail detail = Detail::All) : m_run(std::move(run)), m_detail(detail) {}

    /// `from`: what run.json says. `firstStep`: of the run itself, -1: it has none yet, and nothing is read. The same
    /// question has the same answer, without a look at the files. Null: nothing came before, or nothing can be shown.
    RunChainPtr read(const std::string& from, std::int64_t firstStep, const Cancelled& cancelled = {});
    /// In the window's language; empty: nothing is wrong.
    QString problem() const;
    /// More damage was found since problem() was last asked.
    bool foundDamage() const;

    /// Of ranks 0, 1, …: points over steps [first, last] as RunReader::series() has them, of steps that count alone.
    Result<std::vector<std::vector<store::SeriesPoint>>>
    series(store::Metric metric, std::int64_t first, std::int64_t last, int maxPoints, const Cancelled& cancelled = {});

private:
    struct Open {
        std::optional<store::RunReader> reader;
        mutable store::StoreCondition told;
        int ranks = 0;
    };
    using Ranks = std::vector<std::vector<store::SeriesPoint>>;
    /// The newest answer: what came before does not change while a live run goes on.
    struct Kept {
        std::int64_t first = 0, last = -1;
        Ranks ranks;
    };
    enum class Trouble { None, Missing, Unreadable, NoSteps };

    bool add(const std::string& id, const std::string& next, std::int64_t cut, std::string& from);
    void readDetails(ChainPart& part, store::RunReader& reader, const launch::RunInfo& info);
    void readIncidents(ChainPart& part, store::RunReader& reader, const launch::RunInfo& info);
    void stopAt(Trouble trouble, const std::string& id, const std::string& next, const std::string& why = {});
    Result<void> reopen(std::size_t part);

    launch::RunPaths m_run;
    Detail m_detail;
    std::optional<std::int64_t> m_firstStep; ///< that the chain was read for
    std::string m_from;
    QStringList m_skipped;          ///< runs that left no step that counts, since the newest part
    std::vector<ChainPart> m_parts; ///< newest first, while they are read
    std::vector<Open> m_open;       ///< as the chain's parts
    RunChainPtr m_chain;
    std::map<std::pair<store::Metric, int>, Kept> m_kept; ///< by metric and number of points
    std::int64_t m_nextIncident = -1;
    Trouble m_trouble = Trouble::None;
    QString m_troubleId, m_troubleNext, m_troubleWhy;
};

} // namespace rankscope::ui
