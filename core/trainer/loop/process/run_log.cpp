// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/process/run_log.h"

#include "core/base/text/terminal_safe.h"
#include "core/base/values/clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

namespace rankscope::trainer {
namespace {

void write(std::FILE* stream, int rank, std::string_view level, std::string_view text) {
    const std::int64_t ms = realtimeNs() / 1'000'000;
    const auto seconds = static_cast<std::time_t>(ms / 1000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    const std::string line =
        fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} {} rank {}: {}\n", local, ms % 1000, level, rank, printable(text));
    std::fwrite(line.data(), 1, line.size(), stream);
    std::fflush(stream);
}

} // namespace

void RunLog::info(std::string_view text) const {
    write(stdout, m_rank, "info", text);
}

void RunLog::note(telemetry::NoteSeverity severity, std::string_view text) const {
    m_telemetry->journal().note(severity, text, m_telemetry->step());
    write(stderr, m_rank, severity == telemetry::NoteSeverity::Error ? "error" : "warning", text);
}

} // namespace rankscope::trainer
