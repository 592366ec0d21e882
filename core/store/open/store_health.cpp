// SPDX-License-Identifier: Apache-2.0
#include "core/store/open/store_health.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/store/tables/schema.h"
#include "core/telemetry/journal/journal_segment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

namespace rankscope::store {

namespace fs = std::filesystem;

static constexpr std::string_view kMagic{"SQLite format 3\0", 16};
static constexpr int kLogHeader = 32, kFrameHeader = 24;

static std::uint32_t big32(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

static std::uint32_t little32(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

namespace {

/// SQLite's checksum of its log, over pairs of words.
struct LogSum {
    bool bigEndian = false;
    std::uint32_t a = 0, b = 0;

    void add(std::string_view bytes) {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            a += word(bytes, at) + b;
            b += word(bytes, at + 4) + a;
        }
    }
    bool is(std::string_view header, std::size_t at) const {
        return a == big32(header, at) && b == big32(header, at + 4);
    }

private:
    std::uint32_t word(std::string_view bytes, std::size_t at) const {
        return bigEndian ? big32(bytes, at) : little32(bytes, at);
    }
};

} // namespace

/// Returns whether the same log has a commit after the place where its checksums no longer match.
static bool commitsFrom(const Database& view, std::int64_t at, std::int64_t frame, std::string_view salts) {
    for (const std::int64_t size = view.sizeOf(Database::DatabaseFile::Log); at + frame <= size; at += frame) {
        const std::string header = view.readRaw(Database::DatabaseFile::Log, at, kFrameHeader);
        if (header.size() == kFrameHeader && big32(header, 4) != 0 && header.substr(8, 8) == salts)
            return true;
    }
    return false;
}

StoreHealth::LogState conditionOfLog(const Database& view) {
    const std::int64_t size = view.sizeOf(Database::DatabaseFile::Log);
    if (size <= kLogHeader)
        return StoreHealth::LogState::Sound; // nothing was committed to it
    const std::string head = view.readRaw(Database::DatabaseFile::Log, 0, kLogHeader);
    if (head.size() != kLogHeader || (big32(head, 0) & ~1u) != 0x377f0682u)
        return StoreHealth::LogState::Torn;
    LogSum sum{(big32(head, 0) & 1) != 0};
    sum.add(std::string_view(head).substr(0, 24));
    const std::uint32_t page = big32(head, 8);
    if (!sum.is(head, 24) || page < 512 || page > 65536 || (page & (page - 1)) != 0)
        return StoreHealth::LogState::Torn;
    const std::string_view salts = std::string_view(head).substr(16, 8);
    const std::int64_t frame = kFrameHeader + std::int64_t{page};
    for (std::int64_t at = kLogHeader; at + frame <= size; at += frame) {
        const std::string bytes = view.readRaw(Database::DatabaseFile::Log, at, static_cast<int>(frame));
        if (bytes.size() != static_cast<std::size_t>(frame))
            return StoreHealth::LogState::Torn;
        sum.add(std::string_view(bytes).substr(0, 8));
        sum.add(std::string_view(bytes).substr(kFrameHeader));
        // the rest is from an earlier use of the log, or was never committed, or is lost
        if (std::string_view(bytes).substr(8, 8) != salts || !sum.is(bytes, 16))
            return commitsFrom(view, at, frame, salts) ? StoreHealth::LogState::Torn : StoreHealth::LogState::Sound;
    }
    return StoreHealth::LogState::Sound;
}

bool isLogLost(const Database& view, const fs::path& file) {
    auto rows = view.prepare(fmt::format("SELECT rank.rank, coalesce(segment,0) FROM rank LEFT JOIN journal_position "
                                         "ON journal_position.rank=rank.rank LIMIT {}",
                                         telemetry::kMaxRanks));
    for (auto row = rows ? rows->step() : Result<bool>(false); row && *row; row = rows->step()) {
        const auto present = telemetry::listSegments(file.parent_path() / "ranks" / std::to_string(rows->integer(0)));
        if (!present.empty() && present.front() > static_cast<std::uint64_t>(rows->integer(1)))
            return true;
    }
    return false;
}

void findMissingPages(const Database& view, StoreHealth& condition) {
    const std::string head = view.readRaw(Database::DatabaseFile::Store, 0, 100);
    if (head.size() != 100)
        return;
    const std::uint32_t raw = big32(head, 16) >> 16;
    const std::int64_t page = raw == 1 ? 65536 : raw;
    // the count is valid only if the last writer of the file updated it
    if (page < 512 || big32(head, 24) != big32(head, 92))
        return;
    const std::int64_t whole = view.sizeOf(Database::DatabaseFile::Store) / page, said = big32(head, 28);
    condition.pages = said;
    condition.missingPages = std::max<std::int64_t>(0, said - whole);
}

Result<void> checkIsFile(const fs::path& file) {
    std::error_code ec;
    const fs::file_status status = fs::symlink_status(file, ec);
    if (status.type() == fs::file_type::not_found)
        return fail(Errc::NotFound, "there is no store", file.string());
    if (status.type() == fs::file_type::directory)
        return fail(Errc::Malformed, "is a folder, not a store", file.string());
    if (status.type() == fs::file_type::symlink)
        return fail(Errc::Malformed, "is a link; links in a run folder are not followed", file.string());
    if (status.type() == fs::file_type::none || status.type() == fs::file_type::unknown)
        return fail(Errc::Permission, {"cannot be read for lack of permission: {}", ec.message()}, file.string());
    if (status.type() != fs::file_type::regular)
        return fail(Errc::Malformed, "is a pipe, socket or device, not a store", file.string());
    if (fs::file_size(file, ec) == 0 && !ec)
        return fail(Errc::Malformed,
                    "is empty: its contents were lost, or the run ended before anything was written; nothing can be "
                    "read",
                    file.string());
    return {};
}

Result<void> checkForWriting(const fs::path& file) {
    std::error_code ec;
    for (const char* suffix : kStoreSuffixes) {
        const fs::path beside = file.string() + suffix;
        const fs::file_status status = fs::symlink_status(beside, ec);
        if (status.type() != fs::file_type::not_found && !fs::is_regular_file(status))
            return fail(Errc::Malformed, "is not a regular file", beside.string());
    }
    return {};
}

Error whyNotAStore(const fs::path& file, Error asSqliteSays) {
    asSqliteSays.where = file.string();
    auto opened = openRunFile(file);
    if (!opened)
        return opened.error();
    std::array<char, 4096> head{};
    const ssize_t got = ::read(opened->fd.get(), head.data(), head.size());
    const std::string_view bytes(head.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (bytes.substr(0, kMagic.size()) == kMagic) {
        asSqliteSays.what = Message("is damaged, and nothing in it can be read: {}", asSqliteSays.what);
    } else if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; })) {
        asSqliteSays.what = "contains only zeros: it was damaged by the disk, or by a power cut; nothing can be read";
    } else {
        const auto isPrinted = [](char c) { return (c >= 32 && c < 127) || (c >= 9 && c <= 13); };
        const bool text = std::all_of(bytes.begin(), bytes.end(), isPrinted);
        asSqliteSays.what =
            text ? Message("is not a Rankscope store: it is a text file")
                 : Message("is not a Rankscope store: it is not an SQLite file, or its beginning is damaged");
    }
    return asSqliteSays;
}

std::string repairCommand(const fs::path& file) {
    return fmt::format("sqlite3 {} .recover | sqlite3 recovered.sqlite", file.filename().string());
}

/// Returns the name by which a user knows the contents of a table; empty if there is none.
static Message contentsOf(std::string_view table) {
    if (table == "rank")
        return "the ranks' totals";
    if (table == "step" || table == "pyramid")
        return "the curves";
    if (table == "incident" || table == "stack")
        return "the incidents";
    if (table == "note")
        return "the messages";
    if (table == "validation")
        return "the validations";
    if (table == "rank_check")
        return "the checks";
    if (table == "wait_pair" || table == "collective" || table == "phase" || table == "tag")
        return "the individual waits and phases";
    return {};
}

static Message tableText(const std::string& table, const Message& why) {
    if (table == kOtherTables)
        return why;
    const Message contents = contentsOf(table);
    return contents.empty() ? Message("table {} cannot be read completely ({})", table, why)
                            : Message("{}: table {} cannot be read completely ({})", contents, table, why);
}

Message describe(const StoreHealth& c, const fs::path& file) {
    Message newer;
    if (c.newerSchema > 0)
        newer = {"written by a newer Rankscope (schema {}; this one reads {}): only what this version understands is "
                 "shown",
                 c.newerSchema, kSchemaVersion};
    if (!c.damaged())
        return newer;
    Message parts;
    const auto add = [&](Message part) { parts = parts.empty() ? std::move(part) : Message("{}; {}", parts, part); };
    if (c.missingPages > 0)
        add({"it was cut off: {} of its {} pages are missing", c.missingPages, c.pages});
    if (c.log == StoreHealth::LogState::Missing)
        add("its writer was killed and its log run.sqlite-wal is missing, so the latest measurements are lost");
    if (c.log == StoreHealth::LogState::Torn)
        add("its log run.sqlite-wal is damaged, so the latest measurements cannot be read");
    for (const auto& [table, why] : c.tables)
        add(tableText(table, why));
    const Message damage("damaged: {}. What can be read is shown, and nothing was changed. To save more, copy the "
                         "folder and run in the copy: {}",
                         parts, repairCommand(file));
    return newer.empty() ? damage : Message("{}; {}", newer, damage);
}

} // namespace rankscope::store
