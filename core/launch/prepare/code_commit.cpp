// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/code_commit.h"

#include "core/base/files/file.h"

#include <sstream>
#include <string_view>
#include <system_error>

namespace rankscope::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 16u << 20; ///< of one of Git's files; a large checkout has many packed references

bool isCommit(std::string_view text) {
    return (text.size() == 40 || text.size() == 64) &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Returns the file's first line; empty: it cannot be read.
std::string firstLine(const fs::path& file) {
    const auto text = readFile(file, kMostBytes);
    return text ? text->substr(0, text->find_first_of("\r\n")) : std::string();
}

/// Returns the path that a file names after the prefix, relative to `folder`; empty: it names none.
fs::path pathIn(const fs::path& file, std::string_view prefix, const fs::path& folder) {
    const std::string line = firstLine(file);
    const bool named = line.size() > prefix.size() && line.starts_with(prefix);
    return named ? folder / line.substr(prefix.size()) : fs::path();
}

/// Returns the folder with Git's data. In a worktree or submodule, `.git` is a file that names it.
fs::path gitFolder(const fs::path& checkout) {
    std::error_code ec;
    const fs::path git = checkout / ".git";
    return fs::is_directory(git, ec) ? git : pathIn(git, "gitdir: ", checkout);
}

std::string packedCommit(const fs::path& git, const std::string& reference) {
    const auto text = readFile(git / "packed-refs", kMostBytes);
    std::istringstream lines(text.value_or(std::string()));
    for (std::string line; std::getline(lines, line);)
        if (const std::string commit = line.substr(0, line.find(' '));
            isCommit(commit) && line.size() > commit.size() && line.substr(commit.size() + 1) == reference)
            return commit;
    return {};
}

std::string commitOf(const fs::path& git) {
    constexpr std::string_view kReference = "ref: ";
    const std::string head = firstLine(git / "HEAD");
    if (isCommit(head))
        return head;
    const std::string reference = head.starts_with(kReference) ? head.substr(kReference.size()) : std::string();
    if (!reference.starts_with("refs/") || reference.find("..") != std::string::npos)
        return {};
    const fs::path common = pathIn(git / "commondir", "", git); // a worktree has only its own HEAD
    const fs::path& shared = common.empty() ? git : common;
    const std::string commit = firstLine(shared / reference);
    return isCommit(commit) ? commit : packedCommit(shared, reference);
}

} // namespace

std::string codeCommit(const fs::path& folder) {
    std::error_code ec;
    fs::path checkout = fs::absolute(folder, ec).lexically_normal();
    for (; !ec; checkout = checkout.parent_path()) {
        if (const fs::path git = gitFolder(checkout); !git.empty())
            return commitOf(git);
        if (!checkout.has_relative_path())
            break;
    }
    return {};
}

} // namespace rankscope::launch
