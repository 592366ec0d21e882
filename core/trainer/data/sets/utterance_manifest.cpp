// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sets/utterance_manifest.h"

#include "core/base/values/result.h"
namespace rankscope::trainer {

Result<void> readManifest(const std::string& file, DurationKey duration, std::vector<Utterance>& rows) {
    const std::size_t before = rows.size();
    auto read = plan::readManifestRows(file, duration, [&](Result<plan::ManifestRow> row) -> Result<void> {
        if (!row)
            return tl::unexpected(row.error());
        rows.push_back({std::move(row->path), row->offset, row->duration, static_cast<std::int64_t>(rows.size())});
        return {};
    });
    if (read && rows.size() == before)
        return fail(Errc::BadInput, "the manifest is empty: it names no utterance", file);
    return read;
}

Result<std::vector<Utterance>> readManifests(const std::vector<std::string>& files, DurationKey duration) {
    std::vector<Utterance> rows;
    for (const std::string& file : files)
        RS_TRY(readManifest(file, duration, rows));
    return rows;
}

} // namespace rankscope::trainer
