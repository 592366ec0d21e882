// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/waits/waits_loader.h"

#include "core/base/values/result.h"
#include "core/store/read/run_reader.h"
#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

static Result<store::WaitReport> explain(const WaitsRequest& request, const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(request.store));
    store::StepInterval steps{request.from, request.to};
    if (request.byTime) {
        RS_TRY_ASSIGN(steps, reader.stepsBetween(request.from, request.to));
    }
    return reader.explainWaits(steps, cancelled);
}

WaitsReplyPtr explainWaits(const WaitsRequest& request, const std::function<bool()>& cancelled) {
    auto reply = std::make_shared<WaitsReply>();
    reply->request = request;
    if (auto report = explain(request, cancelled))
        reply->report = std::move(*report);
    else
        reply->error = toQString(report.error().message());
    return reply;
}

} // namespace rankscope::ui
