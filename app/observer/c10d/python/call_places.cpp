// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/python/call_places.h"

#include <algorithm>
#include <cstdint>

namespace rankscope::observer {

bool CallPlaces::Frames::operator==(const Frames& other) const {
    return count == other.count && std::equal(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(count),
                                              other.positions.begin());
}

std::size_t CallPlaces::Frames::hash() const {
    std::uint64_t sum = count;
    for (std::size_t i = 0; i < count; ++i) {
        sum ^= reinterpret_cast<std::uintptr_t>(positions[i].code) + static_cast<std::uint64_t>(positions[i].position);
        sum *= 0x9E37'79B9'7F4A'7C15u;
        sum ^= sum >> 32;
    }
    return sum;
}

std::optional<CallPlaces::Place> CallPlaces::ofCaller() {
    if (!m_resolve || !m_api || !m_api->threadState() || (m_api->isFinalizing && m_api->isFinalizing()))
        return std::nullopt;
    const PythonLock lock(*m_api);
    const Frames frames = callersFrames();
    if (frames.count == 0)
        return std::nullopt;
    const auto known = find(frames);
    return known ? known : ask(frames);
}

CallPlaces::Frames CallPlaces::callersFrames() const {
    Frames frames;
    PythonApi::Object frame = m_api->frame();
    if (frame)
        m_api->incRef(frame);
    while (frame && frames.count < kFrames) {
        const PythonApi::Object code = m_api->frameCode(frame);
        m_api->decRef(code); // the frame keeps it
        frames.positions[frames.count++] = {code, m_api->framePosition(frame)};
        const PythonApi::Object back = isDecisive(code) ? nullptr : m_api->frameBack(frame);
        m_api->decRef(frame);
        frame = back;
    }
    if (frame)
        m_api->decRef(frame);
    return frames;
}

bool CallPlaces::isDecisive(PythonApi::Object code) const {
    const std::lock_guard lock(m_mutex);
    return m_decisive.count(code) > 0;
}

std::optional<CallPlaces::Place> CallPlaces::find(const Frames& frames) {
    const std::lock_guard lock(m_mutex);
    const auto known = m_places.find(frames);
    return known == m_places.end() ? std::nullopt : std::optional(known->second);
}

std::optional<CallPlaces::Place> CallPlaces::ask(Frames frames) {
    Place place;
    const int answer = m_resolve(place.tag.data(), static_cast<int>(place.tag.size()));
    InterruptedCallback::raiseLater();
    if (answer < 0)
        return std::nullopt;
    place.tag.back() = '\0';
    place.alwaysWaits = (answer & RS_C10D_ALWAYS_WAITS) != 0;
    place.waits = (answer & RS_C10D_WAITS) != 0;
    const auto depth = static_cast<std::size_t>(answer >> 8);
    if (depth > 0 && depth <= frames.count) {
        frames.count = depth;
        const std::lock_guard lock(m_mutex);
        if (m_decisive.size() < kPlaces && m_decisive.insert(frames.positions[depth - 1].code).second)
            m_api->incRef(frames.positions[depth - 1].code);
    }
    if ((answer & RS_C10D_FIXED) != 0)
        keep(frames, place);
    return place;
}

void CallPlaces::keep(const Frames& frames, const Place& place) {
    const std::lock_guard lock(m_mutex);
    if (m_places.size() >= kPlaces || !m_places.emplace(frames, place).second)
        return;
    for (std::size_t i = 0; i < frames.count; ++i)
        m_api->incRef(frames.positions[i].code); // so that no other code gets its address
}

} // namespace rankscope::observer
