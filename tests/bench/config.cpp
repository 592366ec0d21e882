// SPDX-License-Identifier: Apache-2.0
// Measures a long recipe: opening it (reading, effective values, problems) and changing one value (the verified edit,
// and the new effective values and problems).
//
//   bench_config [--lines 10000] [--rounds 30] [--open-goal-ms 0] [--edit-goal-ms 0]
//
// Exit code 1: a median is above its goal. A goal of 0 is none.
#include "core/base/files/file.h"
#include "core/base/values/clock.h"
#include "core/config/edit/document_edit.h"
#include "core/config/effective/effective.h"
#include "tests/bench/long_recipe.h"
#include "tests/bench/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

using namespace rankscope;
using namespace rankscope::config;

namespace {

double median(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

double since(std::int64_t begin) {
    return static_cast<double>(monotonicNs() - begin) / 1e6;
}

} // namespace

int main(int argc, char** argv) {
    bench::Arguments arguments{{"--lines", 10'000}, {"--rounds", 30}, {"--open-goal-ms", 0}, {"--edit-goal-ms", 0}};
    if (!bench::parse(argc, argv, arguments, nullptr, 0) || arguments["--rounds"] < 1)
        return 2;
    const auto recipe = readFile(RANKSCOPE_CONFIGS "/nest_medium.yaml");
    if (!recipe) {
        fmt::print(stderr, "bench_config: {}\n", recipe.error().message());
        return 2;
    }
    const std::string text = bench::longRecipe(*recipe, arguments["--lines"]);
    std::vector<double> open, edit, effective, shown;
    std::size_t rows = 0;
    Document document;
    for (std::int64_t i = 0; i < arguments["--rounds"]; ++i) {
        std::int64_t begin = monotonicNs();
        document = Document::fromText(text, "long.yaml");
        rows = evaluate(document).rows.size();
        open.push_back(since(begin));
        const std::string key = i % 2 == 0 ? "model.encoder.d_model" : "model.encoder.n_layers";
        begin = monotonicNs();
        const auto changed = changeValue(document, splitKey(key), std::to_string(256 + 8 * i));
        edit.push_back(since(begin));
        if (!changed) {
            fmt::print(stderr, "bench_config: {}\n", changed.error().message());
            return 2;
        }
        const std::int64_t done = monotonicNs();
        const Effective after = evaluate(changed->after, {}, builtinSchema(), false);
        effective.push_back(since(done));
        shown.push_back(edit.back() + effective.back());
        if (after.find(key)->effective != std::to_string(256 + 8 * i))
            return 1;
    }
    fmt::print("{} lines, {} keys, median of {}\n", std::count(text.begin(), text.end(), '\n'), rows, open.size());
    const auto line = [](const char* what, const std::vector<double>& ms) {
        fmt::print("{:<56} {:6.1f} ms, at least {:.1f}\n", what, median(ms), *std::min_element(ms.begin(), ms.end()));
    };
    line("open: read, effective values, problems, effective.yaml", open);
    line("change one value, proved", edit);
    line("new effective values and problems", effective);
    line("both", shown);
    const auto above = [&](const char* goal, double ms) {
        return arguments[goal] > 0 && ms > static_cast<double>(arguments[goal]);
    };
    return above("--open-goal-ms", median(open)) || above("--edit-goal-ms", median(shown)) ? 1 : 0;
}
