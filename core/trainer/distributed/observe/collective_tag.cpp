// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/observe/collective_tag.h"

#include "core/base/values/clock.h"

#include <fmt/format.h>

namespace rankscope::trainer {

static thread_local CollectiveTag* t_innermost = nullptr;

PendingExposure& PendingExposure::operator=(PendingExposure&& other) noexcept {
    if (this != &other) {
        close(-1);
        m_log = std::exchange(other.m_log, nullptr);
        m_handle = other.m_handle;
        m_arrivedNs = other.m_arrivedNs;
    }
    return *this;
}

void PendingExposure::close(std::int64_t exposedNs) {
    if (observer::CollectiveLog* log = std::exchange(m_log, nullptr))
        log->exposed(m_handle, exposedNs);
}

CollectiveTag::CollectiveTag(std::string_view name, Exposure exposure)
    : m_outer(t_innermost), m_keepExposure(exposure == Exposure::Kept) {
    telemetry::putText(m_text.data(), m_text.size(), name);
    t_innermost = this;
}

CollectiveTag::CollectiveTag(std::string_view kind, std::string_view detail, Exposure exposure)
    : m_outer(t_innermost), m_keepExposure(exposure == Exposure::Kept) {
    put(kind, detail);
    t_innermost = this;
}

CollectiveTag::CollectiveTag(std::string_view kind, std::size_t number, Exposure exposure)
    : m_outer(t_innermost), m_keepExposure(exposure == Exposure::Kept) {
    const fmt::format_int digits(number);
    put(kind, {digits.data(), digits.size()});
    t_innermost = this;
}

CollectiveTag::~CollectiveTag() {
    t_innermost = m_outer;
}

void CollectiveTag::put(std::string_view kind, std::string_view detail) {
    std::array<char, telemetry::kTagBytes> text{};
    const auto end = fmt::format_to_n(text.data(), text.size() - 1, "{}:{}", kind, detail).out;
    telemetry::putText(m_text.data(), m_text.size(), {text.data(), static_cast<std::size_t>(end - text.data())});
}

observer::CollectiveHandle CollectiveTag::enter(observer::CollectiveLog& log, observer::CollectiveCall call) {
    const std::int64_t now = monotonicNs();
    CollectiveTag* tag = t_innermost;
    call.tag = innermost();
    call.measuresExposure = tag && std::exchange(tag->m_keepExposure, false);
    const observer::CollectiveHandle handle = log.enter(call);
    if (call.measuresExposure)
        tag->m_exposure = PendingExposure(log, handle, now);
    return handle;
}

std::string_view CollectiveTag::innermost() {
    return t_innermost ? t_innermost->text() : std::string_view();
}

} // namespace rankscope::trainer
