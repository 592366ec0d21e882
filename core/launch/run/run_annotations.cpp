// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/run_annotations.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/result.h"

#include <nlohmann/json.hpp>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>

namespace rankscope::launch {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kMarksFormat = 1;
constexpr std::size_t kMaxBytes = 16u << 20;
constexpr std::size_t kMostTitle = 200; ///< bytes
constexpr auto kPatience = std::chrono::seconds(2);

fs::path marksFile(const RunPaths& run) {
    return run.dir / "marks.json";
}

/// Returns the file's current contents; an empty object if there is no file.
Result<json> readFileOf(const RunPaths& run) {
    auto text = readRunFile(marksFile(run), kMaxBytes);
    if (!text)
        return text.error().code == Errc::NotFound ? Result<json>(json::object()) : tl::unexpected(text.error());
    auto j = rankscope::readJson(*text);
    if (!j || !j->is_object())
        return fail(Errc::Malformed, "is damaged: it is not a JSON object", marksFile(run).string());
    return std::move(*j);
}

Annotation annotationOf(const json& j) {
    Annotation a;
    assignIfValid(j.at("id"), a.id);
    assignIfValid(j.at("first_step"), a.firstStep);
    assignIfValid(j.at("last_step"), a.lastStep);
    assignIfValid(j.at("time_ns"), a.timeNs);
    assignIfValid(j.at("rank"), a.rank);
    assignIfValid(j.at("text"), a.text);
    assignIfValid(j.at("made_realtime_ns"), a.madeRealtimeNs);
    return a;
}

json toJson(const Annotation& a) {
    return {{"id", a.id},
            {"first_step", a.firstStep},
            {"last_step", a.lastStep},
            {"time_ns", a.timeNs},
            {"rank", a.rank},
            {"text", a.text},
            {"made_realtime_ns", a.madeRealtimeNs}};
}

Result<RunMarks> fromJson(const json& j, const RunPaths& run) {
    const std::string where = marksFile(run).string();
    RunMarks marks;
    std::string key;
    auto get = [&](const char* name, auto& into) {
        key = name;
        if (const auto at = j.find(name); at != j.end())
            assignIfValid(*at, into);
    };
    try {
        int format = kMarksFormat;
        get("format", format);
        if (format > kMarksFormat)
            return fail(Errc::Unsupported,
                        {"was written by a newer Rankscope (format {}; this one reads {})", format, kMarksFormat},
                        where);
        get("title", marks.title);
        get("tags", marks.tags);
        get("note", marks.note);
        get("favourite", marks.favourite);
        get("archived", marks.archived);
        json annotations = json::array();
        get("annotations", annotations);
        if (!annotations.is_array())
            return fail(Errc::Malformed, "is damaged: 'annotations' is not a list", where);
        for (const auto& a : annotations)
            marks.annotations.push_back(annotationOf(a));
    } catch (const std::exception& e) {
        return fail(Errc::Malformed, {"is damaged at '{}': {}", key, e.what()}, where);
    }
    return marks;
}

void tidyTags(std::vector<std::string>& tags) {
    std::set<std::string> seen;
    std::vector<std::string> kept;
    for (const auto& tag : tags) {
        const auto begin = tag.find_first_not_of(" \t\r\n");
        if (begin == std::string::npos)
            continue;
        std::string trimmed = tag.substr(begin, tag.find_last_not_of(" \t\r\n") - begin + 1);
        if (seen.insert(trimmed).second)
            kept.push_back(std::move(trimmed));
    }
    tags = std::move(kept);
}

/// Makes the title a single line, short enough for a list.
std::string tidyTitle(std::string title) {
    for (char& c : title)
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            c = ' ';
    const auto begin = title.find_first_not_of(' ');
    if (begin == std::string::npos)
        return {};
    title = title.substr(begin, title.find_last_not_of(' ') - begin + 1);
    std::size_t end = std::min(title.size(), kMostTitle);
    while (end < title.size() && (static_cast<unsigned char>(title[end]) & 0xc0) == 0x80)
        --end; // not inside a character
    title.resize(end);
    return title;
}

void put(json& j, const RunMarks& marks) {
    json annotations = json::array();
    for (const auto& a : marks.annotations)
        annotations.push_back(toJson(a));
    j["format"] = kMarksFormat;
    j["title"] = marks.title;
    j["tags"] = marks.tags;
    j["note"] = marks.note;
    j["favourite"] = marks.favourite;
    j["archived"] = marks.archived;
    j["annotations"] = std::move(annotations);
}

/// Locks a separate file, because marks.json is replaced while the lock is held.
Result<UniqueFd> lockMarks(const RunPaths& run) {
    const fs::path file = run.dir / ".marks.lock";
    RS_TRY_ASSIGN(auto opened, openRunFile(file, GuardedFolder::Run, O_RDWR | O_CREAT));
    UniqueFd fd = std::move(opened.fd);
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return tl::unexpected(systemError("lock", file.string(), errno));
        if (std::chrono::steady_clock::now() > until)
            return fail(Errc::Busy, "another program is changing the run's marks; try again", run.dir.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return fd;
}

} // namespace

std::int64_t RunMarks::annotate(Annotation annotation) {
    annotation.id = 1;
    for (const auto& a : annotations)
        if (a.id < INT64_MAX) // the file may say anything; a duplicate id does no harm
            annotation.id = std::max(annotation.id, a.id + 1);
    const auto at =
        std::upper_bound(annotations.begin(), annotations.end(), annotation,
                         [](const Annotation& a, const Annotation& b) { return a.firstStep < b.firstStep; });
    return annotations.insert(at, std::move(annotation))->id;
}

Result<RunMarks> readMarks(const RunPaths& run) {
    RS_TRY_ASSIGN(const auto j, readFileOf(run));
    return fromJson(j, run);
}

Result<RunMarks> editMarks(const RunPaths& run, const std::function<void(RunMarks&)>& change) {
    RS_TRY_ASSIGN(const auto lock, lockMarks(run));
    RS_TRY_ASSIGN(auto j, readFileOf(run));
    RS_TRY_ASSIGN(auto marks, fromJson(j, run));
    change(marks);
    tidyTags(marks.tags);
    marks.title = tidyTitle(marks.title);
    put(j, marks);
    const std::string text = j.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    if (text.size() > kMaxBytes)
        return fail(Errc::BadInput, {"notes and annotations of more than {} MiB are not saved", kMaxBytes >> 20},
                    marksFile(run).string());
    RS_TRY(writeRunFile(marksFile(run), text));
    return marks;
}

} // namespace rankscope::launch
