// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/run_observer.h"

#include "core/base/values/clock.h"
#include "core/launch/figures/open_waits.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/run/checkpoint_list.h"
#include "core/store/figures/training_figures.h"
#include "widgets/models/failure/run_failure.h"
#include "widgets/models/text/store_health_text.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/view/run_status.h"

#include <QCoreApplication>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <tuple>

namespace rankscope::ui {

namespace {

constexpr int kMostValidations = 100'000;        ///< rows per reading; the rest follows with the next one
constexpr std::int64_t kCountingNs = 20'000'000; ///< per reading; the rest follows with the next one

struct Observer {
    Q_DECLARE_TR_FUNCTIONS(RunObserver)
};

void mix(std::size_t& seed, std::size_t value) {
    seed ^= value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2);
}

bool hasBatchSizes(store::RunReader& reader, const std::vector<store::RankSummary>& ranks) {
    return std::any_of(ranks.begin(), ranks.end(), [&](const store::RankSummary& rank) {
        const auto points = reader.series(store::Metric::BatchSize, rank.rank, 0, INT64_MAX / 2, 1);
        return points &&
               std::any_of(points->begin(), points->end(), [](const auto& p) { return p.count > 0 && p.mean > 0; });
    });
}

} // namespace

RunObserver::RunObserver(launch::RunPaths run) : m_run(std::move(run)), m_chain(m_run), m_liveRanks(m_run) {
    m_view.info.id = m_run.dir.filename().string();
}

void RunObserver::readInfo() {
    auto info = launch::readRunInfo(m_run);
    if (!info) {
        m_view.problem = toQString(info.error().message());
        return;
    }
    m_known = true;
    m_view.problem.clear();
    m_view.info = std::move(*info);
    m_view.resumable = !live() && m_view.info.state != launch::RunState::Finished && launch::hasCheckpoint(m_run) &&
                       ::access(m_run.dir.parent_path().c_str(), W_OK) == 0; // the new run is created next to it
}

/// Returns whether run.json certainly does not exist; false if that could not be checked.
static bool isMissing(const launch::RunPaths& run) {
    std::error_code ec;
    return std::filesystem::symlink_status(run.runJson(), ec).type() == std::filesystem::file_type::not_found;
}

bool RunObserver::folderMoved() const {
    return m_known && isMissing(m_run) != (m_view.goneRealtimeNs != 0);
}

/// Keeps everything that was read, because no more can be learned about the run.
bool RunObserver::findGone() {
    if (!m_known || !isMissing(m_run)) {
        m_view.goneRealtimeNs = 0;
        return false;
    }
    if (m_view.goneRealtimeNs == 0)
        m_view.goneRealtimeNs = realtimeNs();
    m_view.problem.clear();
    m_view.resumable = false;
    if (live()) { // the supervisor ends a run whose folder is gone
        m_view.info.state = launch::RunState::Lost;
        m_view.stepsPerSecond = m_view.audioPerSecond = 0;
        for (RankTile& tile : m_view.ranks) {
            tile.status.state = diagnosis::RankState::Unknown;
            tile.status.words = Observer::tr("last seen at step %1").arg(countText(tile.step)).toStdString();
        }
    }
    return true;
}

void RunObserver::openStore() {
    std::error_code ec;
    const auto type = std::filesystem::symlink_status(m_run.store(), ec).type();
    if (type == std::filesystem::file_type::not_found) {
        if (!live())
            m_storeProblem = Observer::tr("%1: nothing was measured; the run ended before its store was created")
                                 .arg(toQString(m_run.store().string()));
        return;
    }
    const auto& i = m_view.info;
    const store::RunMeta known{i.id, i.worldSize, i.startNs, i.startRealtimeNs, i.totalSteps};
    auto reader = store::RunReader::open(m_run.store(), m_known ? &known : nullptr);
    if (!reader) {
        m_storeProblem = messageText(reader.error());
        return;
    }
    m_reader.emplace(std::move(*reader));
    m_reader->enableSeriesCache();
    m_version = m_lostVersion = -1;
    m_lost = {};
    m_view.lost = {};
    ++m_view.stepsVersion; // the steps are those of another store
    m_checked = false;
    m_view.validations.clear();
    m_view.hasBatchSizes = false;
    m_view.waitsAreSums = m_reader->meta().waitsAreSums;
    m_told = {};
    m_storeProblem.clear();
    m_listProblem.clear();
}

void RunObserver::tellCondition() {
    m_told = m_reader->condition();
    m_storeProblem = m_told.sound() ? QString() : storeConditionText(m_told, m_run.store());
    if (m_storeProblem.isEmpty())
        m_storeProblem = m_listProblem;
}

void RunObserver::checkStore() {
    if (!m_reader || std::exchange(m_checked, true))
        return;
    if (auto checked = m_reader->checkQuickly(); !checked && m_listProblem.isEmpty())
        m_listProblem = toQString(checked.error().message());
}

bool RunObserver::foundDamage() const {
    return (m_reader && !(m_reader->condition() == m_told)) || m_chain.foundDamage();
}

void RunObserver::readStore() {
    // the writer has changed or is gone, or it is a different file
    if (m_reader && m_reader->outdated())
        m_reader.reset();
    if (!m_reader)
        openStore();
    if (!m_reader)
        return;
    const std::int64_t version = m_reader->version();
    if (version != m_version) {
        readLists();
        if (m_reader->outdated())
            return; // the rows are from two different moments: read them again next time
        m_version = version;
        ++m_view.storeVersion;
        readRate();
        m_view.hasBatchSizes = m_view.hasBatchSizes || hasBatchSizes(*m_reader, m_view.summaries);
    }
    countLost();
    tellCondition();
}

/// Updates the lost time once all steps are counted: the share for only some of them would mislead.
void RunObserver::countLost() {
    if (!isCounting())
        return;
    const auto counted = m_lost.advance(*m_reader, kCountingNs);
    if (counted && !*counted)
        return;
    m_lostVersion = m_version;
    if (counted)
        m_view.lost = m_lost.soFar();
    else if (m_listProblem.isEmpty())
        m_listProblem = toQString(counted.error().message());
}

/// Adds the waits still in progress, up to now, to the lost time.
void RunObserver::tellLost(std::int64_t nowNs) {
    if (isCounting() || m_view.lag || m_view.openWaits.empty())
        return;
    m_view.lost = m_lost.soFar();
    launch::addOpenWaits(m_view.openWaits, nowNs, launch::activeClock(m_view.incidents, nowNs), m_view.info.startNs,
                         m_view.summaries, m_view.lost);
}

/// Shows the waits that the end of the run cut off, and adds them to the figures of the ranks and to the lost time.
void RunObserver::tellLostAtEnd() {
    const launch::WaitsAtEnd atEnd = launch::waitsAtEnd(m_view.incidents, m_summaries);
    m_view.openWaits = atEnd.waits;
    m_view.openUntilNs = atEnd.endNs;
    m_view.summaries = m_summaries;
    launch::addOpenWaits(atEnd.waits, atEnd.endNs, atEnd.clock, m_view.summaries);
    if (isCounting())
        return;
    m_view.lost = m_lost.soFar();
    launch::addOpenWaits(atEnd.waits, atEnd.endNs, atEnd.clock, m_view.info.startNs, m_view.summaries, m_view.lost);
}

/// Reads the ranks' summaries. Most commits of a live run add only phases and collectives and leave these unchanged.
void RunObserver::readSummaries() {
    auto summaries = m_reader->ranks();
    if (!summaries) {
        m_listProblem = toQString(summaries.error().message());
        return;
    }
    const auto measured = [](const store::RankSummary& s) {
        return std::tuple(s.rank, s.firstStep, s.lastStep, s.lastNs, s.waitedNs, s.heldNs);
    };
    if (!std::ranges::equal(m_summaries, *summaries, {}, measured, measured))
        ++m_view.stepsVersion;
    m_summaries = std::move(*summaries);
    m_view.summaries = m_summaries;
}

/// Reads the lists. One that cannot be read leaves the others unchanged.
void RunObserver::readLists() {
    m_listProblem.clear();
    const auto take = [this](auto read, auto& into) {
        if (read)
            into = std::move(*read);
        else if (m_listProblem.isEmpty())
            m_listProblem = toQString(read.error().message());
    };
    std::vector<store::CheckRow> checks;
    readSummaries();
    take(m_reader->incidents(), m_view.incidents);
    take(m_reader->checks(), checks);
    take(m_reader->unwatched(), m_view.unwatched);
    take(m_reader->groupMembers(), m_view.groups);
    m_view.checks = store::summarize(checks);
    readValidations();
    if (!live())
        take(store::notFiniteTails(*m_reader), m_tails);
    m_soundCheckpoint.reset();
    m_storedStep = m_view.summaries.empty() ? -1 : std::numeric_limits<std::int64_t>::max();
    for (const auto& s : m_view.summaries)
        m_storedStep = std::min(m_storedStep, s.lastStep);
    if (static_cast<int>(m_view.summaries.size()) < m_view.info.worldSize)
        m_storedStep = -1;
}

void RunObserver::readValidations() {
    const bool none = m_view.validations.empty();
    const std::int64_t seenStep = none ? -1 : m_view.validations.back().step;
    const std::int64_t seenNs = none ? std::numeric_limits<std::int64_t>::min() : m_view.validations.back().beginNs;
    auto validations = m_reader->validations(seenStep - 1, kMostValidations); // a step may have several
    if (!validations) {
        m_listProblem = toQString(validations.error().message());
        return;
    }
    std::erase_if(*validations, [=](const auto& v) { return v.beginNs <= seenNs; });
    m_view.validations.insert(m_view.validations.end(), validations->begin(), validations->end());
}

/// Reads the runs before this one. They end where its first step begins, so that step must be known.
void RunObserver::readChain() {
    if (m_view.info.resumedFrom.empty())
        return;
    std::int64_t first = -1;
    for (const auto& s : m_view.summaries)
        if (s.firstStep >= 0)
            first = first < 0 ? s.firstStep : std::min(first, s.firstStep);
    const RunChainPtr before = m_view.chain;
    m_view.chain = m_chain.read(m_view.info.resumedFrom, first);
    if (m_view.chain != before)
        ++m_view.stepsVersion;
    m_view.chainProblem = first >= 0 ? m_chain.problem() : QString();
}

void RunObserver::readRate() {
    if (!m_sampleRate)
        m_sampleRate = launch::sampleRateOf(m_run);
    m_pace = launch::readPace(*m_reader, m_view.summaries, m_view.incidents, *m_sampleRate);
    m_meanRate = store::stepRate(*m_reader, m_view.summaries).value_or(store::StepRate{}).perSecond();
}

/// Sets the rate. While no step ends, the rate falls, so that it is never outdated; an ended run has the mean rate.
void RunObserver::tellRate(std::int64_t nowNs) {
    m_view.stepsPerSecond = live() ? m_pace.steps.stepsPerSecond(nowNs) : std::isfinite(m_meanRate) ? m_meanRate : 0;
    m_view.audioPerSecond = m_pace.audioPerSecond(m_view.stepsPerSecond);
}

/// Returns the step the rank died in, as its words name it; otherwise the last one it finished.
static std::int64_t lastStepOf(const store::RankSummary& rank, const std::vector<diagnosis::Incident>& incidents) {
    std::int64_t step = rank.lastStep;
    for (const auto& in : incidents)
        if (in.cause == diagnosis::Cause::Dead && std::ranges::count(in.holders, rank.rank) > 0)
            step = std::max(step, in.step);
    return step;
}

/// Reads how far the store lags behind. While it does, the rate is unknown, and so is whether incidents are still open.
void RunObserver::readLag(std::int64_t nowNs) {
    if (!m_control)
        if (auto page = telemetry::ControlPage::open(m_run.control()))
            m_control.emplace(std::move(*page));
    m_view.lag =
        launch::storeLag(m_run, m_view.info, m_control ? m_control->storedUntil() : telemetry::StoreProgress{}, nowNs);
    if (!m_view.lag)
        return;
    m_view.stepsPerSecond = m_view.audioPerSecond = 0;
    if (m_view.lag->sinceNs > 0)
        m_view.knownNs = std::min(m_view.knownNs, m_view.lag->sinceNs);
}

/// Sets the newest step that all ranks finished: while the store lags, their boards are newer.
void RunObserver::tellStep() {
    m_view.step = m_storedStep;
    if (!m_view.lag || m_view.ranks.empty())
        return;
    const auto last = std::ranges::min_element(m_view.ranks, {}, &RankTile::step);
    m_view.step = std::max(m_view.step, last->step - 1); // a board has the step that the rank works on
}

void RunObserver::readEndedRanks() {
    m_view.ranks.clear();
    m_liveRanks.close();
    for (int r = 0; r < m_view.shownRanks(); ++r) {
        store::RankSummary summary;
        summary.rank = r;
        for (const auto& s : m_view.summaries)
            if (s.rank == r)
                summary = s;
        m_view.ranks.push_back(
            RankTile{r, endedStatus(summary, m_view.info.state, m_view.incidents, m_view.info.reason.rank),
                     lastStepOf(summary, m_view.incidents)});
    }
}

/// Marks a run whose loss is NaN at its end as failed, even if older versions wrote something else into its run.json.
void RunObserver::judge() {
    if (live())
        return;
    launch::judgeTraining(m_view.info, m_tails);
    if (m_view.info.reason.kind != launch::EndKind::NotFinite)
        return;
    if (!m_soundCheckpoint) {
        const auto all = launch::listCheckpoints(m_run);
        m_soundCheckpoint = all && launch::newestUsable(*all);
    }
    m_view.resumable = *m_soundCheckpoint;
}

const RunView& RunObserver::read(std::int64_t nowNs) {
    if (findGone())
        return m_view;
    readInfo();
    readStore();
    judge();
    readChain();
    if (m_known && m_view.problem.isEmpty())
        m_view.problem = m_storeProblem;
    // the clock of an ended run stops at its end: monotonic time of another boot means nothing
    const auto& info = m_view.info;
    m_view.nowNs = nowNs;
    if (!live() && info.endRealtimeNs > 0)
        m_view.nowNs = info.startNs + (info.endRealtimeNs - info.startRealtimeNs);
    tellRate(nowNs);
    m_view.knownNs = m_view.nowNs;
    m_view.openWaits.clear();
    m_view.openUntilNs = m_view.nowNs;
    m_view.lag.reset();
    if (!live()) {
        m_control.reset();
        readEndedRanks();
        tellStep();
        tellLostAtEnd();
        return m_view;
    }
    readLag(nowNs);
    m_liveRanks.read(m_view, nowNs);
    tellStep();
    tellLost(nowNs);
    return m_view;
}

bool RunObserver::changed() {
    std::size_t seed = static_cast<std::size_t>(m_view.storeVersion);
    const std::hash<std::string> text;
    mix(seed, static_cast<std::size_t>(m_view.info.state));
    mix(seed, static_cast<std::size_t>(m_view.info.supervisor));
    mix(seed, text(m_view.info.cause.english() + '|' + m_view.info.name));
    mix(seed, static_cast<std::size_t>(m_view.info.worldSize));
    mix(seed, qHash(m_view.problem));
    mix(seed, qHash(m_view.chainProblem));
    mix(seed, reinterpret_cast<std::size_t>(m_view.chain.get()));
    if (m_view.lag)
        mix(seed, text(m_view.lag->trouble.english()) + static_cast<std::size_t>(m_view.lag->reason) +
                      static_cast<std::size_t>(m_view.lag->sinceNs + m_view.lag->freeBytes));
    mix(seed, m_known);
    mix(seed, m_view.resumable);
    mix(seed, static_cast<std::size_t>(m_view.goneRealtimeNs));
    for (const auto& tile : m_view.ranks) {
        mix(seed, static_cast<std::size_t>(tile.step));
        mix(seed, static_cast<std::size_t>(tile.status.state));
        mix(seed, text(tile.status.words.english()));
    }
    if (const auto lastedNs = static_cast<double>(m_pace.steps.lastedNs); live() && lastedNs > 0)
        // falls as the clock advances
        mix(seed, static_cast<std::size_t>(m_view.stepsPerSecond * lastedNs * 1e-9 * 1000));
    mix(seed, static_cast<std::size_t>(m_view.stepsPerEpoch));
    mix(seed, static_cast<std::size_t>(m_view.lost.lostNs * 1e-8));
    mix(seed, static_cast<std::size_t>(m_view.lost.steps));
    // waits and incidents in progress count up with the clock
    if (live() && !m_view.openWaits.empty())
        mix(seed, static_cast<std::size_t>(m_view.nowNs / 100'000'000));
    if (live() && std::any_of(m_view.incidents.begin(), m_view.incidents.end(),
                              [](const auto& in) { return in.closed == diagnosis::CloseReason::Open; }))
        mix(seed, static_cast<std::size_t>(m_view.nowNs / 100'000'000));
    return std::exchange(m_fingerprint, seed) != seed;
}

SeriesReply RunObserver::series(const SeriesRequest& request) {
    if (m_reader)
        return m_series.read(request, *m_reader, m_view, m_chain);
    SeriesReply reply;
    reply.request = request;
    reply.stepsVersion = m_view.stepsVersion;
    reply.error = m_view.problem;
    return reply;
}

std::vector<store::StackRow> RunObserver::stacks(std::int64_t incident) {
    if (!m_reader)
        return {};
    return m_reader->stacks(incident).value_or(std::vector<store::StackRow>());
}

std::vector<store::Note> RunObserver::notes(std::int64_t afterId, int limit) {
    if (!m_reader)
        return {};
    return m_reader->notes(afterId, limit).value_or(std::vector<store::Note>());
}

} // namespace rankscope::ui
