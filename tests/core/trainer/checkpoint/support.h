// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"
#include "core/trainer/named_tensors.h"

#include <QString>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace rankscope::trainer::test {

inline std::string bytesOf(const std::filesystem::path& path) {
    auto text = readFile(path);
    if (!text)
        throw std::runtime_error(text.error().message());
    return std::move(*text);
}

inline void putBytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush())
        throw std::runtime_error("cannot write " + path.string());
}

/// While this object exists, no file can grow beyond so many bytes: a write fails, as on a full disk.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

/// Returns whether names, order, types, shapes and values are the same.
inline bool sameState(const StateDict& a, const StateDict& b) {
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].first != b[i].first || a[i].second.scalar_type() != b[i].second.scalar_type() ||
            !torch::equal(a[i].second, b[i].second))
            return false;
    return true;
}

inline bool says(const Error& error, const char* part) {
    return QString::fromStdString(error.message()).contains(part);
}

} // namespace rankscope::trainer::test
