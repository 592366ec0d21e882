// SPDX-License-Identifier: Apache-2.0
// What the detector carries from one round to the next. Private to this folder.
#pragma once

#include "core/diagnosis/detector.h"
#include "core/diagnosis/hold.h"
#include "core/diagnosis/remedy.h"
#include "core/diagnosis/step_window.h"

#include <cmath>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// Before the typical step is known the first steps' warm-up (kernels, caches, workers) must not pass for a stall.
inline constexpr double kWarmUpFactor = 5.0;
/// A hold that ended counts as recovered when the rank has not held anyone for this long, or went on to the next step.
inline constexpr std::int64_t kQuietNs = 1'000'000'000;
/// Waits below this are the ordinary jitter of a step.
inline constexpr std::int64_t kVisibleWaitNs = 200'000'000;
/// A rank that ends because its peer died can be seen first: its own exit waits this long for a better culprit.
inline constexpr std::int64_t kCulpritNs = 300'000'000;
/// Exit code of a rank whose collective failed: a consequence of another rank's end, seldom a cause.
inline constexpr int kCollateralExit = 3;

inline std::int64_t toNs(double seconds) {
    return static_cast<std::int64_t>(std::llround(seconds * 1e9));
}

enum class Rule : std::uint8_t { Hold, Jam, Death, Join, Straggler, NotFinite, Config };

struct Tracked {
    Incident incident;
    Rule rule = Rule::Hold;
    std::int64_t clearSinceNs = 0; ///< 0: still holds
    std::int64_t updatedNs = 0;
    bool seen = false; ///< in this round
};

struct Detector::State {
    int world;
    Settings settings;
    StepWindow window;
    std::list<Tracked> open;
    std::int64_t nextId = 1, firstNs = 0;
    bool deathSeen = false;
    bool configChecked = false;
    std::int64_t stragglerCheckedStep = -1;
    std::map<int, std::int64_t> notFiniteStep; ///< newest step with a bad value, by rank
    std::map<int, std::string> notFiniteWhat;  ///< "loss", "gradient", or empty: the batch had no masked frame
    std::map<int, std::int64_t> finiteStep;
    std::vector<Transition> out;

    State(int w, Settings s) : world(w), settings(s), window(w, s.stragglerWindowSteps) {}

    std::int64_t thresholdNs() const {
        const std::int64_t typical = window.typicalStepNs();
        const std::int64_t least = toNs(settings.stallMinSeconds);
        if (typical == 0)
            return static_cast<std::int64_t>(kWarmUpFactor * static_cast<double>(least));
        return std::max(least, static_cast<std::int64_t>(settings.stallFactor * static_cast<double>(typical)));
    }

    Tracked* find(Rule rule, int holder) {
        for (auto& t : open)
            if (t.rule == rule && !t.incident.holders.empty() && t.incident.holders.front() == holder)
                return &t;
        return nullptr;
    }

    void addFacts(Incident& in, std::int64_t now) const {
        in.evidence["threshold_s"] = static_cast<double>(thresholdNs()) * 1e-9;
        in.evidence["typical_step_s"] = static_cast<double>(window.typicalStepNs()) * 1e-9;
        in.evidence["lasted_s"] = static_cast<double>(now - in.openedNs) * 1e-9;
    }

    Tracked& start(Rule rule, Incident in, const Observation& o) {
        in.id = nextId++;
        in.detectedNs = o.nowNs;
        addFacts(in, o.nowNs);
        in.remedy = remedyFor(in, settings);
        open.push_back({std::move(in), rule, 0, o.nowNs, true});
        out.push_back({Transition::Kind::Opened, open.back().incident});
        return open.back();
    }

    void update(Tracked& t, const Observation& o) {
        t.seen = true;
        t.clearSinceNs = 0;
        constexpr std::int64_t kEvery = 500'000'000;
        if (o.nowNs - t.updatedNs < kEvery)
            return;
        t.updatedNs = o.nowNs;
        addFacts(t.incident, o.nowNs);
        out.push_back({Transition::Kind::Updated, t.incident});
    }

    void close(std::list<Tracked>::iterator it, std::int64_t atNs, CloseReason reason) {
        it->incident.closedNs = std::max(atNs, it->incident.openedNs + 1);
        it->incident.closed = reason;
        it->incident.evidence["lasted_s"] = static_cast<double>(it->incident.closedNs - it->incident.openedNs) * 1e-9;
        out.push_back({Transition::Kind::Closed, it->incident});
        open.erase(it);
    }

    void takeRecords(const Observation& o);
    void deaths(const Observation& o);
    void joins(const Observation& o);
    void configs(const Observation& o);
    void holds(const Observation& o);
    void hold(const Hold& h, const Observation& o);
    bool continues(const Tracked& t, const Hold& h, const Observation& o) const;
    void refine(Incident& in, const Hold& h, const Observation& o) const;
    void jams(const Observation& o);
    void stragglers(const Observation& o);
    void notFinite(const Observation& o);
    void closeQuiet(const Observation& o);
    bool movedOn(const Tracked& t, const Observation& o) const;
};

} // namespace rankscope::diagnosis
