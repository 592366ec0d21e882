// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/ended_runs.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/files/paths.h"
#include "core/base/values/byte_codec.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/config/yaml/node.h"
#include "core/diagnosis/recording/zlib_stream.h"
#include "core/telemetry/format/limits.h"

#include <QCryptographicHash>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

namespace rankscope::ui {

namespace fs = std::filesystem;

namespace {

/// To be changed with the layout of the file and with the meaning of anything in it.
constexpr std::string_view kFormat = "rankscope ended runs 2, " RANKSCOPE_VERSION;
constexpr std::size_t kLargest = 256u << 20;
constexpr std::size_t kSum = sizeof(std::uint32_t); ///< bytes of the checksum at the end

std::int64_t nsOf(const timespec& time) {
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// Returns an absolute path without links, so that a folder has one name.
std::string placeOf(const fs::path& runsDir) {
    std::error_code ec;
    const fs::path place = fs::weakly_canonical(runsDir, ec);
    return ec ? runsDir.string() : place.string();
}

/// Calls visit(value) for each number of a run, always in the same order.
template <class Stamp, class Visit> void eachOfStamp(Stamp& stamp, const Visit& visit) {
    visit(stamp.device);
    visit(stamp.inode);
    visit(stamp.bytes);
    visit(stamp.modifiedNs);
    visit(stamp.changedNs);
}
template <class Figures, class Visit> void eachOfFigures(Figures& figures, const Visit& visit) {
    visit(figures.lastStep);
    visit(figures.lastLoss);
    visit(figures.bestLoss);
    visit(figures.lastValidation);
    visit(figures.bestValidation);
    visit(figures.stepsPerSecond);
    visit(figures.samplesPerSecond);
    visit(figures.waitedNs);
    visit(figures.waitsAreSums);
    visit(figures.incidents);
    visit(figures.memoryBytes);
}
template <class Held, class Visit> void eachOfHeld(Held& held, const Visit& visit) {
    visit(held.rank);
    visit(held.ns);
}
template <class Tail, class Visit> void eachOfTail(Tail& tail, const Visit& visit) {
    visit(tail.since);
    visit(tail.steps);
    visit(tail.loss);
    visit(tail.weights);
}

auto putInto(ByteEncoder& out) {
    return [&out](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>)
            out.boolean(value);
        else if constexpr (std::is_floating_point_v<T>)
            out.real(value);
        else
            out.integer(static_cast<std::int64_t>(value));
    };
}

auto takeFrom(ByteDecoder& in) {
    return [&in](auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>)
            value = in.boolean();
        else if constexpr (std::is_floating_point_v<T>)
            value = in.real();
        else
            value = static_cast<T>(in.integer());
    };
}

/// Numbers the texts of all runs; most of them occur in nearly every run.
class TextTable {
public:
    std::uint64_t numberOf(const std::string* text) {
        const auto [at, fresh] = m_numbers.try_emplace(text, m_texts.size());
        if (fresh)
            m_texts.push_back(text);
        return at->second;
    }
    void writeTo(ByteEncoder& out) const {
        out.number(m_texts.size());
        for (const std::string* text : m_texts)
            out.text(*text);
    }

private:
    std::unordered_map<const std::string*, std::uint64_t> m_numbers;
    std::vector<const std::string*> m_texts;
};

void writeRun(const EndedRun& run, TextTable& texts, ByteEncoder& out) {
    const auto put = putInto(out);
    for (const FileStamp& stamp : {run.stamps.recipe, run.stamps.store, run.stamps.log})
        eachOfStamp(stamp, put);
    out.boolean(run.settings != nullptr);
    if (run.settings) {
        out.number(run.settings->entries.size());
        for (const auto& entry : run.settings->entries) {
            out.number(texts.numberOf(entry.key));
            out.number(texts.numberOf(entry.value));
        }
    }
    out.boolean(run.figures != nullptr);
    if (run.figures) {
        eachOfFigures(*run.figures, put);
        out.number(run.figures->held.size());
        for (const HeldTime& one : run.figures->held)
            eachOfHeld(one, put);
    }
    out.number(run.tails.size());
    for (const store::NotFiniteTail& tail : run.tails)
        eachOfTail(tail, put);
}

EndedRun readRun(ByteDecoder& in, const std::vector<const std::string*>& texts,
                 const std::shared_ptr<StringInterner>& pool) {
    const auto take = takeFrom(in);
    EndedRun run;
    for (FileStamp* stamp : {&run.stamps.recipe, &run.stamps.store, &run.stamps.log})
        eachOfStamp(*stamp, take);
    if (in.boolean()) {
        auto settings = std::make_shared<RecipeValues>();
        settings->pool = pool;
        settings->entries.resize(in.below(config::kMaxNodes));
        for (auto& entry : settings->entries)
            for (const std::string** text : {&entry.key, &entry.value})
                if (const std::size_t number = in.below(texts.size()); in.ok())
                    *text = texts[number];
        run.settings = std::move(settings);
    }
    if (in.boolean()) {
        auto figures = std::make_shared<RunFigures>();
        eachOfFigures(*figures, take);
        figures->held.resize(in.below(std::size_t{telemetry::kMaxRanks} + 1));
        for (HeldTime& one : figures->held)
            eachOfHeld(one, take);
        run.figures = std::move(figures);
    }
    run.tails.resize(in.below(std::size_t{telemetry::kMaxRanks} + 1));
    for (store::NotFiniteTail& tail : run.tails)
        eachOfTail(tail, take);
    return run;
}

/// Returns the file's contents without the checksum; none if it is not the user's own, or damaged.
std::optional<std::string> soundBytes(const fs::path& file) {
    const auto opened = openRegularFile(file);
    struct stat st {};
    if (!opened || ::fstat(opened->fd.get(), &st) != 0 || st.st_uid != ::geteuid())
        return std::nullopt;
    auto bytes = readAll(opened->fd.get(), kLargest, file);
    if (!bytes || bytes->size() < kSum)
        return std::nullopt;
    std::uint32_t sum = 0;
    std::memcpy(&sum, bytes->data() + bytes->size() - kSum, kSum);
    bytes->resize(bytes->size() - kSum);
    return diagnosis::checksumOf(*bytes) == sum ? std::optional(std::move(*bytes)) : std::nullopt;
}

} // namespace

FileStamp FileStamp::of(const fs::path& file) {
    return at(AT_FDCWD, file.native());
}

FileStamp FileStamp::at(int folder, const std::string& name) {
    struct stat s {};
    if (::fstatat(folder, name.c_str(), &s, 0) != 0)
        return {};
    return {s.st_dev, s.st_ino, s.st_size, nsOf(s.st_mtim), nsOf(s.st_ctim)};
}

RunStamps RunStamps::of(const launch::RunPaths& run) {
    return {FileStamp::of(run.effective()), FileStamp::of(run.store()), FileStamp::of(run.store().string() + "-wal")};
}

bool RunStamps::areOld() const {
    constexpr std::int64_t kOldNs = 100'000'000; // the kernel's clock for files advances in steps of up to 10 ms
    const std::int64_t now = realtimeNs();
    return std::max({recipe.changedNs, store.changedNs, log.changedNs}) < now - kOldNs;
}

fs::path endedRunsFile(const fs::path& runsDir) {
    const fs::path cache = userCacheDir();
    const std::string place = placeOf(runsDir);
    const QByteArrayView bytes(place.data(), static_cast<qsizetype>(place.size()));
    const auto name = QCryptographicHash::hash(bytes, QCryptographicHash::Sha1).toHex().left(24);
    return cache.empty() ? fs::path() : cache / "runs" / (name.toStdString() + ".ended");
}

EndedRuns readEndedRuns(const fs::path& file, const fs::path& runsDir, const std::shared_ptr<StringInterner>& pool) {
    const auto bytes = soundBytes(file);
    if (!bytes)
        return {};
    ByteDecoder in(*bytes);
    if (in.text() != kFormat || in.text() != placeOf(runsDir))
        return {};
    std::vector<const std::string*> texts(in.count());
    for (const std::string*& text : texts)
        text = pool->intern(in.text());
    EndedRuns runs;
    for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
        std::string name = in.text();
        runs.insert_or_assign(std::move(name), readRun(in, texts, pool));
    }
    return in.ok() && in.atEnd() ? std::move(runs) : EndedRuns();
}

Result<void> writeEndedRuns(const fs::path& file, const fs::path& runsDir, const EndedRuns& runs) {
    TextTable texts;
    ByteEncoder body, out;
    body.number(runs.size());
    for (const auto& [name, run] : runs) {
        body.text(name);
        writeRun(run, texts, body);
    }
    out.text(kFormat);
    out.text(placeOf(runsDir));
    texts.writeTo(out);
    out.append(body);
    const std::uint32_t sum = diagnosis::checksumOf(out.bytes());
    std::array<char, kSum> end{};
    std::memcpy(end.data(), &sum, kSum);
    RS_TRY(makePrivateDirs(file.parent_path()));
    return writeFileAtomic(file, out.bytes() + std::string(end.data(), kSum));
}

} // namespace rankscope::ui
