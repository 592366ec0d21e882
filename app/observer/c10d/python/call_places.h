// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/python/python_api.h"
#include "app/observer/c10d/python/python_functions.h"
#include "core/telemetry/format/records.h"

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace rankscope::observer {

/// Finds out what collectives are for, from the Python frames of the calling thread. Python is asked once for each
/// sequence of frames. Later calls only take the GIL, which the thread released a moment ago, and walk over the frames.
class CallPlaces {
public:
    struct Place {
        std::array<char, telemetry::kTagBytes> tag{};
        bool alwaysWaits = false; ///< the caller waits for the end, whatever the operator says
        bool waits = false;       ///< the caller waits, as far as its frames tell
    };

    explicit CallPlaces(rs_c10d_resolve resolve) : m_resolve(resolve), m_api(PythonApi::get()) {}

    /// Returns none if the calling thread has no Python frames. Never creates a thread state.
    std::optional<Place> ofCaller();

private:
    static constexpr std::size_t kFrames = 24;
    static constexpr std::size_t kPlaces = 4096; ///< beyond that, Python is asked each time

    /// Innermost first.
    struct Frames {
        struct Position {
            PythonApi::Object code;
            int position;
            bool operator==(const Position&) const = default;
        };
        std::array<Position, kFrames> positions;
        std::size_t count = 0;

        bool operator==(const Frames& other) const;
        std::size_t hash() const;
    };
    struct FramesHash {
        std::size_t operator()(const Frames& frames) const { return frames.hash(); }
    };

    Frames callersFrames() const;
    bool isDecisive(PythonApi::Object code) const;
    std::optional<Place> find(const Frames& frames);
    std::optional<Place> ask(Frames frames);
    void keep(const Frames& frames, const Place& place);

    rs_c10d_resolve m_resolve;
    const PythonApi* m_api; ///< null: not in Python
    /// For a Python without a GIL, which otherwise has the same effect. Never held while Python is called, because the
    /// called code may release the GIL to a thread that waits for this lock.
    mutable std::mutex m_mutex;
    std::unordered_map<Frames, Place, FramesHash> m_places;
    std::unordered_set<PythonApi::Object> m_decisive; ///< code beyond which no place depends on the frames
};

} // namespace rankscope::observer
