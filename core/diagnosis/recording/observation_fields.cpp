// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/recording/observation_fields.h"

#include <cmath>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

/// Visits every number of a board in the order of the format: `visit(field)`.
template <class Board, class Visit> void eachNumber(Board& b, Visit&& visit) {
    auto& first = b.collectives[0];
    visit(b.updatedNs);
    visit(b.phase);
    visit(b.phaseSinceNs);
    visit(b.step);
    visit(first.sequence);
    visit(first.enteredNs);
    visit(first.left);
    visit(first.leftNs);
    visit(first.handedOver);
    visit(first.op);
    visit(first.count);
    visit(first.dtype);
    visit(b.place);
    visit(b.layer);
    visit(b.batchSize);
    visit(b.longestFrames);
    visit(b.longestSamples);
    visit(b.queueDepth);
    visit(b.readingSinceNs);
    visit(first.used);
    visit(first.group);
    for (std::size_t g = 1; g < b.collectives.size(); ++g) {
        auto& c = b.collectives[g];
        visit(c.used);
        visit(c.group);
        visit(c.sequence);
        visit(c.op);
        visit(c.dtype);
        visit(c.count);
        visit(c.enteredNs);
        visit(c.left);
        visit(c.leftNs);
        visit(c.handedOver);
    }
    visit(b.rank);
    visit(b.worldSize);
    visit(b.pid);
    visit(b.startTicks);
    visit(b.configHash);
    visit(b.stage);
    visit(b.epoch);
    visit(b.totalSteps);
    visit(b.queueCapacity);
    visit(b.droppedRecords);
}

template <class Board, class Visit> void eachText(Board& b, Visit&& visit) {
    for (auto& c : b.collectives)
        visit(c.tag);
    visit(b.reading);
    visit(b.device);
}

template <class T> void assign(T& to, std::int64_t value) {
    if constexpr (std::is_same_v<T, bool>)
        to = value != 0;
    else if constexpr (std::is_enum_v<T>)
        to = value >= 0 && value < static_cast<std::int64_t>(T::Count) ? static_cast<T>(value) : T{};
    else
        to = static_cast<T>(value);
}

} // namespace

FlatBoard flatten(const BoardSnapshot& board) {
    FlatBoard flat;
    std::size_t at = 0;
    eachNumber(board, [&](const auto& field) { flat.numbers[at++] = static_cast<std::int64_t>(field); });
    at = 0;
    eachText(board, [&](const std::string& field) { flat.texts[at++] = field; });
    return flat;
}

BoardSnapshot unflatten(const FlatBoard& flat) {
    BoardSnapshot board;
    std::size_t at = 0;
    eachNumber(board, [&](auto& field) { assign(field, flat.numbers[at++]); });
    at = 0;
    eachText(board, [&](std::string& field) { field = flat.texts[at++]; });
    return board;
}

/// One byte; the length sync stood there alone once, as 0 or 1.
static constexpr std::uint64_t kLengthSyncOn = 1, kDropLastKnown = 2, kDropLastOn = 4;

void saveSettings(WireWriter& out, const Settings& s) {
    for (const double v : {s.stallMinSeconds, s.stallFactor, s.stragglerShare, s.joinSeconds})
        out.real(v);
    for (const int v : {s.stragglerWindowSteps, s.numWorkers, s.prefetchFactor, s.sampleRate})
        out.integer(v);
    out.number((s.lengthSync ? kLengthSyncOn : 0) | (s.dropLast ? kDropLastKnown : 0) |
               (s.dropLast.value_or(false) ? kDropLastOn : 0));
    out.number(s.configHash);
}

Settings loadSettings(WireReader& in) {
    Settings s;
    for (double* v : {&s.stallMinSeconds, &s.stallFactor, &s.stragglerShare, &s.joinSeconds})
        if (*v = in.real(); !std::isfinite(*v))
            in.fail();
    for (int* v : {&s.stragglerWindowSteps, &s.numWorkers, &s.prefetchFactor, &s.sampleRate})
        *v = static_cast<int>(in.integer());
    const std::uint64_t switches = in.number();
    s.lengthSync = (switches & kLengthSyncOn) != 0;
    if ((switches & kDropLastKnown) != 0)
        s.dropLast = (switches & kDropLastOn) != 0;
    s.configHash = in.number();
    if (s.stragglerWindowSteps < 0 || s.stragglerWindowSteps > 100'000)
        in.fail();
    return s;
}

} // namespace rankscope::diagnosis
