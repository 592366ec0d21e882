// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/run_info_file.h"

#include "core/base/values/result.h"

namespace rankscope::launch {

static constexpr std::size_t kVerdictBytes = 32 << 10; ///< for a cause, which may quote a log

Result<void> RunInfoFile::begin(const RunInfo& info) {
    RS_TRY_ASSIGN(auto reserve, RunInfoReserve::make(m_run, runInfoText(info).size() + kVerdictBytes));
    m_reserve.emplace(std::move(reserve));
    return writeRunInfo(m_run, info);
}

Result<void> RunInfoFile::write(const RunInfo& info) {
    auto written = isLive(info.state) || !m_reserve ? writeRunInfo(m_run, info) : writeEnd(info);
    m_stale = !written;
    return written;
}

Result<void> RunInfoFile::writeEnd(const RunInfo& info) {
    const auto written = m_reserve->write(m_run, runInfoText(info));
    m_reserve.reset(); // frees the space before the file is written in the usual way
    return written ? written : writeRunInfo(m_run, info);
}

} // namespace rankscope::launch
