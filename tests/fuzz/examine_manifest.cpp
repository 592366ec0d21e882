// SPDX-License-Identifier: Apache-2.0
// NeMo manifests.
#include "core/plan/data/manifest.h"
#include "tests/fuzz/target.h"

#include <cmath>

namespace rankscope::fuzz {

using namespace plan;

namespace {

void isSound(const Result<ManifestRow>& row) {
    if (!row)
        return require(!row.error().what.empty() && !row.error().where.empty(), "refused without a reason or a place");
    require(!row->path.empty() && row->path.find('\0') == std::string::npos, "a path that no file can have");
    require(std::isfinite(row->duration) && row->duration >= 0, "a duration that is none");
    require(std::isfinite(row->offset) && row->offset >= 0, "an offset that is none");
    ++taken;
}

} // namespace

static void examine(const std::string& bytes) {
    const auto file = put("manifest.json", bytes).string();
    for (const DurationKey key : {DurationKey::Required, DurationKey::Optional})
        (void)readManifestRows(file, key, [](const Result<ManifestRow>& row) -> Result<void> {
            isSound(row);
            return {};
        });
    config::DatasetConfig data;
    data.manifests = {file, file};
    data.minDuration = 0.5;
    data.maxDuration = 20;
    const auto found = readDurations(data, {});
    if (!found)
        return;
    const auto& facts = found->facts;
    require(facts.lines == facts.used + facts.tooShort + facts.tooLong + facts.bad, "lines are lost");
    require(facts.used == static_cast<std::int64_t>(found->seconds.size()), "durations are lost");
    require(facts.firstBad.size() <= 5 && (facts.bad > 0) == !facts.firstBad.empty(), "what is bad is not named");
}

RANKSCOPE_FUZZ_TARGET(manifest)

} // namespace rankscope::fuzz
