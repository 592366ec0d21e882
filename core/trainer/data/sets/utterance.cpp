// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sets/utterance.h"

#include "core/base/values/result.h"

namespace rankscope::trainer {
namespace {

/// Appends the rows of `file`.
Result<void> readManifest(const std::string& file, DurationKey duration, std::vector<Utterance>& rows) {
    const std::size_t before = rows.size();
    auto done = plan::readManifestRows(file, duration, [&](Result<plan::ManifestRow> row) -> Result<void> {
        RS_TRY_ASSIGN(auto read, std::move(row));
        rows.push_back({std::move(read.path), read.offset, read.duration, static_cast<std::int64_t>(rows.size())});
        return {};
    });
    if (done && rows.size() == before)
        return fail(Errc::BadInput, "the manifest is empty: it lists no utterances", file);
    return done;
}

} // namespace

Result<std::vector<Utterance>> readManifests(const std::vector<std::string>& files, DurationKey duration) {
    std::vector<Utterance> rows;
    for (const std::string& file : files)
        RS_TRY(readManifest(file, duration, rows));
    return rows;
}

DurationFilter::DurationFilter(std::shared_ptr<const UtteranceSet> source, double minSeconds, double maxSeconds)
    : m_source(std::move(source)) {
    for (std::int64_t i = 0; i < m_source->size(); ++i) {
        switch (plan::fits(m_source->get(i).duration, minSeconds, maxSeconds)) {
        case plan::DurationFit::TooShort:
            ++m_tooShort;
            break;
        case plan::DurationFit::TooLong:
            ++m_tooLong;
            break;
        case plan::DurationFit::Used:
            m_kept.push_back(i);
        }
    }
}

} // namespace rankscope::trainer
