// SPDX-License-Identifier: Apache-2.0
#include "core/explain/messages/progress_message.h"

#include "core/explain/line/log_number.h"
#include "core/explain/line/matched_text.h"

#include <re2/re2.h>

#include <algorithm>

namespace rankscope::explain {

namespace {

using re2::StringPiece;

struct ProgressPatterns {
    // "64809/83556 [25:06:58<7:15:54, 1.40s/it, v_num=18]", "35batch [00:03, 10.54batch/s]"
    RE2 bar{
        R"((\d+)(?:/(\d+)| ?[a-z]*) \[[\d:?]+(?:<[\d:?, a-z]*)?, +(?:[\d.?]+ ?(it|batch|batches|step|steps|sample|samples|ex)/s|[\d.?]+s/(it|batch|step)))"};
    // Rich's bar: "Epoch 0/9 ----- 12/100 0:00:01 • 0:00:10 9.31it/s"
    RE2 rich{R"([Ee]poch (\d+)/\d+ .{0,400}?(\d+)/(\d+) \d+:\d\d:\d\d .{0,40}?[\d.]+it/s)"};
    // NeMo 2 and Megatron: "Training epoch 0, iteration 9/99 | lr: …", " iteration 5/ 100 | consumed samples: …"
    RE2 iteration{R"((?:[Ee]poch (\d+), )?iteration:? +(\d+) ?/ *(\d+) *\|)"};
    RE2 epoch{R"([Ee]poch[ :=]*(\d+))"};
    RE2 rank{R"((?:^|[^\w])[Rr]ank[ :=]*(\d+))"};
    RE2 validationRich{R"([Vv]alidation .{0,400}?(\d+)/\d+ \d+:\d\d:\d\d .{0,40}?[\d.]+it/s)"};
    RE2 validation{R"([Vv]alidation|[Vv]alidating)"};
    RE2 other{R"((?i)valid|sanity|test|predict|eval|load|download|map|filter|infer)"};
    RE2 training{R"((?i)epoch|train|iter|step)"};
};

const ProgressPatterns& progressPatterns() {
    static const ProgressPatterns all;
    return all;
}

bool isBlank(std::string_view text) {
    return text.find_first_not_of(" \t") == text.npos;
}

/// Reads a bar of tqdm; `title` is what is in front of it.
std::optional<Progress> readBar(std::string_view row, std::string_view& title) {
    const ProgressPatterns& p = progressPatterns();
    StringPiece done, all, unit, perUnit;
    if (!RE2::PartialMatch(StringPiece(row.data(), row.size()), p.bar, &done, &all, &unit, &perUnit))
        return std::nullopt;
    title = row.substr(0, static_cast<std::size_t>(done.data() - row.data()));
    const std::string_view words = title.substr(0, title.find('%')); // the bar itself is not text
    const bool batches = matchedText(unit).starts_with("batch") || matchedText(perUnit) == "batch";
    const bool training = RE2::PartialMatch(StringPiece(words.data(), words.size()), p.training) || batches ||
                          isBlank(words.substr(0, words.find_last_not_of("0123456789 ") + 1));
    if (!training)
        return std::nullopt;
    Progress progress;
    progress.batch = logCount(matchedText(done)).value_or(-1);
    progress.batches = logCount(matchedText(all)).value_or(0);
    return progress;
}

} // namespace

std::string_view progressTitle(std::string_view row) {
    std::size_t end = row.find('%');
    if (end == row.npos)
        end = row.find(" [");
    if (end == row.npos)
        end = std::min<std::size_t>(row.find("iteration"), row.size());
    const auto isOfCount = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '/' || c == ' ';
    };
    std::size_t begin = end;
    while (begin > 0 && isOfCount(row[begin - 1]))
        --begin;
    return row.substr(0, begin);
}

bool isValidationBar(std::string_view row) {
    constexpr std::size_t kLongestBar = 2'048;
    const ProgressPatterns& p = progressPatterns();
    const StringPiece piece(row.data(), std::min(row.size(), kLongestBar));
    StringPiece done;
    if (!RE2::PartialMatch(piece, p.bar, &done) && !RE2::PartialMatch(piece, p.validationRich, &done))
        return false;
    const StringPiece title(row.data(), static_cast<std::size_t>(done.data() - row.data()));
    return RE2::PartialMatch(title, p.validation);
}

std::optional<Progress> readProgress(std::string_view row) {
    constexpr std::size_t kLongestBar = 2'048;
    const ProgressPatterns& p = progressPatterns();
    row = row.substr(0, kLongestBar);
    const StringPiece piece(row.data(), row.size());
    StringPiece epoch, done, all, rank;
    std::string_view title = row;
    std::optional<Progress> progress;
    if (RE2::PartialMatch(piece, p.iteration, &epoch, &done, &all) ||
        RE2::PartialMatch(piece, p.rich, &epoch, &done, &all)) {
        progress.emplace();
        progress->epoch = logCount(matchedText(epoch)).value_or(-1);
        progress->batch = logCount(matchedText(done)).value_or(-1);
        progress->batches = logCount(matchedText(all)).value_or(0);
        title = row.substr(0, static_cast<std::size_t>(done.data() - row.data()));
    } else {
        progress = readBar(row, title);
    }
    const StringPiece titlePiece(title.data(), std::min<std::size_t>(title.size(), 200));
    if (!progress || progress->batch < 0 || RE2::PartialMatch(titlePiece, p.other))
        return std::nullopt;
    if (progress->epoch < 0 && RE2::PartialMatch(titlePiece, p.epoch, &epoch))
        progress->epoch = logCount(matchedText(epoch)).value_or(-1);
    if (RE2::PartialMatch(titlePiece, p.rank, &rank))
        progress->rank = logRank(matchedText(rank));
    return progress;
}

} // namespace rankscope::explain
