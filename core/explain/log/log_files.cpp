// SPDX-License-Identifier: Apache-2.0
#include "core/explain/log/log_files.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"
#include "core/explain/line/log_number.h"
#include "core/explain/line/matched_text.h"
#include "core/explain/log/log_scanner.h"

#include <fcntl.h>
#include <re2/re2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace rankscope::explain {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepest = 8;
constexpr std::size_t kMostFiles = 4'096;
constexpr std::size_t kHead = 64u << 10;
constexpr std::size_t kReadAtOnce = 1u << 20;

struct LogFile {
    fs::path path;
    std::string name;
    bool named = false; ///< by the user, and not found in a folder
};

/// Opens a file or pipe; a FIFO that nobody writes to does not hang the caller.
Result<UniqueFd> openLog(const LogFile& file, std::int64_t& bytes) {
    UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd)
        return tl::unexpected(systemError("open", file.name, errno));
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0)
        return tl::unexpected(systemError("read", file.name, errno));
    const std::string path = file.path.string();
    const bool standardInput = path == "/dev/stdin" || path.starts_with("/dev/fd/");
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode) && !standardInput)
        return fail(Errc::BadInput, "is not a regular file", file.name);
    bytes = S_ISREG(info.st_mode) ? static_cast<std::int64_t>(info.st_size) : -1;
    if (S_ISREG(info.st_mode))
        (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    else
        ::fcntl(fd.get(), F_SETFL, 0);
    return fd;
}

/// Reads up to `most` bytes; fewer: the end was reached. -1: an error, in errno.
ssize_t readBytes(int fd, char* into, std::size_t most) {
    std::size_t done = 0;
    while (done < most) {
        const ssize_t n = ::read(fd, into + done, most - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += static_cast<std::size_t>(n);
    }
    return static_cast<ssize_t>(done);
}

bool isInside(const fs::path& folder, const fs::path& path) {
    std::error_code ec;
    const fs::path root = fs::canonical(folder, ec), target = ec ? fs::path() : fs::canonical(path, ec);
    return !ec && std::mismatch(root.begin(), root.end(), target.begin(), target.end()).first == root.end();
}

/// Adds the files of a folder in the order of their names. Returns false if there are more than the limit.
bool walk(const fs::path& root, const fs::path& folder, int depth, std::vector<LogFile>& files) {
    std::error_code ec;
    std::vector<fs::directory_entry> entries = entriesOf(folder, ec);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.path() < b.path(); });
    for (const auto& entry : entries) {
        if (files.size() >= kMostFiles)
            return false;
        std::error_code error;
        const bool link = entry.is_symlink(error);
        if (!link && entry.is_directory(error)) {
            if (depth < kDeepest && !walk(root, entry.path(), depth + 1, files))
                return false;
        } else if (entry.is_regular_file(error) && (!link || isInside(root, entry.path()))) {
            files.push_back({entry.path(), entry.path().lexically_relative(root).string(), false});
        }
    }
    return true;
}

class LogReading {
public:
    LogReading(const ReadLogsOptions& options, ReadLogs& out) : m_options(options), m_out(out) {}

    void find(const std::vector<fs::path>& paths);
    Result<void> read();

private:
    Result<void> readFile(const LogFile& file);
    void problem(const LogFile& file, Message what);
    std::string nameOf(const fs::path& path) const;

    const ReadLogsOptions& m_options;
    ReadLogs& m_out;
    EvidenceCollector m_collector;
    std::vector<LogFile> m_files;
    std::int64_t m_done = 0, m_all = 0;
};

void LogReading::problem(const LogFile& file, Message what) {
    InputFile input;
    input.name = shownText(file.name, 1'000);
    input.problem = std::move(what);
    m_collector.beginFile(std::move(input));
}

std::string LogReading::nameOf(const fs::path& path) const {
    const std::string name = m_options.below.empty() ? "" : path.lexically_relative(m_options.below).string();
    return name.empty() || name.starts_with("..") ? path.string() : name;
}

void LogReading::find(const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) {
        std::error_code ec;
        if (!fs::is_directory(path, ec)) {
            m_files.push_back({path, nameOf(path), true});
        } else if (!walk(path, path, 1, m_files)) {
            problem({path, nameOf(path), true}, "the folder has more files than are read");
        }
    }
    for (const LogFile& file : m_files) {
        std::error_code ec;
        const auto bytes = fs::is_regular_file(file.path, ec) ? fs::file_size(file.path, ec) : 0;
        m_all += ec ? 0 : static_cast<std::int64_t>(bytes);
    }
}

Result<void> LogReading::readFile(const LogFile& file) {
    std::int64_t size = 0;
    const auto fd = openLog(file, size);
    if (!fd) {
        problem(file, fd.error().what);
        return {};
    }
    std::string buffer(kReadAtOnce, '\0');
    ssize_t n = readBytes(fd->get(), buffer.data(), size < 0 ? kHead : std::min<std::size_t>(kHead, buffer.size()));
    const std::string_view head(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n > 0 && looksLikeDump(head)) {
        if (size >= 0)
            m_out.dumps.push_back({file.path, shownText(file.name, 1'000), size});
        else
            problem(file, "it is a dump; give it as a file and not through a pipe");
        return {};
    }
    // a checkpoint, events, a store; but rotated logs are often compressed
    const bool isZip = head.starts_with("PK");
    if (!file.named && head.substr(0, 4'096).find('\0') != head.npos &&
        (isZip || LogScanner::whyNoText(head).empty())) {
        m_done += std::max<std::int64_t>(size, 0);
        return {};
    }
    InputFile input;
    input.name = shownText(file.name, 1'000);
    if (const int rank = rankOfFileName(file.path); rank >= 0)
        input.ranks = {rank};
    m_collector.beginFile(std::move(input));
    LogScanner scanner(m_collector);
    std::int64_t left = size < 0 ? std::numeric_limits<std::int64_t>::max() : size; // one that grows is read to here
    for (; n > 0 && left > 0;) {
        scanner.feed({buffer.data(), static_cast<std::size_t>(n)});
        left -= n;
        m_done += n;
        if (m_options.progress && !m_options.progress(m_done, size < 0 ? 0 : m_all))
            return fail(Errc::Busy, "was cancelled");
        const auto most = static_cast<std::size_t>(std::min<std::int64_t>(left, size < 0 ? kHead : kReadAtOnce));
        n = most > 0 ? readBytes(fd->get(), buffer.data(), most) : 0;
    }
    scanner.finish();
    if (n == 0 && left > 0 && size >= 0 && m_collector.file().problem.empty())
        m_collector.file().problem = "it became shorter while it was read";
    if (n < 0)
        m_collector.file().problem = systemError("read", "", errno).what;
    return {};
}

Result<void> LogReading::read() {
    for (const LogFile& file : m_files)
        RS_TRY(readFile(file));
    m_out.evidence = m_collector.finish();
    m_out.done = m_done;
    m_out.all = m_all;
    return {};
}

} // namespace

bool looksLikeDump(std::string_view beginning) {
    if (beginning.size() >= 2 && beginning[0] == '\x80' && beginning[1] >= 2 && beginning[1] <= 5)
        return true;
    const std::size_t first = beginning.find_first_not_of(" \t\r\n");
    return first != beginning.npos && beginning[first] == '{' && beginning.find("\"entries\"") != beginning.npos;
}

int rankOfFileName(const fs::path& path) {
    static const RE2 byName{R"((?i)(?:^|[^a-z])(?:global[_-]?)?rank[_.=-]?(\d{1,5})(?:\D|$))"};
    static const RE2 byNumber{R"(^[a-z]*log[._-](\d{1,5})\.(?:txt|out|err)$)"};
    static const RE2 byFolder{R"(attempt_\d+/(\d{1,5})/(?:stdout|stderr)\.log$)"};
    const std::string file = path.filename().string(), whole = path.generic_string();
    re2::StringPiece rank;
    if (RE2::PartialMatch(file, byName, &rank) || RE2::PartialMatch(file, byNumber, &rank) ||
        RE2::PartialMatch(whole, byFolder, &rank))
        return logRank(matchedText(rank)).value_or(-1);
    return -1;
}

Result<ReadLogs> readLogs(const std::vector<fs::path>& paths, const ReadLogsOptions& options) {
    ReadLogs out;
    LogReading reading(options, out);
    reading.find(paths);
    RS_TRY(reading.read());
    return out;
}

} // namespace rankscope::explain
