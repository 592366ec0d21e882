// SPDX-License-Identifier: Apache-2.0
// Measures what librankscope_rank.so costs a program for each thing that it reports.
//
//   bench_observer [--calls 1500] [--rounds 20] [--goal-ns 700]
//
// --calls: per round, of which the fastest counts; a segment of the journal has room for 4,096 records. --goal-ns: the
// most that a collective may take, from rs_enter() to rs_done(); 0: any time.
#include "core/base/values/clock.h"
#include "core/observer/rank_interface.h"
#include "tests/bench/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <thread>

using namespace rankscope;
using bench::Arguments;
using bench::Folder;

namespace {

/// Returns the ns of one call in the fastest round in which no record was dropped, since dropping is cheaper.
double fastestNs(const Arguments& a, const std::function<void()>& call) {
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t round = 0; round < a.at("--rounds"); ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(40)); // the next segment is made ready
        const std::uint64_t dropped = rs_dropped();
        const std::int64_t begin = monotonicNs();
        for (std::int64_t i = 0; i < a.at("--calls"); ++i)
            call();
        const std::int64_t lasted = monotonicNs() - begin;
        best = rs_dropped() == dropped ? std::min(best, lasted) : best;
    }
    return static_cast<double>(best) / static_cast<double>(std::max<std::int64_t>(a.at("--calls"), 1));
}

void collective(const char* tag, int blocking) {
    const std::uint64_t handle = rs_enter(0, 0, 6, 1 << 20, tag, blocking);
    rs_handed(handle);
    rs_done(handle, 0);
}

void step(std::int64_t& number) {
    rs_step_begin(number, 0);
    const rs_batch_facts batch{8, 2, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7};
    rs_batch(&batch);
    const rs_step_facts facts{number++, 0, 0, 1.5, 1e-3, 2.5, 0, 1000, 0};
    rs_step_end(&facts);
}

} // namespace

int main(int argc, char** argv) {
    Arguments a{{"--calls", 1500}, {"--rounds", 20}, {"--goal-ns", 700}};
    if (!bench::parse(argc, argv, a, nullptr, 0)) {
        fmt::print(stderr, "usage: bench_observer [--calls N] [--rounds N] [--goal-ns N]\n");
        return 2;
    }
    const Folder folder;
    const rs_identity identity{0, 2, 0, 0, 0, "cpu"};
    std::array<char, 300> error{};
    if (rs_open(folder.path.c_str(), &identity, error.data(), error.size()) != 0) {
        fmt::print(stderr, "bench_observer: {}\n", error.data());
        return 1;
    }
    const double plain = fastestNs(a, [] { collective("train.py:88", 0); });
    const double blocking = fastestNs(a, [] { collective("barrier:epoch", 1); });
    rs_backward_begin();
    const double bucket = fastestNs(a, [] { collective(nullptr, 0); });
    rs_backward_end();
    int phase = 0;
    std::int64_t number = 0;
    const double change = fastestNs(a, [&] { rs_phase(1 + ++phase % 8); });
    const double wholeStep = fastestNs(a, [&] { step(number); });
    const double stop = fastestNs(a, [] { rs_stop_at_step(); });
    fmt::print("collective       {:6.0f} ns\n"
               "  blocking       {:6.0f} ns\n"
               "  gradient       {:6.0f} ns\n"
               "phase            {:6.0f} ns\n"
               "step and batch   {:6.0f} ns\n"
               "stop requested   {:6.0f} ns\n"
               "dropped          {:6}\n",
               plain, blocking, bucket, change, wholeStep, stop, rs_dropped());
    rs_close(0, 0, "done");
    const double worst = std::max({plain, blocking, bucket});
    const bool fine = a["--goal-ns"] == 0 || worst < static_cast<double>(a["--goal-ns"]);
    if (!fine)
        fmt::print("A collective takes {:.0f} ns, more than {}.\n", worst, a["--goal-ns"]);
    return fine ? 0 : 1;
}
