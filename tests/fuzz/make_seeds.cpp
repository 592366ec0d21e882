// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of the target recording, which need the encoder: make_fuzz_seeds SEEDS-FOLDER. make_seeds.py writes
// the others.
#include "core/base/files/atomic_file.h"
#include "core/diagnosis/recording/observation_codec.h"
#include "tests/core/diagnosis/simulated_fleet.h"

#include <cstdio>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace fs = std::filesystem;

namespace {

/// Returns some rounds of two ranks, one of which is held up.
std::string recording(int from, int rounds) {
    FleetOptions options;
    options.tickNs = 500'000'000;
    SimulatedFleet fleet(options, {{FleetFault::Loader, 1, 3, 6.0}, {FleetFault::NotFinite, 0, 8, 1.0}});
    ObservationEncoder encoder(2);
    ByteEncoder out;
    for (int i = 0; i < from + rounds; ++i) {
        if (i == from)
            out.clear();
        encoder.encode(fleet.tick(i + 1 == from + rounds ? RunOutcomeSeen::Failed : RunOutcomeSeen::Running), out);
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
    put("recording/begin", recording(0, 12));
    put("recording/one", recording(0, 1));
    put("recording/held", recording(0, 40));
    ByteEncoder state;
    Detector(2, {}).save(state);
    ByteEncoder middle;
    middle.text(state.bytes());
    put("recording/middle", "\x41\x04"s + middle.bytes() + recording(0, 5).substr(2));
    return 0;
}
