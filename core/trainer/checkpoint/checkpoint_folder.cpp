// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/checkpoint_folder.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/trainer/checkpoint/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace rankscope::trainer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".safetensors";
constexpr std::string_view kLink = ".last.safetensors.link"; ///< about to become last.safetensors

bool mayBeCheckpoint(const std::string& name) {
    return !name.starts_with('.') && name.ends_with(kSuffix) && name.size() > kSuffix.size();
}

Result<GuardedFolder> opened(const CheckpointOptions& options) {
    return GuardedFolder::open(options.folder, GuardedFolder::Checkpoints);
}

/// Returns none for a tensor file that is not a checkpoint; the user may have put one there.
Result<std::optional<TrainProgress>> progressOf(const fs::path& file) {
    RS_TRY_ASSIGN(const auto metadata, readSafetensorsMetadata(file));
    if (!isTrainState(metadata))
        return std::optional<TrainProgress>();
    RS_TRY_ASSIGN(auto progress, readTrainProgress(file));
    return std::optional(std::move(progress));
}

Result<std::vector<fs::path>> filesIn(const fs::path& folder) {
    std::error_code ec;
    std::vector<fs::path> out;
    for (const auto& entry : entriesOf(folder, ec))
        out.push_back(entry.path());
    if (ec && ec != std::errc::no_such_file_or_directory)
        return tl::unexpected(systemError("read the folder", folder.string(), ec.value()));
    return out;
}

std::int64_t keptCount(int keepTop) {
    return keepTop < 0 ? std::numeric_limits<std::int64_t>::max() : keepTop;
}

} // namespace

/// As in Lightning, a name that is already taken gets -v1, -v2, …
fs::path CheckpointFolder::placeFor(const TrainProgress& progress) const {
    const std::string name = m_options.name ? m_options.name(progress) : fmt::format("step-{}", progress.step);
    for (int version = 0;; ++version) {
        fs::path place =
            m_options.folder / fmt::format("{}{}{}", name, version > 0 ? fmt::format("-v{}", version) : "", kSuffix);
        const auto holder =
            std::find_if(m_entries.begin(), m_entries.end(), [&](const auto& e) { return e.file == place; });
        std::error_code ec;
        const bool taken = holder != m_entries.end()
                               ? holder->step != progress.step
                               : place.filename() == kLast || (m_options.name && fs::exists(place, ec));
        if (!taken)
            return place;
    }
}

Result<double> CheckpointFolder::valueOf(const TrainProgress& progress) const {
    if (m_options.monitor.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const auto found = progress.metrics.find(m_options.monitor);
    if (found != progress.metrics.end())
        return found->second;
    std::vector<std::string> names;
    for (const auto& item : progress.metrics)
        names.push_back(item.first);
    return fail(Errc::BadInput,
                names.empty() ? Message("the metric to monitor is not measured; none is available")
                              : Message("the metric to monitor is not measured; available: {}",
                                        fmt::format("{}", fmt::join(names, ", "))),
                m_options.monitor);
}

bool CheckpointFolder::isBetter(const CheckpointEntry& a, const CheckpointEntry& b) const {
    const bool aNone = std::isnan(a.value), bNone = std::isnan(b.value);
    if (aNone != bNone)
        return bNone;
    if (aNone || a.value == b.value)
        return a.step > b.step;
    return (a.value < b.value) == (m_options.mode == CheckpointOptions::MonitorMode::Min);
}

Result<CheckpointFolder> CheckpointFolder::open(const CheckpointOptions& options) {
    CheckpointFolder folder(options);
    RS_TRY(makePrivateDirs(options.folder));
    RS_TRY(folder.scan());
    return folder;
}

Result<void> CheckpointFolder::scan() {
    RS_TRY_ASSIGN(const auto folder, opened(m_options));
    RS_TRY_ASSIGN(const auto files, filesIn(m_options.folder));
    for (const fs::path& file : files) {
        const std::string name = file.filename().string();
        if (AtomicFile::isLeftOver(name) || name == kLink) {
            RS_TRY(folder.removeFile(name));
            continue;
        }
        if (!mayBeCheckpoint(name) || name == kLast)
            continue;
        const auto progress = progressOf(file);
        if (!progress) {
            m_problems.push_back(progress.error());
            continue;
        }
        if (*progress) // one without the metric was made with other settings: it ranks last
            m_entries.push_back(
                {file, (*progress)->step, valueOf(**progress).value_or(std::numeric_limits<double>::quiet_NaN())});
    }
    std::sort(m_entries.begin(), m_entries.end(), [this](const auto& a, const auto& b) { return isBetter(a, b); });
    return {};
}

Result<fs::path> CheckpointFolder::save(const TrainState& state) {
    RS_TRY_ASSIGN(const auto value, valueOf(state.progress));
    const CheckpointEntry entry{placeFor(state.progress), state.progress.step, value};
    std::erase_if(m_entries, [&](const CheckpointEntry& e) { return e.file == entry.file; }); // it is replaced
    const auto place =
        std::find_if(m_entries.begin(), m_entries.end(), [&](const CheckpointEntry& e) { return isBetter(entry, e); });
    const fs::path last = m_options.folder / kLast;
    if (place - m_entries.begin() >= keptCount(m_options.keepTop)) {
        if (!m_options.saveLast)
            return fs::path();
        RS_TRY(writeTrainState(last, state));
        return last;
    }
    RS_TRY(writeTrainState(entry.file, state));
    m_entries.insert(place, entry);
    if (m_options.saveLast)
        RS_TRY(nameLast(entry.file, state));
    RS_TRY(removeWorst());
    return entry.file;
}

Result<fs::path> CheckpointFolder::saveLast(const TrainState& state) {
    const fs::path last = m_options.folder / kLast;
    RS_TRY(writeTrainState(last, state));
    return last;
}

Result<void> CheckpointFolder::nameLast(const fs::path& file, const TrainState& state) const {
    RS_TRY_ASSIGN(const auto folder, opened(m_options));
    const std::string link(kLink);
    folder.removeFile(link);
    if (!folder.linkFile(file.filename().string(), link))
        return writeTrainState(m_options.folder / kLast, state);
    const auto renamed = folder.renameFile(link, kLast);
    folder.removeFile(link); // still exists if it could not be renamed, or both were already the same file
    return renamed ? folder.sync() : renamed;
}

Result<void> CheckpointFolder::removeWorst() {
    const auto keep = keptCount(m_options.keepTop);
    if (static_cast<std::int64_t>(m_entries.size()) <= keep)
        return {};
    RS_TRY_ASSIGN(const auto folder, opened(m_options));
    while (static_cast<std::int64_t>(m_entries.size()) > keep) {
        RS_TRY(folder.removeFile(m_entries.back().file.filename().string()));
        m_entries.pop_back();
    }
    return folder.sync();
}

Error notFiniteError(const fs::path& file, const std::string& tensor) {
    return Error{Errc::BadInput,
                 Message("its weights are not finite (first in tensor {}): training cannot start from it", tensor),
                 file.string()};
}

Result<NewestCheckpoint> CheckpointFolder::newest(const fs::path& folder) {
    RS_TRY_ASSIGN(const auto files, filesIn(folder));
    struct Candidate {
        std::int64_t step;
        fs::path file;
    };
    NewestCheckpoint out;
    std::vector<Candidate> candidates;
    for (const fs::path& file : files) {
        const std::string name = file.filename().string();
        if (!mayBeCheckpoint(name))
            continue;
        const auto progress = progressOf(file);
        if (!progress)
            out.skipped.push_back(progress.error());
        else if (*progress)
            candidates.push_back({(*progress)->step, file});
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.step != b.step ? a.step > b.step : a.file.filename() > b.file.filename();
    });
    for (const Candidate& c : candidates) {
        auto state = readTrainState(c.file);
        const auto bad = state ? firstNotFinite(state->model) : std::nullopt;
        if (bad) {
            out.skipped.push_back(notFiniteError(c.file, *bad));
            continue;
        }
        if (state) {
            out.state = std::move(*state);
            out.file = c.file;
            break;
        }
        if (state.error().code != Errc::NotFound) // a better one has replaced it meanwhile
            out.skipped.push_back(state.error());
    }
    return out;
}

} // namespace rankscope::trainer
