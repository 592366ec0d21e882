// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

namespace rankscope::trainer {

/// Memory to read into, aligned as tensors need it. `release()` passes it to the caller, who frees it with std::free.
class RawBytes {
public:
    /// Returns none if there is not enough memory: the size is only a file's claim.
    static std::optional<RawBytes> ofSize(std::uint64_t size) {
        constexpr std::uint64_t kAlignment = 64;
        if (size > PTRDIFF_MAX - kAlignment)
            return std::nullopt;
        RawBytes bytes;
        bytes.m_data.reset(static_cast<char*>(std::aligned_alloc(kAlignment, (size / kAlignment + 1) * kAlignment)));
        bytes.m_size = size;
        return bytes.m_data ? std::optional(std::move(bytes)) : std::nullopt;
    }
    RawBytes() = default;

    char* data() { return m_data.get(); }
    std::uint64_t size() const { return m_size; }
    std::string_view view() const { return {m_data.get(), static_cast<std::size_t>(m_size)}; }
    void* release() { return m_data.release(); }

private:
    struct Free {
        void operator()(char* data) const { std::free(data); }
    };
    std::unique_ptr<char, Free> m_data;
    std::uint64_t m_size = 0;
};

} // namespace rankscope::trainer
