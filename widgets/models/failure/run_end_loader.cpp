// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/run_end_loader.h"

#include "core/base/files/guarded_folder.h"
#include "core/launch/host/host_facts.h"
#include "core/store/read/run_reader.h"
#include "widgets/models/text/text_format.h"

#include <QRegularExpression>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace rankscope::ui {

namespace {

constexpr int kLogLines = 12, kCommandLines = 400, kMostRanks = 64;
constexpr std::int64_t kSampleNs = 12'000'000'000; ///< older figures say nothing about the end
constexpr std::int64_t kStartNs = 1'000'000'000;   ///< figures from the first second say nothing either

void readMemory(store::RunReader& reader, const EndingRequest& request, EndingFacts& facts) {
    for (int rank = 0; rank < std::min(request.ranks, kMostRanks); ++rank) {
        const auto rows = reader.facts(rank, std::max(kStartNs, request.endNs - kSampleNs), request.endNs, 100);
        if (!rows || rows->empty())
            continue;
        const auto& last = rows->back();
        facts.memory.push_back({rank, last.view.rssBytes});
        if (last.timeNs > facts.memoryNs) {
            facts.memoryNs = last.timeNs;
            facts.usedBytes = last.view.memoryUsedBytes;
            facts.limitBytes = last.view.memoryLimitBytes;
        }
    }
}

/// Reads the store. Problems with the store are left out here, because the session reports them.
void readStore(const EndingRequest& request, EndingFacts& facts) {
    std::error_code ec;
    if (!std::filesystem::exists(request.run.store(), ec))
        return;
    auto reader = store::RunReader::open(request.run.store());
    if (!reader)
        return;
    facts.failed = store::failedCheckpoints(reader->source()).value_or(store::FailedCheckpoints());
    if (request.endNs > 0)
        readMemory(*reader, request, facts);
}

/// Reads the model class from effective.yaml, which Rankscope writes with two spaces per level.
QString modelClassOf(const launch::RunPaths& run) {
    static const QRegularExpression target(QStringLiteral("^model:\\n(?:[ #].*\\n|\\n)*?  target: ['\"]?([\\w.]+)"),
                                           QRegularExpression::MultilineOption);
    const auto text = readRunFile(run.effective());
    const QString named = text ? target.match(toQString(*text)).captured(1) : QString();
    return named.startsWith(QLatin1String("nemo."))
               ? named
               : QStringLiteral("nemo.collections.asr.models.EncDecDenoiseMaskedTokenPredModel");
}

/// Returns the last lines of a rank. In the log of a command, torch marks what a rank writes when it fails; without
/// such lines, the last ones of all ranks are returned.
std::vector<std::string> lastLinesOf(const EndingRequest& request) {
    if (!request.watched)
        return launch::lastLogLines(request.run.log(request.logRank).string(), kLogLines);
    auto lines = launch::lastLogLines(request.run.commandLog().string(), kCommandLines, GuardedFolder::Run);
    const auto isOfRank = [mark = fmt::format("[rank{}]:", request.logRank)](const std::string& line) {
        return line.starts_with(mark);
    };
    if (std::any_of(lines.begin(), lines.end(), isOfRank))
        std::erase_if(lines, std::not_fn(isOfRank));
    if (lines.size() > kLogLines)
        lines.erase(lines.begin(), lines.end() - kLogLines);
    return lines;
}

} // namespace

EndingFactsPtr readEnding(const EndingRequest& request) {
    auto facts = std::make_shared<EndingFacts>();
    facts->run = request.run;
    if (auto checkpoints = launch::listCheckpoints(request.run))
        facts->checkpoints = std::move(*checkpoints);
    else
        facts->problem = toQString(checkpoints.error().message());
    readStore(request, *facts);
    facts->logRank = request.logRank;
    if (request.logRank >= 0)
        for (const auto& line : lastLinesOf(request))
            facts->logLines << toQString(line);
    facts->modelClass = modelClassOf(request.run);
    return facts;
}

} // namespace rankscope::ui
