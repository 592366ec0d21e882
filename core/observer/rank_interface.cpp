// SPDX-License-Identifier: Apache-2.0
#include "core/observer/rank_interface.h"

#include "core/base/values/clock.h"
#include "core/observer/rank_observer.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>

using namespace rankscope;
using namespace rankscope::observer;
using telemetry::CollectiveOp;
using telemetry::Phase;

namespace {

enum class Stage { NotOpened, Opening, Open, Ended };

std::atomic<Stage> g_stage{Stage::NotOpened};
/// Null before rs_open(), after rs_close() and in a forked child. What it points to is never freed: other threads may
/// still use it, and in a child its memory and threads are the parent's.
std::atomic<RankObserver*> g_rank{nullptr};

RankObserver* openRank() {
    return g_rank.load(std::memory_order_acquire);
}

/// A forked child does not report for its parent's rank. It may become a rank only if its parent is none.
void leaveInChild() {
    g_rank.store(nullptr);
    if (g_stage.load() != Stage::NotOpened)
        g_stage.store(Stage::Ended);
}

/// The tags of one thread. Plain memory: the first use in a thread must not register a destructor.
struct TagStack {
    static constexpr int kDepth = 8;
    int depth = 0; ///< may exceed kDepth; the tags beyond are not kept
    std::array<std::array<char, telemetry::kTagBytes>, kDepth> texts;
};
thread_local TagStack t_tags;

std::string_view orEmpty(const char* text) {
    return text ? std::string_view(text) : std::string_view();
}

const char* currentTag() {
    return t_tags.depth > 0
               ? t_tags.texts[static_cast<std::size_t>(std::min(t_tags.depth, TagStack::kDepth) - 1)].data()
               : nullptr;
}

template <class E> E inRange(int value, E last, E otherwise) {
    return value >= 0 && value <= static_cast<int>(last) ? static_cast<E>(value) : otherwise;
}

/// A copy in which values that mean "not known" are equal for all fields.
std::int64_t knownOr(std::int64_t value) {
    return std::max<std::int64_t>(value, -1);
}

/// The arguments of the last rs_at_exit().
struct {
    int cause = 0;
    std::array<char, sizeof telemetry::EndRecord::text> text{};
} g_exit;

void reportExit(int status, void*) {
    const int code = status & 0xff;
    if (code == 0)
        rs_close(g_exit.cause, 0, nullptr);
    else
        rs_close(static_cast<int>(telemetry::EndCause::Failed), code, g_exit.text.data());
}

void say(char* error, std::size_t size, std::string_view text) {
    if (error && size > 0)
        telemetry::putText(error, size, text);
}

RankIdentity identityOf(const rs_identity& given) {
    return {given.rank,
            given.world_size,
            given.local_rank,
            std::max<std::int64_t>(given.total_steps, 0),
            std::max<std::int64_t>(given.steps_per_epoch, 0),
            std::string(orEmpty(given.device))};
}

int openFirst(const char* folder, const RankIdentity& identity, char* error, std::size_t size) {
    static const int registered = ::pthread_atfork(nullptr, nullptr, leaveInChild);
    if (registered != 0) {
        say(error, size, "no handler for fork could be registered");
        return -1;
    }
    auto made = RankObserver::open(folder, identity);
    if (!made) {
        say(error, size, made.error().message());
        return -1;
    }
    g_rank.store(made->release(), std::memory_order_release);
    return 0;
}

int openOrChange(const char* folder, const RankIdentity& identity, char* error, std::size_t size) {
    Stage stage = Stage::NotOpened;
    if (g_stage.compare_exchange_strong(stage, Stage::Opening)) {
        int result = -1;
        try {
            result = openFirst(folder, identity, error, size);
        } catch (const std::exception& e) {
            say(error, size, e.what());
        }
        g_stage.store(result == 0 ? Stage::Open : Stage::NotOpened);
        return result;
    }
    RankObserver* rank = openRank();
    if (stage != Stage::Open || !rank) {
        say(error, size, stage == Stage::Opening ? "another thread is opening the rank" : "the rank has ended");
        return -1;
    }
    if (auto changed = rank->identify(identity); !changed) {
        say(error, size, changed.error().message());
        return -1;
    }
    return 0;
}

} // namespace

int rs_interface_version(void) {
    return RS_INTERFACE_VERSION;
}

int rs_open(const char* folder, const rs_identity* identity, char* error, size_t errorSize) {
    say(error, errorSize, "");
    try {
        if (folder && identity)
            return openOrChange(folder, identityOf(*identity), error, errorSize);
        say(error, errorSize, "the folder or the identity is missing");
    } catch (const std::exception& e) {
        say(error, errorSize, e.what());
    }
    return -1;
}

void rs_close(int cause, int exitCode, const char* text) {
    Stage stage = Stage::Open;
    if (!g_stage.compare_exchange_strong(stage, Stage::Ended))
        return;
    if (RankObserver* rank = g_rank.exchange(nullptr))
        rank->end(inRange(cause, telemetry::EndCause::Failed, telemetry::EndCause::Failed), exitCode, orEmpty(text));
}

void rs_at_exit(int cause, const char* text) {
    static const int registered = ::on_exit(reportExit, nullptr);
    if (registered == 0) {
        g_exit.cause = cause;
        telemetry::putText(g_exit.text.data(), g_exit.text.size(), orEmpty(text));
    }
}

int rs_is_open(void) {
    return openRank() != nullptr;
}

int64_t rs_now(void) {
    return monotonicNs();
}

void rs_stage(int stage) {
    if (RankObserver* rank = openRank())
        rank->telemetry().board().stage(inRange(stage, telemetry::RankStage::Stopped, telemetry::RankStage::Running));
}

void rs_software(const char* name, const char* version) {
    RankObserver* rank = openRank();
    if (!rank)
        return;
    telemetry::SoftwareRecord record;
    telemetry::putText(record.name, sizeof record.name, orEmpty(name));
    telemetry::putText(record.version, sizeof record.version, orEmpty(version));
    rank->telemetry().append(record);
}

void rs_note(int severity, const char* text) {
    RankObserver* rank = openRank();
    if (!rank)
        return;
    telemetry::NoteRecord record;
    record.header.step = rank->telemetry().step();
    record.severity = inRange(severity, telemetry::NoteSeverity::Error, telemetry::NoteSeverity::Info);
    telemetry::putText(record.text, sizeof record.text, orEmpty(text));
    rank->telemetry().append(record);
}

void rs_scalar(const char* name, double value) {
    RankObserver* rank = openRank();
    if (!rank)
        return;
    telemetry::ScalarRecord record;
    record.header.step = rank->telemetry().step();
    record.value = value;
    telemetry::putText(record.name, sizeof record.name, orEmpty(name));
    rank->telemetry().append(record);
}

void rs_reading(const char* what) {
    if (RankObserver* rank = openRank())
        rank->telemetry().board().reading(orEmpty(what), monotonicNs());
}

void rs_queue(int ready, int capacity) {
    if (RankObserver* rank = openRank())
        rank->telemetry().board().queue(std::max(ready, 0), std::max(capacity, 0));
}

int64_t rs_phase(int phase) {
    if (RankObserver* rank = openRank())
        return rank->telemetry().phase(inRange(phase, Phase::Barrier, Phase::None));
    return monotonicNs();
}

int rs_current_phase(void) {
    RankObserver* rank = openRank();
    return rank ? static_cast<int>(rank->telemetry().phase()) : 0;
}

void rs_step_begin(int64_t step, int epoch) {
    if (RankObserver* rank = openRank())
        rank->telemetry().beginStep(step, epoch);
}

void rs_batch(const rs_batch_facts* batch) {
    RankObserver* rank = openRank();
    if (!rank || !batch)
        return;
    telemetry::BatchRecord record;
    record.size = std::max(batch->size, -1);
    record.samplesMin = knownOr(batch->samples_min);
    record.samplesMax = knownOr(batch->samples_max);
    record.samplesSum = knownOr(batch->samples_sum);
    record.framesMin = knownOr(batch->frames_min);
    record.framesMax = knownOr(batch->frames_max);
    record.framesSum = knownOr(batch->frames_sum);
    record.paddedFrames = knownOr(batch->padded_frames);
    const bool padding = record.framesSum >= 0 && record.paddedFrames > 0;
    record.paddingShare = padding ? 1 - static_cast<double>(record.framesSum) / static_cast<double>(record.paddedFrames)
                                  : std::numeric_limits<double>::quiet_NaN();
    record.indexHash = batch->index_hash;
    record.loadNs = knownOr(batch->load_ns);
    record.waitNs = knownOr(batch->wait_ns);
    record.queueDepth = std::max(batch->ready, 0);
    rank->batch(record);
}

void rs_step_end(const rs_step_facts* step) {
    RankObserver* rank = openRank();
    if (!rank || !step)
        return;
    telemetry::StepRecord record;
    record.header.step = step->step;
    record.epoch = step->epoch;
    record.flags = step->flags;
    record.loss = step->loss;
    record.learningRate = step->learning_rate;
    record.gradientNorm = step->gradient_norm;
    record.beginNs = step->begin_ns;
    record.endNs = step->end_ns;
    record.maskedFrames = -1;
    record.exposedGradientNs = std::max<std::int64_t>(step->exposed_gradient_ns, 0);
    rank->stepEnd(record);
}

void rs_validation(const rs_validation_facts* validation) {
    RankObserver* rank = openRank();
    if (!rank || !validation)
        return;
    telemetry::ValidationRecord record;
    record.header.step = validation->step;
    record.epoch = validation->epoch;
    record.loss = validation->loss;
    record.localLoss = validation->local_loss;
    record.batches = validation->batches;
    record.unmasked = record.maskedFrames = -1;
    record.beginNs = validation->begin_ns;
    record.endNs = validation->end_ns;
    rank->telemetry().append(record);
}

int64_t rs_stop_at_step(void) {
    try {
        if (RankObserver* rank = openRank())
            return rank->stopAtStep();
    } catch (const std::exception&) { // no memory for a path
    }
    return std::numeric_limits<std::int64_t>::max();
}

uint32_t rs_group(const char* name, const char* backend, const int32_t* ranks, int count) {
    RankObserver* rank = openRank();
    if (!rank || !ranks || count <= 0)
        return 0;
    try {
        return rank->group(orEmpty(name), orEmpty(backend), {ranks, ranks + count});
    } catch (const std::exception&) { // no memory: its collectives are counted as lost
        return std::numeric_limits<std::uint32_t>::max();
    }
}

uint64_t rs_enter(uint32_t group, int op, int dtype, int64_t elements, const char* tag, int blocking) {
    RankObserver* rank = openRank();
    if (!rank)
        return 0;
    CollectiveCall call;
    call.op = inRange(op, CollectiveOp::Other, CollectiveOp::Other);
    call.dtype = static_cast<std::uint8_t>(dtype);
    call.count = elements;
    call.tag = orEmpty(tag ? tag : currentTag());
    call.blocking = blocking != 0;
    return rank->enter(group, call);
}

void rs_handed(uint64_t handle) {
    RankObserver* rank = openRank();
    if (!rank)
        return;
    if (auto* open = rank->telemetry().openCollectives().waitingFor(OpenCollectives::HandOver, handle))
        open->log->started(handle);
}

void rs_done(uint64_t handle, int failed) {
    RankObserver* rank = openRank();
    if (!rank)
        return;
    if (auto* open = rank->telemetry().openCollectives().waitingFor(OpenCollectives::End, handle)) {
        CollectiveLog* log = open->log;
        log->done(handle, failed != 0);
        if (failed) // the backend may have refused it
            log->started(handle);
    }
}

void rs_tag(const char* tag) {
    if (t_tags.depth < TagStack::kDepth)
        telemetry::putText(t_tags.texts[static_cast<std::size_t>(t_tags.depth)].data(), telemetry::kTagBytes,
                           orEmpty(tag));
    ++t_tags.depth;
}

void rs_untag(void) {
    if (t_tags.depth > 0)
        --t_tags.depth;
}

const char* rs_current_tag(void) {
    return currentTag();
}

void rs_backward_begin(void) {
    if (RankObserver* rank = openRank())
        rank->beginBackward();
}

int64_t rs_backward_end(void) {
    RankObserver* rank = openRank();
    return rank ? rank->endBackward() : 0;
}

int64_t rs_next_step(const rs_step_facts* ended, int64_t step, int epoch, int phase) {
    if (ended) {
        rs_step_facts facts = *ended;
        if (facts.end_ns == 0)
            facts.end_ns = rs_now();
        rs_step_end(&facts);
    }
    rs_step_begin(step, epoch);
    return phase < 0 ? rs_now() : rs_phase(phase);
}

int64_t rs_use_batch(const rs_batch_facts* batch, int phase) {
    rs_batch(batch);
    return phase < 0 ? rs_now() : rs_phase(phase);
}

void rs_enter_backward(int phase) {
    if (phase >= 0)
        rs_phase(phase);
    rs_backward_begin();
}

int64_t rs_leave_backward(int phase) {
    const int64_t exposed = rs_backward_end();
    if (phase >= 0)
        rs_phase(phase);
    return exposed;
}

uint64_t rs_dropped(void) {
    RankObserver* rank = openRank();
    return rank ? rank->telemetry().dropped() : 0;
}

int rs_check(char* error, size_t errorSize) {
    say(error, errorSize, "");
    try {
        RankObserver* rank = openRank();
        const Result<void> written = rank ? rank->check() : Result<void>();
        if (written)
            return 0;
        say(error, errorSize, written.error().message());
    } catch (const std::exception& e) {
        say(error, errorSize, e.what());
    }
    return -1;
}
