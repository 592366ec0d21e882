// SPDX-License-Identifier: Apache-2.0
#include "core/observer/rank_observer.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace rankscope::observer {

namespace fs = std::filesystem;

using telemetry::CollectiveOp;

namespace {

constexpr std::int64_t kControlRetryNs = 1'000'000'000;
constexpr std::int32_t kRanksOfRecord = 8 * static_cast<std::int32_t>(sizeof(telemetry::GroupRecord::members));

/// Creates a folder that only its owner can enter. One that exists must be this user's and no link.
Result<void> makeOwnFolder(const fs::path& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return tl::unexpected(systemError("create", path.string(), errno));
    struct stat st {};
    if (::lstat(path.c_str(), &st) != 0)
        return tl::unexpected(systemError("open", path.string(), errno));
    if (!S_ISDIR(st.st_mode))
        return fail(Errc::Malformed, "is not a folder", path.string());
    if (st.st_uid != ::geteuid())
        return fail(Errc::Permission, "belongs to another user", path.string());
    return {};
}

/// Two processes that write as the same rank would overwrite each other's board.
Result<void> checkFree(const fs::path& rankFolder) {
    const auto board = telemetry::BoardReader::open(rankFolder / "board");
    if (!board)
        return {}; // none, or damaged: it is replaced
    const telemetry::BoardSnapshot last = board->snapshot();
    if (last.pid != ::getpid() && isOwnProcNamespace() && isSameProcess(last.pid, last.startTicks))
        return fail(Errc::Busy, {"process {} already reports this rank", last.pid}, rankFolder.string());
    return {};
}

/// FNV-1a.
void mix(std::uint64_t& hash, const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
}

/// Returns a number above 1 without kPointToPointGroup: 0 is the run's group, 1 that of our trainer's length sync.
std::uint32_t groupNumber(std::string_view name, const std::vector<std::int32_t>& ranks) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    mix(hash, name.data(), name.size());
    mix(hash, ranks.data(), ranks.size() * sizeof(std::int32_t));
    const auto folded = static_cast<std::uint32_t>(hash ^ (hash >> 32)) & ~kPointToPointGroup;
    return folded > 1 ? folded : folded + 2;
}

/// DDP's exchange of which parameters were used is an all-reduce of integers.
bool isFloating(std::uint8_t dtype) {
    return (dtype >= 5 && dtype <= 10) || dtype == 15 || (dtype >= 23 && dtype <= 26);
}

bool hasAll(const std::vector<std::int32_t>& ranks, int worldSize) {
    return static_cast<int>(ranks.size()) == worldSize && ranks.front() == 0 && ranks.back() == worldSize - 1;
}

} // namespace

Result<std::unique_ptr<RankObserver>> RankObserver::open(const fs::path& runFolder, const RankIdentity& identity) {
    if (identity.rank < 0 || identity.worldSize <= identity.rank || identity.worldSize > telemetry::kMaxRanks)
        return fail(Errc::BadInput, {"rank {} of {} is not valid", identity.rank, identity.worldSize},
                    runFolder.string());
    const fs::path ranks = runFolder / "ranks", folder = ranks / std::to_string(identity.rank);
    RS_TRY(makeOwnFolder(ranks));
    RS_TRY(makeOwnFolder(folder));
    RS_TRY(checkFree(folder));
    RS_TRY_ASSIGN(auto journal, telemetry::JournalWriter::create(folder));
    RS_TRY_ASSIGN(auto board, telemetry::BoardWriter::create(folder / "board"));
    std::unique_ptr<RankObserver> rank(
        new RankObserver(runFolder, identity, RankTelemetry(std::move(board), std::move(journal))));
    rank->m_telemetry->board().identify(identity.rank, identity.worldSize, 0, identity.device, identity.totalSteps,
                                        identity.stepsPerEpoch);
    rank->appendAnchor();
    rank->m_sampler = std::make_unique<ResourceSampler>(rank->m_telemetry);
    return rank;
}

RankObserver::RankObserver(fs::path runFolder, const RankIdentity& identity, RankTelemetry telemetry)
    : m_runFolder(std::move(runFolder)), m_openedNs(monotonicNs()), m_openedRealtimeNs(realtimeNs()),
      m_identity(identity), m_telemetry(std::make_shared<RankTelemetry>(std::move(telemetry))),
      m_exposure(*m_telemetry) {
    addLog(0);
}

Result<void> RankObserver::identify(const RankIdentity& identity) {
    if (identity.rank != m_identity.rank)
        return fail(Errc::BadInput, {"this process already reports as rank {}", m_identity.rank},
                    fmt::format("rank {}", identity.rank));
    const bool moved = identity.worldSize != m_identity.worldSize || identity.localRank != m_identity.localRank ||
                       identity.device != m_identity.device;
    m_identity = identity;
    m_telemetry->board().identify(identity.rank, identity.worldSize, 0, identity.device, identity.totalSteps,
                                  identity.stepsPerEpoch);
    if (moved)
        appendAnchor();
    return {};
}

/// A later anchor has the times of the first one: it describes the same process.
void RankObserver::appendAnchor() {
    telemetry::AnchorRecord record;
    record.monotonicNs = m_openedNs;
    record.realtimeNs = m_openedRealtimeNs;
    record.rank = m_identity.rank;
    record.worldSize = m_identity.worldSize;
    record.localRank = m_identity.localRank;
    record.pid = ::getpid();
    ::gethostname(record.host, sizeof record.host - 1);
    telemetry::putText(record.device, sizeof record.device, m_identity.device);
    m_telemetry->append(record);
}

void RankObserver::end(telemetry::EndCause cause, int exitCode, std::string_view text) {
    m_sampler.reset();
    m_inBackward = false;
    m_exposure.entered(0); // the last bucket's record
    telemetry::EndRecord record;
    record.header.step = m_telemetry->step();
    record.cause = cause;
    record.exitCode = exitCode;
    record.droppedRecords = m_telemetry->dropped();
    telemetry::putText(record.text, sizeof record.text, text);
    m_telemetry->append(record);
    m_telemetry->board().dropped(m_telemetry->dropped());
    m_telemetry->board().stage(cause == telemetry::EndCause::Finished  ? telemetry::RankStage::Finished
                               : cause == telemetry::EndCause::Stopped ? telemetry::RankStage::Stopped
                                                                       : telemetry::RankStage::Failed);
    m_telemetry->journal().finish();
}

Result<void> RankObserver::check() const {
    struct stat st {};
    if (::lstat((folder() / "board").c_str(), &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return fail(Errc::NotFound, "was removed or renamed while the program ran", folder().string());
    return m_telemetry->journal().check();
}

std::uint32_t RankObserver::group(std::string_view name, std::string_view backend, std::vector<std::int32_t> ranks) {
    std::sort(ranks.begin(), ranks.end());
    const std::lock_guard lock(m_groupsMutex);
    if (!m_world && !ranks.empty() && hasAll(ranks, m_identity.worldSize))
        m_world.emplace(name, ranks);
    if (m_world && m_world->first == name && m_world->second == ranks)
        return 0;
    const std::uint32_t number = groupNumber(name, ranks);
    if (m_recorded.insert(number).second) {
        appendGroup(number, name, backend, ranks);
        addLog(number);
    }
    return number;
}

void RankObserver::appendGroup(std::uint32_t number, std::string_view name, std::string_view backend,
                               const std::vector<std::int32_t>& ranks) {
    for (auto next = ranks.begin(); next != ranks.end();) {
        telemetry::GroupRecord record;
        record.group = number;
        record.size = static_cast<std::int32_t>(ranks.size());
        record.firstRank = *next;
        telemetry::putText(record.name, sizeof record.name, name);
        telemetry::putText(record.backend, sizeof record.backend, backend);
        for (; next != ranks.end() && *next - record.firstRank < kRanksOfRecord; ++next) {
            const auto bit = static_cast<std::size_t>(*next - record.firstRank);
            record.members[bit / 8] |= static_cast<std::uint8_t>(1u << bit % 8);
        }
        m_telemetry->append(record);
    }
}

void RankObserver::addLog(std::uint32_t number) {
    for (const std::uint32_t each : {number, number | kPointToPointGroup}) {
        const std::size_t at = m_groupCount.load(std::memory_order_relaxed);
        if (at == kGroups)
            return;
        m_groups[at].number = each;
        m_groups[at].log = std::make_unique<CollectiveLog>(each, m_telemetry);
        m_groupCount.store(at + 1, std::memory_order_release);
    }
}

CollectiveLog* RankObserver::logOf(std::uint32_t number) const {
    const std::size_t count = m_groupCount.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
        if (m_groups[i].number.load(std::memory_order_relaxed) == number)
            return m_groups[i].log.get();
    return nullptr;
}

CollectiveHandle RankObserver::enter(std::uint32_t group, CollectiveCall call) {
    const bool peer = call.op == CollectiveOp::Send || call.op == CollectiveOp::Recv;
    CollectiveLog* log = logOf(peer ? group | kPointToPointGroup : group);
    if (!log) {
        m_telemetry->countLost();
        return 0;
    }
    constexpr std::string_view kGradient = "gradient:";
    std::array<char, kGradient.size() + 12> tag; // a 32-bit number has at most 10 digits
    const bool reduces = call.op == CollectiveOp::AllReduce || call.op == CollectiveOp::ReduceScatter;
    if (call.tag.empty() && reduces && isFloating(call.dtype) && m_inBackward.load(std::memory_order_relaxed)) {
        const fmt::format_int digits(m_bucket.fetch_add(1, std::memory_order_relaxed));
        auto end = std::copy(kGradient.begin(), kGradient.end(), tag.begin());
        end = std::copy_n(digits.data(), digits.size(), end);
        call.tag = {tag.data(), static_cast<std::size_t>(end - tag.begin())};
        call.measuresExposure = !call.blocking;
    }
    const CollectiveHandle handle = log->enter(call);
    if (call.measuresExposure && handle != 0)
        m_exposure.entered(handle);
    return handle;
}

void RankObserver::beginBackward() {
    m_bucket.store(0, std::memory_order_relaxed);
    m_inBackward.store(true, std::memory_order_relaxed);
}

std::int64_t RankObserver::endBackward() {
    m_inBackward.store(false, std::memory_order_relaxed);
    return m_exposure.finish();
}

void RankObserver::batch(telemetry::BatchRecord record) {
    record.header.step = m_telemetry->step();
    m_telemetry->board().batch(record.size, record.samplesMax, record.framesMax);
    if (record.header.step >= 0)
        m_samples[static_cast<std::size_t>(record.header.step) % m_samples.size()] = {record.header.step,
                                                                                      record.samplesSum};
    m_telemetry->append(record);
}

void RankObserver::stepEnd(telemetry::StepRecord record) {
    const std::int64_t lasted = record.endNs - record.beginNs;
    record.samplesPerSecond = std::numeric_limits<double>::quiet_NaN();
    if (record.header.step >= 0) {
        const StepSamples& of = m_samples[static_cast<std::size_t>(record.header.step) % m_samples.size()];
        if (of.step == record.header.step && of.samples >= 0 && lasted > 0)
            record.samplesPerSecond = static_cast<double>(of.samples) * 1e9 / static_cast<double>(lasted);
    }
    m_telemetry->append(record);
}

std::int64_t RankObserver::stopAtStep() {
    if (!m_control) {
        const std::int64_t now = monotonicNs();
        if (m_controlTriedNs != 0 && now - m_controlTriedNs < kControlRetryNs)
            return std::numeric_limits<std::int64_t>::max();
        m_controlTriedNs = now;
        auto page = telemetry::ControlPage::open(m_runFolder / "control");
        if (!page)
            return std::numeric_limits<std::int64_t>::max();
        m_control = std::move(*page);
    }
    return m_control->stopAtStep();
}

} // namespace rankscope::observer
