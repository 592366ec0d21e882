// SPDX-License-Identifier: Apache-2.0
// How fast a large log of a hung run is read, and in how much memory. The logs are made first: training with a progress
// bar that is rewritten on its line, plain lines of a logger, and lines that no word is looked for in; a watchdog's
// messages are at the end of each.
//
//   bench_hang_log [--megabytes 256] [--goal-mb-per-s 0] [--memory-goal-mb 0]
//
// Exit code 1 when a log is read more slowly than its goal, or with more memory; 0: no goal.
#include "core/explain/log/log_files.h"
#include "tests/bench/support.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <functional>

using namespace rankscope;

namespace {

void writeLog(const std::string& path, std::int64_t bytes, const std::function<std::string(std::int64_t)>& line) {
    std::ofstream out(path, std::ios::binary);
    std::int64_t done = 0;
    for (std::int64_t i = 0; done < bytes; ++i) {
        const std::string text = line(i);
        out << text;
        done += std::ssize(text);
    }
    for (const int rank : {0, 2, 3})
        out << fmt::format(
            "[rank{0}]:[E602 11:17:52.185053341 ProcessGroupNCCL.cpp:632] [Rank {0}] Watchdog caught "
            "collective operation timeout: WorkNCCL(SeqNum=4187, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
            "Timeout(ms)=600000) ran for 600034 milliseconds before timing out.\n",
            rank);
}

std::string barLine(std::int64_t i) {
    return fmt::format("\rEpoch {}:  {}%|████████████████          | {}/83556 [1:06:58<7:15:54,  1.40it/s, v_num=18, "
                       "train_loss=2.{}]",
                       i / 83556, i % 83556 * 100 / 83556, i % 83556, i % 977);
}

std::string loggerLine(std::int64_t i) {
    return fmt::format("[rank{}]: 2025-06-02 11:{:02}:{:02},185 train INFO step {} loss 2.{} lr 1e-3 grad_norm 0.{}\n",
                       i % 8, i / 60 % 60, i % 60, i, i % 977, i % 991);
}

std::string otherLine(std::int64_t i) {
    return fmt::format("node{} loader: shard {} of /data/set/audio_{}.tar opened, {} utterances, {} ms\n", i % 4, i, i,
                       i % 997, i % 31);
}

} // namespace

int main(int argc, char** argv) {
    bench::Arguments arguments{{"--megabytes", 256}, {"--goal-mb-per-s", 0}, {"--memory-goal-mb", 0}};
    if (!bench::parse(argc, argv, arguments, nullptr, 0) || arguments["--megabytes"] < 1)
        return 2;
    bench::Folder folder;
    bool fine = true;
    const std::pair<const char*, std::string (*)(std::int64_t)> kinds[] = {
        {"progress bars", barLine}, {"logger", loggerLine}, {"other lines", otherLine}};
    for (const auto& [name, line] : kinds) {
        const std::string path = folder.at("train.log");
        writeLog(path, arguments["--megabytes"] * 1'000'000, line);
        const auto begin = std::chrono::steady_clock::now();
        const auto logs = explain::readLogs({path});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (!logs || logs->evidence.timeouts.size() != 3)
            return 2;
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        const double speed = static_cast<double>(logs->evidence.files.front().bytes) / 1e6 / seconds;
        fmt::print("{:<14} {:6.0f} MB/s, {} MB resident at most\n", name, speed, usage.ru_maxrss / 1024);
        fine = fine && speed >= static_cast<double>(arguments["--goal-mb-per-s"]) &&
               (arguments["--memory-goal-mb"] == 0 || usage.ru_maxrss / 1024 <= arguments["--memory-goal-mb"]);
    }
    return fine ? 0 : 1;
}
