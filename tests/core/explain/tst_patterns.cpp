// SPDX-License-Identifier: Apache-2.0
// What users meet most: logs in the words of several versions of PyTorch, and what a report must say of each.
#include "core/base/console/text_table.h"
#include "core/base/files/file.h"
#include "core/explain/report/explanation_text.h"
#include "core/explain/verdict/verdict.h"
#include "tests/core/explain/log/scanned.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <sstream>

using namespace rankscope;
using namespace rankscope::explain;
using Ints = std::vector<int>;
using Texts = std::vector<std::string>;

namespace {

struct Pattern {
    const char* log; ///< in tests/data/explain/patterns
    Verdict verdict;
    const char* cause; ///< the first one
    Ints ranks;        ///< to look at
    Texts says;        ///< the first is the first sentence
    Texts saysNot;
};

// The runs had 2 or 4 ranks. What happened is in the first comment of each.
const Pattern kPatterns[] = {
    // rank 0 never reached DDP's broadcast of buffers (PyTorch 2.3; a terminal wrapped the lines)
    {"buffer_broadcast",
     Verdict::RankMissing,
     "rank_missing",
     {0},
     {"rank 0 never entered broadcast 1,363,596, in which rank 1 waited", "18 layers of width 512",
      "9,999 x 512 (position", "broadcast_buffers: false", "comm_lib_trace_rank_N"},
     {"did not return"}},
    // rank 3 had one batch less, and logged while the others began a step (2.7)
    {"uneven_batches",
     Verdict::Mismatch,
     "mismatched_collective",
     {3},
     {"ranks 0, 1, 2 called broadcast 8,001, but rank 3 called all-reduce 8,001", "at the end of an epoch",
      "model.train_ds.drop_last=true", "rank 3 called all-reduce 8,001 of 1 element [train.log:35]"},
     {}},
    // rank 1 had one batch of validation less
    {"validation",
     Verdict::Mismatch,
     "mismatched_collective",
     {1},
     {"ranks 0, 2, 3 called all-reduce 4,052, but rank 1 called broadcast 4,052", "one of validation",
      "trainer.limit_val_batches"},
     {"drop_last"}},
    // only rank 0 logs with sync_dist=True (2.4)
    {"sync_dist",
     Verdict::Mismatch,
     "mismatched_collective",
     {0},
     {"ranks 1, 2, 3 called broadcast 961, but rank 0 called all-reduce 961", "rank_zero_only=True"},
     {"number of batches", "numbers of batches"}},
    // the same with TORCH_DISTRIBUTED_DEBUG=DETAIL
    {"sync_dist_detail",
     Verdict::Mismatch,
     "mismatched_collective",
     {0, 1},
     {"rank 1 called all-reduce 96, but rank 0 called broadcast 96", "5,157,856 [NeMo, nest_large.yaml]"},
     {}},
    // a table of rank 2 grew with its longest batch
    {"buffers_grew",
     Verdict::Mismatch,
     "buffers_differ",
     {2},
     {"ranks 0, 1, 3 called broadcast 620 of 64 elements, but rank 2 called broadcast 620 of 24,084,544",
      "grew on one rank", "broadcast_buffers: false"},
     {}},
    // rank 1 could not read a file
    {"exception",
     Verdict::RankDead,
     "exception",
     {1},
     {"rank 1 ended, and ranks 0, 2, 3 waited in vain", "rank 1 raised soundfile.LibsndfileError: Error opening"},
     {"waited in all-reduce 18,613 of 18"}},
    // rank 1 raised an exception and then waited in Lightning's barrier; the others were in the backward pass
    {"exception_barrier",
     Verdict::Mismatch,
     "exception",
     {1},
     {"rank 1 raised an exception, and then rank 0 called all-reduce 2,480 of 514,048 elements",
      "rank 1 raised ValueError: the batch is empty", "Ranks call different collectives"},
     {"tensors of different sizes"}},
    // the kernel killed rank 2 (Gloo, torchrun)
    {"oom_killed",
     Verdict::RankDead,
     "killed",
     {2},
     {"rank 2 ended, and ranks 0, 1, 3 waited in vain", "rank 2 was ended by signal 9", "memory ran out"},
     {}},
    // the same without the launcher's lines
    {"oom_unknown",
     Verdict::RankMissing,
     "peer_ended",
     {2},
     {"rank 2 probably ended first: ranks 0, 1, 3 lost their connections", "memory ran out"},
     {"never entered"}},
    // rank 1 did not get to the first collective
    {"first_collective",
     Verdict::RankMissing,
     "rank_missing",
     {1},
     {"rank 1 never entered all-reduce 1, in which ranks 0, 2, 3 waited", "it was the first collective of the group",
      "setup()"},
     {}},
    // rank 0 did not, and NCCL's first communicator could not be made
    {"first_store",
     Verdict::NeverStarted,
     "first_collective",
     {0},
     {"rank 0 did not come to the first collective, where ranks 1, 2, 3 waited", "rank 1 waited for rank 0 by name"},
     {}},
    // the monitor ended both ranks before a collective timed out
    {"stuck_watchdogs",
     Verdict::NotEnoughData,
     "watchdog_stuck",
     {},
     {"not enough data: the watchdog was stuck on ranks 0, 1", "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC"},
     {"ended by signal"}},
    // rank 0 was still writing a checkpoint when the others waited for its name; it heard of their timeout
    {"late_rank_zero",
     Verdict::RankMissing,
     "rank_missing",
     {0},
     {"rank 0 never entered broadcast 1,366, in which ranks 1, 2, 3 waited", "own count ends before it",
      "an object that rank 0 sends", "checkpoint_callback_params.async_save=true"},
     {}},
    // PyTorch 2.15's usual process group does not say which collective it was
    {"newer_group",
     Verdict::RankMissing,
     "rank_missing",
     {1},
     {"rank 1 never entered a collective, in which ranks 0, 2, 3 waited", "which collective it was"},
     {}},
};

/// Returns the text as one line with single spaces, as it was before it was broken.
std::string unbroken(const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;)
        line += (line.empty() ? "" : " ") + word;
    return line;
}

} // namespace

class TestPatterns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isExplained_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < std::size(kPatterns); ++i)
            QTest::newRow(kPatterns[i].log) << int(i);
    }
    void isExplained() {
        QFETCH(int, index);
        const Pattern& pattern = kPatterns[index];
        const Explanation found = explanationOf(pattern.log);
        const std::string report = explanationText(found, Language::English, 100), text = unbroken(report);
        QVERIFY2(found.verdict == pattern.verdict, report.c_str());
        QVERIFY2(!found.causes.empty() && found.causes[0].id == pattern.cause, report.c_str());
        QVERIFY2(found.causes[0].ranks == pattern.ranks, report.c_str());
        QVERIFY2(text.starts_with(pattern.says.front()), report.c_str());
        for (const std::string& one : pattern.says)
            QVERIFY2(text.find(one) != std::string::npos, (one + "\n" + report).c_str());
        for (const std::string& one : pattern.saysNot)
            QVERIFY2(text.find(one) == std::string::npos, (one + "\n" + report).c_str());
    }
    void isOneScreen_data() { isExplained_data(); }
    void isOneScreen() {
        QFETCH(int, index);
        const Explanation found = explanationOf(kPatterns[index].log);
        for (const Language language : {Language::English, Language::Chinese}) {
            const std::string report = explanationText(found, language, 100);
            std::istringstream lines(report);
            int count = 0;
            for (std::string line; std::getline(lines, line); ++count)
                QVERIFY2(displayWidth(line) <= 100, line.c_str());
            QVERIFY2(count <= 50, report.c_str());
        }
    }

private:
    static Explanation explanationOf(const char* log) {
        const auto text = readFile(std::string(RANKSCOPE_SOURCE_DIR "/tests/data/explain/patterns/") + log + ".log");
        return judge(scanned(text.value()), knownRecipes());
    }
};

RANKSCOPE_CORE_TEST(TestPatterns)
#include "tst_patterns.moc"
