// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/perfetto/trace_export.h"

#include "core/base/files/atomic_file.h"
#include "core/base/values/result.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/remedy.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace rankscope::exchange {

using nlohmann::json;

int Lanes::place(std::int64_t beginNs, std::int64_t endNs) {
    for (std::size_t lane = 0;; ++lane) {
        if (lane == m_open.size())
            m_open.emplace_back();
        auto& open = m_open[lane];
        while (!open.empty() && open.back() <= beginNs)
            open.pop_back();
        if (open.empty() || (m_nested && open.back() >= endNs)) {
            open.push_back(endNs);
            return static_cast<int>(lane);
        }
    }
}

namespace {

constexpr std::size_t kTraceBlockBytes = 256u << 10;
constexpr std::int64_t kWatchEvery = 4096; ///< events
/// Thread ids within a rank's process; lanes are numbered from there.
constexpr int kStepThread = 1, kPhaseThread = 2, kCollectiveThread = 1000;

std::string jsonText(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Returns ns as microseconds: 1234567 ns is "1234.567".
std::string micros(std::int64_t ns) {
    const std::uint64_t size = ns < 0 ? -static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

/// Readers convert times back to ns in floating point, and some truncate instead of rounding. So 0.2 ns is added to
/// each time, which gives the same ns either way, and adjacent bars do not overlap.
std::string timeStamp(std::int64_t ns) {
    return ns < 0 ? micros(ns) : micros(ns) + '2';
}

/// Returns a rank's process id; 0 would be the idle task, as in kernel traces.
int processOf(int rank) {
    return rank + 1;
}

struct Bar {
    int process = 0, thread = 0;
    std::int64_t beginNs = 0, endNs = 0;
    std::string name;
    const char* category = "";
    std::string args; ///< the inside of a JSON object
};

/// Writes the events of one file, and the name of each thread before its first one.
class TraceFile {
public:
    TraceFile(AtomicFile file, const store::RunMeta& meta, const TraceWatch& watch)
        : m_file(std::move(file)), m_watch(watch) {
        m_text = fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"run\":{},\"ranks\":{},"
                             "\"start_realtime_ns\":{},\"writer\":\"rankscope {}\"}},\n\"traceEvents\":[",
                             jsonText(meta.id), meta.worldSize, meta.startRealtimeNs, RANKSCOPE_VERSION);
    }

    void process(int process, std::string_view name) {
        meta(process, 0, "process_name", fmt::format("\"name\":{}", jsonText(name)));
        meta(process, 0, "process_sort_index", fmt::format("\"sort_index\":{}", process));
    }

    void bar(const Bar& bar) {
        nameThread(bar.process, bar.thread, bar.category);
        event(fmt::format(
            "\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}",
            jsonText(bar.name), bar.category, bar.process, bar.thread, timeStamp(bar.beginNs),
            micros(std::max<std::int64_t>(bar.endNs - bar.beginNs, 0)), bar.args));
    }

    void counter(int process, std::string_view name, std::int64_t atNs, double value) {
        if (std::isfinite(value)) // JSON has no non-finite numbers
            event(fmt::format("\"ph\":\"C\",\"name\":{0},\"pid\":{1},\"ts\":{2},\"args\":{{{0}:{3}}}", jsonText(name),
                              process, timeStamp(atNs), value));
    }

    /// Writes an arrow from inside one bar to inside another.
    void arrow(const Bar& from, const Bar& to) {
        const auto end = [&](const char* head, const Bar& bar) {
            event(fmt::format(
                "\"ph\":{},\"name\":\"waits for\",\"cat\":\"wait\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}", head,
                m_arrows, bar.process, bar.thread, timeStamp(bar.beginNs)));
        };
        ++m_arrows;
        end("\"s\"", from);
        end("\"f\",\"bp\":\"e\"", to);
    }

    std::int64_t arrows() const { return m_arrows; }
    Result<void> proceed() {
        if (m_watch && m_events / kWatchEvery != m_watched) {
            m_watched = m_events / kWatchEvery;
            if (!m_watch(m_events))
                return fail(Errc::Busy, "the export was cancelled");
        }
        return m_file.failed() ? m_file.commit() : Result<void>();
    }
    Result<void> commit() {
        m_text += "\n]}\n";
        flush();
        return m_file.commit();
    }

private:
    void nameThread(int process, int thread, std::string_view category) {
        if (!m_named.insert({process, thread}).second)
            return;
        const int lane = thread >= kCollectiveThread ? thread - kCollectiveThread
                         : thread >= kPhaseThread    ? thread - kPhaseThread
                                                     : 0;
        const std::string name = fmt::format("{}s{}", category, lane == 0 ? "" : fmt::format(" {}", lane + 1));
        meta(process, thread, "thread_name", fmt::format("\"name\":{}", jsonText(name)));
        meta(process, thread, "thread_sort_index", fmt::format("\"sort_index\":{}", thread));
    }
    void meta(int process, int thread, std::string_view name, const std::string& args) {
        event(fmt::format("\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}", name, process, thread,
                          args));
    }
    void event(const std::string& inside) {
        m_text.append(m_first ? "\n{" : ",\n{").append(inside).append("}");
        m_first = false;
        ++m_events;
        if (m_text.size() >= kTraceBlockBytes)
            flush();
    }
    void flush() {
        m_file.write(m_text.data(), m_text.size());
        m_text.clear();
    }

    AtomicFile m_file;
    std::string m_text;
    bool m_first = true;
    std::int64_t m_arrows = 0, m_events = 0, m_watched = -1;
    const TraceWatch& m_watch;
    std::set<std::pair<int, int>> m_named;
};

Result<void> addSteps(store::RunReader& reader, int rank, const Selection& selection, TraceFile& file,
                      TraceFigures& figures) {
    return reader.eachStep(rank, selection.steps, [&](const store::StepRow& row) -> Result<void> {
        Bar bar{processOf(rank), kStepThread, row.beginNs, row.endNs, fmt::format("step {}", row.step), "step", {}};
        bar.args = fmt::format("\"step\":{}", row.step);
        for (const auto& info : store::metrics())
            if (const auto value = row.value(info.metric); value && std::isfinite(*value))
                bar.args += fmt::format(",\"{}\":{}", info.column, *value);
        file.bar(bar);
        if (const auto loss = row.value(store::Metric::Loss))
            file.counter(processOf(rank), "loss", row.endNs, *loss);
        ++figures.steps;
        return file.proceed();
    });
}

Result<void> addPhases(store::RunReader& reader, const Selection& selection, TraceFile& file, TraceFigures& figures) {
    std::map<int, Lanes> lanes;
    return reader.eachPhase(selection.steps, [&](const store::PhaseRow& row) -> Result<void> {
        if (!selects(selection, row.rank))
            return {};
        auto& of = lanes.try_emplace(row.rank, true).first->second;
        const int thread = std::min(kPhaseThread + of.place(row.beginNs, row.endNs), kCollectiveThread - 1);
        file.bar({processOf(row.rank), thread, row.beginNs, row.endNs, std::string(telemetry::phaseName(row.phase)),
                  "phase", fmt::format("\"step\":{}", row.step)});
        ++figures.phases;
        return file.proceed();
    });
}

/// Collects the collectives of one step, to sort them by time and connect waiters with their holders.
class CollectiveWriter {
public:
    CollectiveWriter(const Selection& selection, TraceFile& file) : m_selection(selection), m_file(file) {}

    Result<void> take(const store::CollectiveRow& row) {
        if (!m_rows.empty() && m_rows.front().step != row.step)
            write();
        if (selects(m_selection, row.rank))
            m_rows.push_back(row);
        return m_file.proceed();
    }

    void write() {
        std::ranges::stable_sort(m_rows, [](const auto& a, const auto& b) { return a.arrivedNs < b.arrivedNs; });
        std::map<std::tuple<std::uint32_t, std::uint64_t, int>, std::size_t> index;
        std::vector<Bar> bars;
        for (const auto& row : m_rows) {
            index[{row.group, row.sequence, row.rank}] = bars.size();
            bars.push_back(barOf(row));
            m_file.bar(bars.back());
        }
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const auto& row = m_rows[i];
            if (row.holder < 0 || row.holder == row.rank || row.waitNs < kArrowNs)
                continue;
            if (const auto holder = index.find({row.group, row.sequence, row.holder}); holder != index.end())
                m_file.arrow(bars[i], bars[holder->second]);
        }
        m_count += static_cast<std::int64_t>(m_rows.size());
        m_rows.clear();
    }
    std::int64_t count() const { return m_count; }

private:
    Bar barOf(const store::CollectiveRow& row) {
        // an arrow must begin and end inside a bar, so no bar may have zero length
        const std::int64_t endNs = std::max(row.doneNs, row.arrivedNs + 1);
        auto& lanes = m_lanes.try_emplace(row.rank, false).first->second;
        Bar bar{processOf(row.rank),
                kCollectiveThread + lanes.place(row.arrivedNs, endNs),
                row.arrivedNs,
                endNs,
                row.tag,
                "collective",
                {}};
        if (row.tag.empty())
            bar.name = telemetry::opName(row.op);
        bar.args = fmt::format(
            "\"step\":{},\"op\":\"{}\",\"group\":{},\"sequence\":{},\"elements\":{},\"phase\":\"{}\"", row.step,
            telemetry::opName(row.op), row.group, row.sequence, row.count, telemetry::phaseName(row.phase));
        if (row.holder >= 0)
            bar.args += fmt::format(",\"wait_us\":{},\"waited_for_rank\":{}", micros(row.waitNs), row.holder);
        if (row.exposedNs >= 0)
            bar.args += fmt::format(",\"exposed_us\":{}", micros(row.exposedNs));
        return bar;
    }

    const Selection& m_selection;
    TraceFile& m_file;
    std::vector<store::CollectiveRow> m_rows;
    std::map<int, Lanes> m_lanes;
    std::int64_t m_count = 0;
};

void addIncidents(const std::vector<diagnosis::Incident>& incidents, const store::RunMeta& meta, std::int64_t endNs,
                  TraceFile& file) {
    std::vector<diagnosis::Incident> byBegin = incidents;
    std::ranges::stable_sort(byBegin, [](const auto& a, const auto& b) { return a.openedNs < b.openedNs; });
    file.process(processOf(meta.worldSize), "incidents");
    Lanes lanes(false);
    for (const auto& i : byBegin) {
        const std::int64_t begin = i.openedNs - meta.startNs, end = i.closedNs ? i.closedNs - meta.startNs : endNs;
        Bar bar{processOf(meta.worldSize),
                kPhaseThread + lanes.place(begin, end),
                begin,
                std::max(end, begin),
                std::string(causeName(i.cause)),
                "incident",
                {}};
        bar.args =
            fmt::format("\"sentence\":{},\"holders\":{},\"waiters\":{},\"step\":{},\"remedy\":{}",
                        jsonText(sentence(i, i.closedNs ? i.closedNs : meta.startNs + endNs).english()),
                        json(i.holders).dump(), json(i.waiters).dump(), i.step, jsonText(remedyText(i).english()));
        file.bar(bar);
    }
}

Result<void> fill(store::RunReader& reader, const Selection& selection, TraceFile& file, TraceFigures& figures) {
    RS_TRY_ASSIGN(const auto ranks, reader.ranks());
    RS_TRY_ASSIGN(const auto incidents, reader.incidents());
    std::int64_t endNs = 0;
    for (const auto& rank : ranks) {
        endNs = std::max(endNs, rank.lastNs);
        if (!selects(selection, rank.rank))
            continue;
        std::string name = fmt::format("rank {}", rank.rank);
        if (!rank.device.empty())
            name += fmt::format(" ({}{}{})", rank.host, rank.host.empty() ? "" : " ", rank.device);
        file.process(processOf(rank.rank), name);
        RS_TRY(addSteps(reader, rank.rank, selection, file, figures));
    }
    RS_TRY(addPhases(reader, selection, file, figures));
    CollectiveWriter collectives(selection, file);
    RS_TRY(
        reader.eachCollective(selection.steps, [&](const store::CollectiveRow& row) { return collectives.take(row); }));
    collectives.write();
    figures.collectives = collectives.count();
    figures.arrows = file.arrows();
    figures.incidents = static_cast<std::int64_t>(incidents.size());
    if (!incidents.empty())
        addIncidents(incidents, reader.meta(), endNs, file);
    return {};
}

} // namespace

Result<TraceFigures> exportTrace(store::RunReader& reader, const std::filesystem::path& path,
                                 const Selection& selection, const TraceWatch& watch) {
    RS_TRY_ASSIGN(auto created, AtomicFile::create(path));
    TraceFile file(std::move(created), reader.meta(), watch);
    TraceFigures figures;
    RS_TRY(fill(reader, selection, file, figures));
    RS_TRY(file.commit());
    return figures;
}

} // namespace rankscope::exchange
