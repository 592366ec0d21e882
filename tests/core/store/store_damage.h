// SPDX-License-Identifier: Apache-2.0
// The exact state of a run's folder (bytes, names, modes, times), and ways to damage a store.
#pragma once

#include <QCryptographicHash>
#include <QString>

#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

namespace damage {

namespace fs = std::filesystem;

inline std::string bytesOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeBytes(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// Returns for every name below a folder: mode, size, time, inode, and the hash of the contents.
inline std::map<std::string, std::string> pictureOf(const fs::path& dir) {
    std::map<std::string, std::string> picture;
    const auto add = [&](const fs::path& path) {
        struct stat s {};
        if (::lstat(path.c_str(), &s) != 0)
            return;
        std::string hash;
        if (S_ISREG(s.st_mode)) {
            const std::string bytes = bytesOf(path);
            hash =
                QCryptographicHash::hash({bytes.data(), static_cast<qsizetype>(bytes.size())}, QCryptographicHash::Sha1)
                    .toHex()
                    .toStdString();
        }
        picture[path.string()] = std::to_string(s.st_mode) + ' ' + std::to_string(s.st_size) + ' ' +
                                 std::to_string(s.st_mtim.tv_sec) + '.' + std::to_string(s.st_mtim.tv_nsec) + ' ' +
                                 std::to_string(s.st_ino) + ' ' + hash;
    };
    add(dir);
    for (const auto& entry : fs::recursive_directory_iterator(dir))
        add(entry.path());
    return picture;
}

/// Returns the differences between two states, for a message; empty if there are none.
inline QString difference(const std::map<std::string, std::string>& before,
                          const std::map<std::string, std::string>& after) {
    QString text;
    for (const auto& [name, was] : before)
        if (const auto at = after.find(name); at == after.end() || at->second != was)
            text +=
                QString::fromStdString(name + ": " + was + " -> " + (at == after.end() ? "gone" : at->second) + '\n');
    for (const auto& [name, is] : after)
        if (!before.contains(name))
            text += QString::fromStdString(name + ": new\n");
    return text;
}

/// Runs SQL on a store as another program would. Closing it moves the log into the file.
inline bool execute(const fs::path& file, const std::string& sql) {
    sqlite3* db = nullptr;
    const bool done = sqlite3_open(file.c_str(), &db) == SQLITE_OK &&
                      sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(db);
    return done;
}

/// Does the same as execute(), but as if killed before the log is moved into the file; each statement is a separate
/// commit.
inline bool writeWithLog(const fs::path& file, const std::string& sql) {
    sqlite3* db = nullptr;
    const fs::path log = file.string() + "-wal", kept = file.string() + "-kept";
    const bool done = sqlite3_open(file.c_str(), &db) == SQLITE_OK &&
                      sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    fs::copy_file(log, kept, fs::copy_options::overwrite_existing);
    fs::copy_file(file, file.string() + "-file", fs::copy_options::overwrite_existing);
    sqlite3_close(db);
    fs::rename(kept, log);
    fs::rename(file.string() + "-file", file);
    return done;
}

/// Fills a page, counted from 0, with zeros, or with random bytes if `random` is given.
inline void spoilPage(std::string& bytes, std::size_t page, std::mt19937* random = nullptr, std::size_t size = 8192) {
    for (std::size_t i = page * size; i < std::min((page + 1) * size, bytes.size()); ++i)
        bytes[i] = random ? static_cast<char>((*random)()) : '\0';
}

} // namespace damage
