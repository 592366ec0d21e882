// SPDX-License-Identifier: Apache-2.0
// What the detector carries from one round to the next. Private to this folder.
#pragma once

#include "core/diagnosis/detector/detector.h"
#include "core/diagnosis/detector/slow_rank_test.h"
#include "core/diagnosis/detector/step_window.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/stall_scan.h"
#include "core/diagnosis/stalls/stuck_collective.h"

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
/// Calls that differ on two boards must do so for this long: no board is believed for one glance.
inline constexpr std::int64_t kConfirmNs = 200'000'000;
/// What the other ranks tell of the same step or collective is waited for this long.
inline constexpr std::int64_t kOthersTellNs = 1'000'000'000;
/// How often an open incident is reported again.
inline constexpr std::int64_t kUpdateEveryNs = 500'000'000;
/// Exit code of a rank whose collective failed: a consequence of another rank's end, seldom a cause.
inline constexpr int kCollateralExit = 3;
/// Of a rank that was given what it cannot train with.
inline constexpr int kRefusedExit = 2;

inline std::int64_t toNs(double seconds) {
    return nanosecondsOf(std::round(seconds * 1e9));
}

enum class Rule : std::uint8_t { Hold, Jam, Mismatch, Death, Join, Start, Straggler, NotFinite, Config, Leave, Count };

struct Tracked {
    Incident incident;
    Rule rule = Rule::Hold;
    std::int64_t clearSinceNs = 0; ///< 0: still holds
    std::int64_t updatedNs = 0;
    bool seen = false; ///< in this round
};

/// What was wrong with a rank's step; the worse, the later in this list.
enum class Badness : std::uint8_t { None, Gradient, Loss, Batch, Empty, Count };

/// The first step with a figure that is not finite, until all ranks have told theirs.
struct BadStep {
    std::int64_t step = -1, sinceNs = 0;
    std::map<int, Badness> ranks;
};

struct RankMemory {
    bool ran = false; ///< it was in its training loop, or past it
    std::int64_t toldStep = -1, badStep = -1;
    std::int64_t heldStep = -1;   ///< the newest step in which it held the others up and an incident said so
    std::int64_t tensorStep = -1; ///< step that `tensor` belongs to
    std::string tensor;           ///< first tensor that was not finite
    std::int64_t checkpointSinceNs = 0, lookedNs = 0;
    double checkpointBytes = 0; ///< written since then, where it is measured
};

struct Detector::State {
    int world;
    Settings settings;
    StepWindow window;
    SlowRanks slow;
    std::list<Tracked> open;
    std::int64_t nextId = 1, firstNs = 0, runningNs = 0; ///< runningNs: when all ranks had joined
    bool deathSeen = false, configChecked = false, mismatchTold = false;
    std::int64_t stragglerCheckedStep = -1, stragglerCheckedNs = 0;
    std::int64_t stragglerBehindStep = -1; ///< the window of the steps that make a straggler begins behind it
    std::int64_t mismatchSinceNs = 0, oddSinceNs = 0; ///< seen on boards, told by records
    std::optional<BadStep> bad;
    std::string differingKeys; ///< of the ranks' configurations, once they have compared them
    std::vector<RankMemory> ranks;
    std::vector<Transition> out;
    std::int64_t threshold = 0; ///< of this round

    State(int w, Settings s)
        : world(w), settings(std::move(s)), window(w, settings.stragglerWindowSteps), slow(w, settings.stragglerShare),
          ranks(static_cast<std::size_t>(w)) {}

    std::int64_t thresholdNs() const;
    /// Of a holder in this phase: what usually takes long is no stall for taking as long again.
    std::int64_t thresholdIn(telemetry::Phase phase) const;
    Tracked* find(Rule rule);
    Tracked* find(Rule rule, int holder);
    void addFacts(Incident& in, std::int64_t now) const;
    Tracked& start(Rule rule, Incident in, const Observation& o);
    void update(Tracked& t, const Observation& o);
    void close(std::list<Tracked>::iterator it, std::int64_t atNs, CloseReason reason);

    // detector.cpp
    void takeRecords(const Observation& o);
    void takeStep(int rank, const telemetry::StepRecord& s, std::int64_t now);
    void takeNote(int rank, const telemetry::NoteRecord& n);
    void takeCheck(const telemetry::CheckRecord& c, std::int64_t now);
    void isBad(int rank, std::int64_t step, Badness what, std::int64_t now);
    void watchRanks(const Observation& o);
    void closeQuiet(const Observation& o);
    /// Its holders are more than `steps` steps further.
    bool movedOn(const Tracked& t, const Observation& o, int steps) const;
    // detector_holds.cpp
    void holds(const Observation& o);
    // detector_rules.cpp
    void deaths(const Observation& o);
    bool isVictim(const RankObservation& r) const;
    const RankObservation* culprit(const Observation& o) const;
    void joins(const Observation& o);
    bool leaves(const Observation& o);
    void configs(const Observation& o);
    void neverStarts(const Observation& o);
    // detector_collectives.cpp
    void mismatches(const Observation& o);
    void openMismatch(const Mismatch& m, const Observation& o);
    void jams(const Observation& o);
    void circle(const HoldsNow& now, const Observation& o);
    void notFinite(const Observation& o);
    void openNotFinite(const Observation& o);
    // detector_stragglers.cpp
    void stragglers(const Observation& o);
    void slowRank(int rank, const Observation& o);
    /// False when an open incident says more. `lengthsExplain`: nobody has taken off yet what they do.
    bool openStraggler(const Straggler& s, bool lengthsExplain, const Observation& o);
    void addResources(Incident& in, const Observation& o) const;
    void overTheWindow(const Observation& o);
    /// The rank is about to become a straggler: a hold-up by it is not over as soon as it holds nobody for a second.
    bool isSlowing(int rank, std::int64_t nowNs) const;
    /// The rank is a straggler, and takes about as long as it usually does.
    bool isAsSlowAsUsual(int rank, std::int64_t lostNs) const;
    // detector_codec.cpp
    void save(WireWriter& to) const;
    bool load(WireReader& in);
    bool loadOpen(WireReader& in);
};

} // namespace rankscope::diagnosis
