// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/observer/collective_log.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rankscope::trainer {

/// Keeps a record open until it is known how long the collective blocked the training thread.
class PendingExposure {
public:
    PendingExposure() = default;
    PendingExposure(observer::CollectiveLog& log, observer::CollectiveHandle handle, std::int64_t arrivedNs)
        : m_log(&log), m_handle(handle), m_arrivedNs(arrivedNs) {}
    PendingExposure(PendingExposure&& other) noexcept
        : m_log(std::exchange(other.m_log, nullptr)), m_handle(other.m_handle), m_arrivedNs(other.m_arrivedNs) {}
    PendingExposure& operator=(PendingExposure&& other) noexcept;
    ~PendingExposure() { close(-1); }

    explicit operator bool() const { return m_log != nullptr; }
    std::int64_t arrivedNs() const { return m_log ? m_arrivedNs : 0; }
    void close(std::int64_t exposedNs);
    /// Returns the collective, whose exposure is now another object's to report; 0: none.
    observer::CollectiveHandle release() { return std::exchange(m_log, nullptr) ? m_handle : 0; }

private:
    observer::CollectiveLog* m_log = nullptr;
    observer::CollectiveHandle m_handle = 0;
    std::int64_t m_arrivedNs = 0;
};

/// Names the collectives that this thread issues during the tag's lifetime; the innermost tag counts.
class CollectiveTag {
public:
    enum class Exposure : std::uint8_t { Unknown, Kept };

    explicit CollectiveTag(std::string_view name, Exposure exposure = Exposure::Unknown);
    /// "kind:detail"
    CollectiveTag(std::string_view kind, std::string_view detail, Exposure exposure = Exposure::Unknown);
    CollectiveTag(std::string_view kind, std::size_t number, Exposure exposure = Exposure::Unknown);
    CollectiveTag(const CollectiveTag&) = delete;
    CollectiveTag& operator=(const CollectiveTag&) = delete;
    ~CollectiveTag();

    std::string_view text() const { return m_text.data(); }
    /// Returns, with Exposure::Kept, the exposure of the first collective that was issued under this tag.
    PendingExposure& exposure() { return m_exposure; }

    /// Records that the calling thread has arrived at a collective, under its innermost tag.
    static observer::CollectiveHandle enter(observer::CollectiveLog& log, observer::CollectiveCall call);
    /// Returns the text of the calling thread's innermost tag; empty: none.
    static std::string_view innermost();

private:
    void put(std::string_view kind, std::string_view detail);

    std::array<char, telemetry::kTagBytes> m_text{};
    CollectiveTag* m_outer;
    bool m_keepExposure;
    PendingExposure m_exposure;
};

} // namespace rankscope::trainer
