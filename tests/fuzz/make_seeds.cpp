// SPDX-License-Identifier: Apache-2.0
// Writes the seeds that are made of Rankscope's own records: make_fuzz_seeds SEEDS-FOLDER. The others: make_seeds.py.
#include "core/base/file.h"
#include "core/diagnosis/input_codec.h"
#include "core/telemetry/board_page.h"
#include "core/telemetry/journal_segment.h"
#include "tests/core/diagnosis/simulated_fleet.h"

#include <cstdio>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::telemetry;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace fs = std::filesystem;

namespace {

template <class T> std::string bytesOf(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string slotOf(const AnyRecord& record) {
    return {reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size()};
}

std::string segment(std::uint64_t number, const std::vector<AnyRecord>& records, std::uint32_t slots) {
    SegmentHeader header;
    header.magic = kJournalMagic;
    header.slots = slots;
    header.pid = 7;
    header.segment = number;
    header.writerNs = 5;
    std::string bytes = bytesOf(header);
    for (const auto& record : records)
        bytes += slotOf(record);
    return bytes;
}

std::vector<AnyRecord> oneOfEach() {
    NoteRecord note;
    putText(note.text, sizeof note.text, "loader: three files were skipped");
    CheckRecord check;
    putText(check.name, sizeof check.name, "batches");
    EndRecord end;
    end.cause = EndCause::Failed;
    CollectiveRecord collective;
    putText(collective.tag, sizeof collective.tag, "gradient:0");
    return {AnyRecord::of(AnchorRecord{}),
            AnyRecord::of(BatchRecord{}),
            AnyRecord::of(PhaseRecord{}),
            AnyRecord::of(collective),
            AnyRecord::of(StepRecord{}),
            AnyRecord::of(ResourceRecord{}),
            AnyRecord::of(ValidationRecord{}),
            AnyRecord::of(check),
            AnyRecord::of(note),
            AnyRecord::of(end)};
}

std::string board() {
    BoardPage page;
    BoardTraining training;
    training.rank = 1;
    training.worldSize = 2;
    training.pid = 99;
    training.stage = static_cast<std::uint8_t>(RankStage::Running);
    training.step = 12;
    training.phase = static_cast<std::uint8_t>(Phase::Forward);
    putText(training.device, sizeof training.device, "cpu");
    publish(page.training, training);
    BoardLoader loader;
    putText(loader.path, sizeof loader.path, "/data/a.wav");
    publish(page.loader, loader);
    BoardEntered entered;
    putText(entered.tag, sizeof entered.tag, "gradient:0");
    page.groups[0].owner = 1;
    publish(page.groups[0].entered, entered);
    return bytesOf(page);
}

/// Some rounds of two ranks, one of which is held up.
std::string recording(int from, int rounds) {
    FleetOptions options;
    options.tickNs = 500'000'000;
    SimulatedFleet fleet(options, {{FleetFault::Loader, 1, 3, 6.0}, {FleetFault::NotFinite, 0, 8, 1.0}});
    InputEncoder encoder(2);
    WireWriter out;
    for (int i = 0; i < from + rounds; ++i) {
        if (i == from)
            out.clear();
        encoder.encode(fleet.tick(i + 1 == from + rounds ? RunEnd::Failed : RunEnd::Running), out);
    }
    return std::string{1, static_cast<char>(rounds - 1)} + out.bytes();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2)
        return std::fprintf(stderr, "usage: make_fuzz_seeds tests/fuzz/seeds\n"), 2;
    const fs::path seeds = argv[1];
    const auto put = [&](const char* name, const std::string& bytes) {
        fs::create_directories((seeds / name).parent_path());
        if (const auto done = writeFileAtomic(seeds / name, bytes, 0644); !done)
            std::fprintf(stderr, "%s\n", done.error().message().c_str());
    };
    using namespace std::string_literals;
    const auto all = oneOfEach();
    put("journal/one", "\0"s + segment(0, all, 16));
    put("journal/as_it_is", "\x0c"s + segment(0, {all.begin(), all.begin() + 4}, 4));
    put("journal/two",
        "\x09"s + segment(0, {all.begin(), all.begin() + 3}, 3) + segment(1, {all.begin() + 6, all.end()}, 3));
    put("journal/gap", "\x1b"s + segment(0, all, 10) + segment(2, all, 10));
    put("board/running", "\0"s + board());
    put("board/as_it_is", "\1"s + board());
    put("recording/begin", recording(0, 12));
    put("recording/one", recording(0, 1));
    put("recording/held", recording(0, 40));
    WireWriter state;
    Detector(2, {}).save(state);
    WireWriter middle;
    middle.text(state.bytes());
    put("recording/middle", "\x41\x04"s + middle.bytes() + recording(0, 5).substr(2));
    return 0;
}
