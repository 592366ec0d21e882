// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/manifest.h"

#include "core/base/files/file.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <string_view>

namespace rankscope::plan {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLineBytes = 1u << 20;   // a transcript of an hour is 60 KB
constexpr std::int64_t kMaxRows = 200'000'000;    // well past any speech corpus
constexpr double kMaxSeconds = 30.0 * 24 * 3'600; // of one file; keeps seconds x rate within 64 bits

tl::unexpected<Error> wrong(Message what, const std::string& where) {
    return fail(Errc::BadInput, std::move(what), where);
}

/// Reads the lines of a file in blocks.
class LineReader {
public:
    explicit LineReader(UniqueFd fd) : m_fd(std::move(fd)) {}

    /// Reads a line without its end; returns false at the end of the file. `tooLong`: the line exceeds the limit, and
    /// the next call skips the rest of it.
    bool next(std::string& line, bool& tooLong) {
        line.clear();
        tooLong = false;
        if (m_insideLine && !stepOverLine())
            return false;
        bool any = false;
        while (!m_insideLine && more()) {
            any = true;
            const std::string_view rest = ahead();
            const auto end = rest.find('\n');
            const std::string_view part = rest.substr(0, end);
            const std::size_t room = kMaxLineBytes - line.size();
            line.append(part.substr(0, room));
            if (part.size() > room) {
                tooLong = m_insideLine = true;
                break;
            }
            m_at += part.size();
            if (end != std::string_view::npos) {
                ++m_at;
                break;
            }
        }
        return any;
    }
    int problem() const { return m_errno; } ///< errno of a failed read; 0: none

private:
    bool more() {
        while (m_at == m_end) {
            const ssize_t n = ::read(m_fd.get(), m_block.data(), m_block.size());
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                m_errno = errno;
            if (n <= 0)
                return false;
            m_at = 0;
            m_end = static_cast<std::size_t>(n);
        }
        return true;
    }
    std::string_view ahead() const { return {m_block.data() + m_at, m_end - m_at}; }
    bool stepOverLine() {
        while (more()) {
            const auto end = ahead().find('\n');
            m_at = end == std::string_view::npos ? m_end : m_at + end + 1;
            if (end != std::string_view::npos) {
                m_insideLine = false;
                return true;
            }
        }
        return false;
    }

    UniqueFd m_fd;
    std::vector<char> m_block = std::vector<char>(1 << 16);
    std::size_t m_at = 0, m_end = 0; ///< in the block
    bool m_insideLine = false;
    int m_errno = 0;
};

/// Returns the parser's message without its error number and position prefix.
Message parseProblem(const std::string& line, const std::string& parserSays) {
    if (line.find("NaN") != std::string::npos || line.find("Infinity") != std::string::npos)
        return "is not JSON: NaN and Infinity are not JSON numbers; set the utterance's duration or remove the line";
    const auto colon = parserSays.find("syntax error");
    return {"is not JSON; a manifest has one object {{\"audio_filepath\": ..., \"duration\": ...}} per line: {}",
            colon == std::string::npos ? parserSays : parserSays.substr(colon)};
}

Result<std::string> audioPath(const nlohmann::json& item, AudioPaths& paths, const std::string& where) {
    auto found = item.find("audio_filepath");
    if (found == item.end())
        found = item.find("audio_filename");
    if (found == item.end())
        return wrong("has no audio_filepath", where);
    if (!found->is_string())
        return wrong("audio_filepath is not a string; only one file per utterance is supported", where);
    const auto& text = found->get_ref<const std::string&>();
    if (text.empty() || text.find('\0') != std::string::npos)
        return wrong("audio_filepath is empty or contains a zero byte", where);
    return paths.resolve(text);
}

/// Returns the seconds at `key`; `absent` if it is missing or null.
Result<double> secondsAt(const nlohmann::json& item, const char* key, double absent, const std::string& where) {
    const auto found = item.find(key);
    if (found == item.end() || found->is_null())
        return absent;
    if (!found->is_number())
        return wrong({"{} is not a number of seconds: {}", key, dumpJson(*found)}, where);
    const double seconds = found->get<double>();
    if (!std::isfinite(seconds) || seconds < 0 || seconds > kMaxSeconds)
        return wrong({"{} is {} s, expected 0 to {:.0f}", key, seconds, kMaxSeconds}, where);
    return seconds;
}

Result<ManifestRow> parseRow(const std::string& line, DurationKey duration, AudioPaths& paths,
                             const std::string& where) {
    nlohmann::json item;
    try {
        item = nlohmann::json::parse(line);
    } catch (const nlohmann::json::exception& e) {
        return wrong(parseProblem(line, e.what()), where);
    }
    if (!item.is_object())
        return wrong("is not a JSON object", where);
    RS_TRY_ASSIGN(auto path, audioPath(item, paths, where));
    RS_TRY_ASSIGN(const auto offset, secondsAt(item, "offset", 0, where));
    RS_TRY_ASSIGN(const auto seconds, secondsAt(item, "duration", -1, where));
    if (seconds < 0 && duration == DurationKey::Required)
        return wrong("has no duration (in seconds), which filters and batches need", where);
    return ManifestRow{std::move(path), offset, std::max(seconds, 0.0)};
}

} // namespace

Result<void> readManifestRows(const std::string& file, DurationKey duration,
                              const std::function<Result<void>(Result<ManifestRow>)>& row) {
    std::error_code ec;
    if (fs::is_directory(file, ec))
        return wrong("is a folder; a manifest file was expected", file);
    RS_TRY_ASSIGN(auto opened, openRegularFile(file));
    LineReader lines(std::move(opened.fd));
    AudioPaths paths(fs::path(file).parent_path());
    std::string line;
    bool tooLong = false;
    for (std::int64_t number = 1; lines.next(line, tooLong); ++number) {
        if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0)
            line.erase(0, 3);
        if (number > kMaxRows)
            return wrong({"has more than {} lines", kMaxRows}, file);
        if (line.find_first_not_of(" \t\r") == std::string::npos && !tooLong)
            continue;
        const std::string where = fmt::format("{}:{}", file, number);
        RS_TRY(tooLong ? row(wrong({"is longer than {} bytes: this is not a manifest", kMaxLineBytes}, where))
                       : row(parseRow(line, duration, paths, where)));
    }
    if (lines.problem() != 0)
        return tl::unexpected(systemError("read", file, lines.problem()));
    return {};
}

Result<void> checkManifest(const std::string& file, DurationKey duration, std::int64_t rows,
                           const std::function<bool(const ManifestRow&)>& more) {
    std::int64_t read = 0;
    bool enough = false;
    auto done = readManifestRows(file, duration, [&](Result<ManifestRow> row) -> Result<void> {
        RS_TRY_ASSIGN(const ManifestRow found, std::move(row));
        const bool wanted = more && more(found);
        enough = ++read >= rows && !wanted;
        return enough ? Result<void>(fail(Errc::Busy, Message())) : Result<void>(); // never shown: it only stops reading
    });
    if (!done && !enough)
        return done;
    return read > 0 ? Result<void>() : wrong("the manifest is empty: it lists no utterances", file);
}

DurationFit fits(double seconds, double minSeconds, double maxSeconds) {
    if (minSeconds > 0 && seconds < minSeconds)
        return DurationFit::TooShort;
    return maxSeconds > 0 && seconds > maxSeconds ? DurationFit::TooLong : DurationFit::Used;
}

namespace {

constexpr std::size_t kMostNamed = 5; // invalid lines
constexpr std::int64_t kBetweenQuestions = 4096;

void summarise(Durations& found) {
    config::ManifestFacts& facts = found.facts;
    facts.used = static_cast<std::int64_t>(found.seconds.size());
    if (found.seconds.empty())
        return;
    for (const float seconds : found.seconds)
        facts.seconds += seconds;
    std::vector<float> sorted = found.seconds;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
        return static_cast<double>(sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]);
    };
    facts.shortest = at(0);
    facts.median = at(0.5);
    facts.p95 = at(0.95);
    facts.longest = at(1);
}

class ManifestReading {
public:
    ManifestReading(const config::DatasetConfig& data, const std::function<bool()>& cancelled)
        : m_data(data), m_cancelled(cancelled) {}

    Result<void> add(Result<ManifestRow> row) {
        config::ManifestFacts& facts = m_found.facts;
        if (++facts.lines % kBetweenQuestions == 0 && m_cancelled && m_cancelled())
            return fail(Errc::Busy, "was cancelled", "manifest");
        if (!row) {
            ++facts.bad;
            if (facts.firstBad.size() < kMostNamed)
                facts.firstBad.push_back(row.error().asMessage());
            return {};
        }
        if (!m_data.tarred.enabled)
            m_audio.look(facts.lines - 1, row->path);
        switch (fits(row->duration, m_data.minDuration, m_data.maxDuration)) {
        case DurationFit::TooShort:
            ++facts.tooShort;
            break;
        case DurationFit::TooLong:
            ++facts.tooLong;
            break;
        case DurationFit::Used:
            m_found.seconds.push_back(static_cast<float>(row->duration));
        }
        return {};
    }
    std::int64_t lines() const { return m_found.facts.lines; }
    void beginBucket() { m_found.bucketBegin.push_back(static_cast<std::int64_t>(m_found.seconds.size())); }
    Durations take() && {
        beginBucket(); // the end of the last bucket
        m_found.facts.audioLooked = m_audio.looked;
        m_found.facts.audioMissing = m_audio.missing;
        m_found.facts.firstMissing = m_audio.first;
        summarise(m_found);
        return std::move(m_found);
    }

private:
    const config::DatasetConfig& m_data;
    const std::function<bool()>& m_cancelled;
    Durations m_found;
    AudioCheck m_audio;
};

} // namespace

Result<Durations> readDurations(const config::DatasetConfig& data, const std::function<bool()>& cancelled) {
    ManifestReading reading(data, cancelled);
    const auto& lists = data.buckets.size() > 1 ? data.buckets : config::PathLists{data.manifests};
    for (const auto& manifests : lists) {
        reading.beginBucket();
        for (const std::string& file : manifests) {
            const std::int64_t before = reading.lines();
            RS_TRY(readManifestRows(file, DurationKey::Required,
                                    [&](Result<ManifestRow> row) { return reading.add(std::move(row)); }));
            if (reading.lines() == before)
                return wrong("the manifest is empty: it lists no utterances", file);
        }
    }
    return std::move(reading).take();
}

} // namespace rankscope::plan
