// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/settings.h"

#include <cstdint>
#include <list>
#include <vector>

namespace rankscope::diagnosis {

/// The rule that opened an incident. The numbers are part of the saved state.
enum class Rule : std::uint8_t {
    Hold,
    Jam,
    Mismatch,
    Death,
    Join,
    Start,
    Straggler,
    NotFinite,
    Config,
    Leave,
    Pause,
    Memory,
    Count
};

/// The file or sample that a holder read for the longest time, as an incident's evidence names it.
struct LongestRead {
    Evidence::Text reading, readingPath;
    double seconds = 0; ///< 0: none
};

struct OpenHold {
    Incident incident;
    Rule rule = Rule::Hold;
    std::int64_t clearSinceNs = 0; ///< since when its rule has not found it; 0: the rule still does
    std::int64_t updatedNs = 0;    ///< when it was reported last; 0: the next update reports it immediately
    bool seen = false;             ///< its rule found it in this round
    LongestRead longestRead = {};  ///< of this hold-up; not saved, but taken from the evidence again
};

/// The incidents that are open now, and their changes in this round.
class OpenIncidents {
public:
    /// How often an open incident is reported again.
    static constexpr std::int64_t kUpdateEveryNs = 500'000'000;

    OpenIncidents(int worldSize, const Settings& settings) : m_world(worldSize), m_settings(settings) {}
    OpenIncidents(const OpenIncidents&) = delete; // it refers to its owner's settings
    OpenIncidents& operator=(const OpenIncidents&) = delete;

    void beginRound();
    /// Sets the time at which incidents are opened, updated and closed from now on. Pauses have monotonic times, all
    /// other incidents active ones.
    void setNow(std::int64_t nowNs) { m_nowNs = nowNs; }
    /// Sets the round's figures, which every incident gets as evidence.
    void setFigures(std::int64_t thresholdNs, std::int64_t typicalStepNs);
    std::vector<Transition> takeTransitions() { return std::move(m_transitions); }

    std::int64_t nextId() const { return m_nextId; }
    void setNextId(std::int64_t id) { m_nextId = id; }

    std::list<OpenHold>& all() { return m_open; }
    const std::list<OpenHold>& all() const { return m_open; }
    OpenHold* find(Rule rule);
    /// Returns the rule's first incident that has this rank among its holders; null if there is none.
    OpenHold* find(Rule rule, int holder);
    /// Returns whether a rank's death was reported, even if its incident is closed by now.
    bool deathSeen() const { return m_deathSeen; }
    bool mismatchSeen() const { return m_mismatchSeen; }

    OpenHold& start(Rule rule, Incident incident);
    /// Call it when the rule finds the incident again. Reports it if its last report is old enough.
    void update(OpenHold& tracked);
    void report(OpenHold& tracked);
    /// Updates the transition that this round already has for a changed incident, or reports it.
    void amend(const OpenHold& tracked);
    void close(std::list<OpenHold>::iterator at, std::int64_t atNs, CloseReason reason);
    void closeAll(CloseReason reason);

    void save(ByteEncoder& out) const;
    bool load(ByteDecoder& in);
    void restoreSeen(bool death, bool mismatch);

private:
    void addFigures(Incident& incident) const;
    /// Names the file that the holder read for the longest time: the last one may have been opened a moment ago.
    void nameLongestRead(OpenHold& hold) const;

    int m_world;
    const Settings& m_settings;
    std::list<OpenHold> m_open;
    std::vector<Transition> m_transitions;
    std::int64_t m_nextId = 1, m_nowNs = 0, m_thresholdNs = 0, m_typicalStepNs = 0;
    bool m_deathSeen = false, m_mismatchSeen = false;
};

} // namespace rankscope::diagnosis
