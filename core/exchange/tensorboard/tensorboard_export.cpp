// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/tensorboard_export.h"

#include "core/base/values/result.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/exchange/tensorboard/event.h"
#include "core/exchange/tensorboard/series_tags.h"
#include "core/exchange/tensorboard/tfrecord.h"

#include <fmt/format.h>

namespace rankscope::exchange {

namespace fs = std::filesystem;

namespace {

/// Writes the file of one rank.
class RankFile {
public:
    RankFile(RecordWriter writer, std::int64_t startRealtimeNs, const Selection& selection)
        : m_writer(std::move(writer)), m_start(startRealtimeNs), m_selection(selection) {
        for (const auto& info : store::metrics())
            if (selects(selection, info.metric))
                m_tags.push_back({info.metric, tagOf(info.metric), tagScale(info.metric)});
        m_writer.write(firstEvent(wall(0), "rankscope " RANKSCOPE_VERSION));
    }

    Result<void> take(const store::StepRow& row) {
        m_scalars.clear();
        for (const auto& [metric, tag, scale] : m_tags)
            if (const auto value = row.value(metric))
                m_scalars.push_back({tag, *value * scale});
        if (row.epoch >= 0 && m_selection.series.empty())
            m_scalars.push_back({"epoch", static_cast<double>(row.epoch)});
        return write(row.endNs, row.step);
    }

    Result<void> take(const store::ScalarRow& row) {
        if (row.step < m_selection.steps.first || row.step > m_selection.steps.last)
            return {};
        m_scalars.assign({{row.tag, row.value}});
        return write(row.timeNs, row.step);
    }

    Result<void> take(const store::ValidationRow& row) {
        if (!row.known)
            return {};
        m_scalars.assign({{std::string(kValidationTag), row.loss}});
        return write(row.endNs, row.step);
    }

    void text(std::int64_t timeNs, std::int64_t step, std::string_view tag, std::string_view markdown) {
        m_writer.write(textEvent(wall(timeNs), step, tag, markdown));
    }

    std::int64_t points() const { return m_points; }
    Result<void> commit() { return m_writer.commit(); }

private:
    double wall(std::int64_t timeNs) const { return static_cast<double>(m_start + timeNs) * 1e-9; }

    Result<void> write(std::int64_t timeNs, std::int64_t step) {
        if (m_scalars.empty())
            return {};
        m_points += static_cast<std::int64_t>(m_scalars.size());
        m_writer.write(scalarEvent(wall(timeNs), step, m_scalars));
        return m_writer.failed() ? m_writer.commit() : Result<void>(); // commit() returns the error
    }

    struct ExportedSeries {
        store::Metric metric;
        std::string tag;
        double scale;
    };
    RecordWriter m_writer;
    std::int64_t m_start, m_points = 0;
    const Selection& m_selection;
    std::vector<ExportedSeries> m_tags;
    std::vector<Scalar> m_scalars;
};

Result<void> addIncidents(store::RunReader& reader, RankFile& file) {
    RS_TRY_ASSIGN(const auto incidents, reader.incidents());
    const std::int64_t startNs = reader.meta().startNs;
    for (const auto& i : incidents)
        file.text((i.closedNs ? i.closedNs : i.detectedNs) - startNs, std::max<std::int64_t>(i.step, 0), "incidents",
                  fmt::format("**{}**: {}", causeName(i.cause),
                              sentence(i, i.closedNs ? i.closedNs : i.detectedNs).english()));
    return {};
}

Result<std::int64_t> exportRank(store::RunReader& reader, int rank, const fs::path& dir, const Selection& selection) {
    RS_TRY(makePrivateDirs(dir));
    const std::int64_t start = reader.meta().startRealtimeNs;
    // a run always gets the same name, so that a second export replaces the file instead of duplicating the points
    RS_TRY_ASSIGN(auto writer, RecordWriter::create(
                                   dir / fmt::format("events.out.tfevents.{:010}.rankscope", start / 1'000'000'000)));
    RankFile file(std::move(writer), start, selection);
    RS_TRY(reader.eachStep(rank, {std::max<std::int64_t>(selection.steps.first, 0), selection.steps.last},
                           [&](const store::StepRow& row) { return file.take(row); }));
    if (selection.series.empty()) {
        RS_TRY(reader.eachScalar(rank, [&](const store::ScalarRow& row) { return file.take(row); }));
        RS_TRY(reader.eachValidation(rank, selection.steps,
                                     [&](const store::ValidationRow& row) { return file.take(row); }));
        if (rank == 0)
            RS_TRY(addIncidents(reader, file));
    }
    RS_TRY(file.commit());
    return file.points();
}

} // namespace

Result<TensorBoardFigures> exportTensorBoard(store::RunReader& reader, const fs::path& dir,
                                             const Selection& selection) {
    TensorBoardFigures figures;
    for (int rank = 0; rank < reader.meta().worldSize; ++rank) {
        if (!selects(selection, rank))
            continue;
        RS_TRY_ASSIGN(const auto points, exportRank(reader, rank, dir / fmt::format("rank_{}", rank), selection));
        ++figures.files;
        figures.points += points;
    }
    return figures;
}

} // namespace rankscope::exchange
