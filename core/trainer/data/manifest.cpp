// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/manifest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace rankscope::trainer {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMaxLineBytes = 1u << 20;   // a transcript of an hour is 60 KB
constexpr std::int64_t kMaxRows = 200'000'000;    // well past any speech corpus
constexpr double kMaxSeconds = 30.0 * 24 * 3'600; // of one file; keeps seconds x rate inside 64 bits

tl::unexpected<Error> wrong(std::string what, const std::string& where) {
    return fail(Errc::BadInput, std::move(what), where);
}

/// A line without its end. False at the end of the file. `tooLong` when the line passes the limit.
bool readLine(std::istream& in, std::string& line, bool& tooLong) {
    line.clear();
    std::streambuf& buffer = *in.rdbuf();
    for (;;) {
        const int c = buffer.sbumpc();
        if (c == std::char_traits<char>::eof())
            return !line.empty();
        if (c == '\n')
            return true;
        if (line.size() == kMaxLineBytes) {
            tooLong = true;
            return true;
        }
        line.push_back(static_cast<char>(c));
    }
}

std::string shortened(const std::string& text) {
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

/// The parser's own words, without its error number and position prefix.
std::string parseProblem(const std::string& line, const std::string& parserSays) {
    if (line.find("NaN") != std::string::npos || line.find("Infinity") != std::string::npos)
        return "is not JSON: NaN and Infinity are no JSON numbers; give the utterance its duration or remove the line";
    const auto colon = parserSays.find("syntax error");
    return "is not JSON, a manifest has one object {\"audio_filepath\": ..., \"duration\": ...} a line: " +
           (colon == std::string::npos ? parserSays : parserSays.substr(colon));
}

Result<std::string> audioPath(const Json& item, const fs::path& folder, const std::string& where) {
    auto found = item.find("audio_filepath");
    if (found == item.end())
        found = item.find("audio_filename");
    if (found == item.end())
        return wrong("has no audio_filepath", where);
    if (!found->is_string())
        return wrong("audio_filepath is not a string, one file an utterance is supported", where);
    const auto& text = found->get_ref<const std::string&>();
    if (text.empty() || text.find('\0') != std::string::npos)
        return wrong("audio_filepath is empty or holds a zero byte", where);
    return (folder / fs::path(text)).lexically_normal().string(); // an absolute path replaces the folder
}

/// Seconds at `key`, `absent` when it is missing or null.
Result<double> secondsAt(const Json& item, const char* key, double absent, const std::string& where) {
    const auto found = item.find(key);
    if (found == item.end() || found->is_null())
        return absent;
    if (!found->is_number())
        return wrong(fmt::format("{} is not a number of seconds: {}", key, shortened(found->dump())), where);
    const double seconds = found->get<double>();
    if (!std::isfinite(seconds) || seconds < 0 || seconds > kMaxSeconds)
        return wrong(fmt::format("{} is {} s, expected 0 to {:.0f}", key, seconds, kMaxSeconds), where);
    return seconds;
}

Result<Utterance> parseRow(const std::string& line, DurationKey duration, const fs::path& folder,
                           const std::string& where) {
    Json item;
    try {
        item = Json::parse(line);
    } catch (const Json::exception& e) {
        return wrong(parseProblem(line, e.what()), where);
    }
    if (!item.is_object())
        return wrong("is not a JSON object", where);
    auto path = audioPath(item, folder, where);
    if (!path)
        return tl::unexpected(path.error());
    const auto offset = secondsAt(item, "offset", 0, where);
    if (!offset)
        return tl::unexpected(offset.error());
    const auto seconds = secondsAt(item, "duration", -1, where);
    if (!seconds)
        return tl::unexpected(seconds.error());
    if (*seconds < 0 && duration == DurationKey::Required)
        return wrong("has no duration (seconds), which filters and batches need", where);
    return Utterance{std::move(*path), *offset, std::max(*seconds, 0.0), -1};
}

} // namespace

Result<void> readManifest(const std::string& file, DurationKey duration, std::vector<Utterance>& rows) {
    std::error_code ec;
    if (fs::is_directory(file, ec))
        return wrong("is a folder, a manifest file was expected", file);
    if (fs::exists(file, ec) && !fs::is_regular_file(file, ec))
        return wrong("is not a regular file", file);
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return tl::unexpected(systemError("open the manifest", file, errno));
    const fs::path folder = fs::path(file).parent_path();
    const std::size_t before = rows.size();
    std::string line;
    bool tooLong = false;
    for (std::int64_t number = 1; readLine(in, line, tooLong); ++number) {
        if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0)
            line.erase(0, 3);
        const std::string where = fmt::format("{}:{}", file, number);
        if (tooLong)
            return wrong(fmt::format("is longer than {} bytes, this is no manifest", kMaxLineBytes), where);
        if (number > kMaxRows)
            return wrong(fmt::format("has more than {} lines", kMaxRows), file);
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        auto row = parseRow(line, duration, folder, where);
        if (!row)
            return tl::unexpected(row.error());
        row->row = static_cast<std::int64_t>(rows.size());
        rows.push_back(std::move(*row));
    }
    if (rows.size() == before)
        return wrong("the manifest is empty: it names no utterance", file);
    return {};
}

Result<std::vector<Utterance>> readManifests(const std::vector<std::string>& files, DurationKey duration) {
    std::vector<Utterance> rows;
    for (const std::string& file : files)
        if (auto read = readManifest(file, duration, rows); !read)
            return tl::unexpected(read.error());
    return rows;
}

} // namespace rankscope::trainer
