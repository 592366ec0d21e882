// SPDX-License-Identifier: Apache-2.0
// A store, opened as the window opens it. Inputs are small: the first byte selects a sound store (or 128: the rest is
// the file), the second selects the queries, and the rest describes the damage: bytes, pages, lengths and values.
#include "core/base/files/file.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/store/read/run_reader.h"
#include "core/store/report/check_summary.h"
#include "core/store/report/csv_export.h"
#include "core/store/report/replay_report.h"
#include "core/store/report/scalar_reader.h"
#include "tests/fuzz/store_bases.h"
#include "tests/fuzz/target.h"

#include <algorithm>

namespace rankscope::fuzz {

using namespace store;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPage = 512;
constexpr int kMostChanges = 16;

struct Files {
    std::string store, log;
};

void damage(std::string& bytes, Bytes& in, int what) {
    if (bytes.empty())
        return;
    const auto place = [&](std::size_t step) {
        return (in.number<std::uint32_t>() % (bytes.size() / step + 1)) * step;
    };
    const std::size_t at = place(what == 0 ? 1 : kPage);
    if (what == 0) {
        const auto part = in.take(1 + in.byte() % 16);
        for (std::size_t i = 0; i < part.size() && at + i < bytes.size(); ++i)
            bytes[at + i] = part[i];
    } else if (what == 1) {
        bytes.resize(std::max<std::size_t>(1, place(1)));
    } else if (what == 2) {
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes.size())),
                    std::min(kPage, bytes.size() - std::min(at, bytes.size())), static_cast<char>(in.byte()));
    } else {
        const std::size_t from = place(kPage);
        if (from + kPage <= bytes.size() && at + kPage <= bytes.size())
            std::memmove(bytes.data() + at, bytes.data() + from, kPage);
    }
}

Files damaged(Bytes& in, std::uint8_t which) {
    const StoreBase& base = which % 4 == 1 ? storeWithLog() : which % 4 == 2 ? importedStore() : measuredStore();
    struct Change {
        int what;
        Bytes bytes;
    };
    std::vector<Cell> cells;
    std::vector<Change> changes;
    while (!in.empty() && changes.size() + cells.size() < kMostChanges) {
        const int what = in.byte() % 10;
        if (what < 6) {
            changes.push_back({what, Bytes(in.take(24))});
            continue;
        }
        Cell cell;
        cell.table = in.byte();
        cell.column = in.byte();
        cell.row = in.byte();
        cell.kind = in.byte() % 5;
        cell.value = std::string(in.take(cell.kind < 2 ? 8 : in.byte()));
        cells.push_back(std::move(cell));
    }
    // SQLite would not write properly to a file with a log: such files are damaged by bytes alone
    Files files{cells.empty() || !base.log.empty() ? base.file : changed(base, cells), base.log};
    for (Change& change : changes)
        damage(change.what >= 4 && !files.log.empty() ? files.log : files.store, change.bytes, change.what % 4);
    return files;
}

template <class T> void told(const Result<T>& result) {
    require(result.has_value() || !result.error().what.empty(), "refused without a reason");
}

void series(RunReader& reader) {
    for (const Metric metric : {Metric::Loss, Metric::WaitTotal, Metric::StepTime})
        for (const int points : {5, 1000}) {
            const auto steps = reader.series(metric, 0, 0, 1'000'000, points);
            const auto times = reader.seriesByTime(metric, 1, 0, INT64_MAX, points);
            told(steps);
            told(times);
            require(!steps || steps->size() <= 2 * static_cast<std::size_t>(points) + 2,
                    "more points than were asked for");
            for (std::size_t i = 1; steps && i < steps->size(); ++i)
                require((*steps)[i].firstStep >= (*steps)[i - 1].firstStep, "points are not in order");
        }
}

void lists(RunReader& reader) {
    told(reader.ranks());
    told(reader.notes(0, 100));
    told(reader.validations(-1, 100));
    told(reader.counters());
    told(reader.memory());
    told(reader.mostRssBytes());
    told(reader.stacks());
    told(reader.facts(1, 0, INT64_MAX, 100));
    if (const auto checks = reader.checks())
        (void)summarize(*checks);
}

void incidents(RunReader& reader) {
    const auto all = reader.incidents();
    told(all);
    for (std::size_t i = 0; all && i < all->size(); ++i) {
        require(!diagnosis::sentence((*all)[i], reader.meta().startNs + 1'000'000).english().empty(),
                "an incident without a sentence");
        (void)diagnosis::toJson((*all)[i], reader.meta().startNs)
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
}

void singles(RunReader& reader) {
    told(reader.waits(0, 1000));
    told(reader.collectives(-1, 1000, 100));
    told(reader.phases(-1, 1000, 100));
    told(reader.stepsBetween(0, INT64_MAX));
    told(reader.singleStepsFrom());
}

void explained(RunReader& reader) {
    told(reader.explainWaits({0, 1'000'000}));
    told(reader.workDone({0, 1000}));
}

void exported(RunReader& reader) {
    told(store::exportCsv(reader.source(), scratch() / "csv"));
    told(reader.checkPages());
}

void ask(const fs::path& file, std::uint8_t what) {
    if (what % 8 == 7) {
        auto reader = ScalarReader::open(file);
        told(reader);
        if (!reader)
            return;
        ++taken;
        told(reader->checkpoints(100));
        const auto tags = reader->tags(100);
        for (std::size_t i = 0; tags && i < std::min<std::size_t>(tags->size(), 4); ++i) {
            told(reader->series((*tags)[i], 0, 0, 1000, 5));
            told(reader->seriesByTime((*tags)[i], 0, 0, INT64_MAX, 100));
        }
        return;
    }
    auto reader = RunReader::open(file);
    told(reader);
    if (!reader)
        return;
    ++taken;
    require(reader->meta().worldSize >= 1 && reader->meta().worldSize <= telemetry::kMaxRanks,
            "an impossible number of ranks");
    if (what % 8 == 6) {
        exported(*reader);
    } else if (what % 8 == 5) {
        told(store::replay(*reader));
    } else {
        constexpr void (*kQuestions[])(RunReader&) = {series, lists, incidents, singles, explained};
        kQuestions[what % 8](*reader);
    }
    require(!reader->condition().damaged() || !describe(reader->condition(), file).empty(), "damaged, but not told");
}

} // namespace

static void examine(const std::string& bytes) {
    Bytes in(bytes);
    const std::uint8_t which = in.byte(), what = in.byte();
    const Files files = which >= 128 ? Files{std::string(in.rest()), {}} : damaged(in, which);
    const fs::path file = put("run.sqlite", files.store), log = file.string() + "-wal";
    std::error_code ec;
    if (files.log.empty())
        fs::remove(log, ec);
    else
        put("run.sqlite-wal", files.log);
    ask(file, what);
    const auto after = readFile(file);
    require(after && *after == files.store, "reading it changed it");
    require(!fs::exists(file.string() + "-shm", ec) && !fs::exists(file.string() + "-journal", ec),
            "reading it left a file");
}

RANKSCOPE_FUZZ_TARGET(store)

} // namespace rankscope::fuzz
