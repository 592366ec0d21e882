// SPDX-License-Identifier: GPL-3.0-or-later
// Explains the waits of a part of a run, with a reader of its own.
#pragma once

#include "core/store/waits/wait_report.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <memory>

namespace rankscope::ui {

struct WaitsRequest {
    std::filesystem::path store;
    bool byTime = false;
    std::int64_t from = 0, to = 0; ///< steps, or ns since the run's start
    friend bool operator==(const WaitsRequest&, const WaitsRequest&) = default;
};
struct WaitsReply {
    WaitsRequest request;
    store::WaitReport report;
    QString error;
};
using WaitsReplyPtr = std::shared_ptr<const WaitsReply>;

/// Blocks: a long run takes seconds. Ends soon after `cancelled` says true.
WaitsReplyPtr explainWaits(const WaitsRequest& request, const std::function<bool()>& cancelled);

} // namespace rankscope::ui
