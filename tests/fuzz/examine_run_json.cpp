// SPDX-License-Identifier: Apache-2.0
// run.json and marks.json of a run's folder; the first byte says which.
#include "core/base/files/file.h"
#include "core/launch/run/run_annotations.h"
#include "tests/fuzz/target.h"

#include <algorithm>

namespace rankscope::fuzz {

using namespace launch;

namespace {

RunPaths folder(const char* name) {
    RunPaths run{scratch() / name};
    std::error_code ec;
    std::filesystem::create_directory(run.dir, ec);
    return run;
}

void examineInfo(std::string_view text) {
    const RunPaths run = folder("run"), copy = folder("copy");
    put("run/run.json", text);
    const auto info = readRunInfo(run);
    if (!info)
        return require(!info.error().what.empty() && !info.error().where.empty(),
                       "refused without a reason or a place");
    ++taken;
    require(info->worldSize >= 1 && info->worldSize <= 65536, "an impossible number of ranks");
    require(info->rankPids.size() == info->rankStartTicks.size(), "ranks without a start");
    require(!runStateName(info->state).empty(), "a state without a name");
    // the data that was read can be written, and reads back the same
    require(writeRunInfo(copy, *info).has_value(), "cannot be written");
    const auto first = readFile(copy.runJson());
    auto again = readRunInfo(copy);
    require(first && again, "what was written cannot be read");
    again->id = info->id;
    require(writeRunInfo(copy, *again).has_value(), "cannot be written");
    const auto second = readFile(copy.runJson());
    require(second && *second == *first, "read again, it is another run");
}

void examineMarks(std::string_view text) {
    const RunPaths run = folder("run");
    const auto file = put("run/marks.json", text);
    const auto marks = readMarks(run);
    auto edited = editMarks(run, [](RunMarks& all) { (void)all.annotate({0, 3, 4, 5, 0, "one more", 6}); });
    if (!marks) {
        require(!marks.error().what.empty(), "refused without a reason");
        require(!edited, "damaged marks were replaced");
        const auto left = readFile(file);
        return require(left && *left == text, "damaged marks were changed");
    }
    ++taken;
    if (!edited) // an id that has no successor
        return require(!edited.error().what.empty(), "refused without a reason");
    require(edited->annotations.size() == marks->annotations.size() + 1, "an annotation is lost");
    const auto again = readMarks(run);
    require(again && again->tags.size() == edited->tags.size() &&
                again->annotations.size() == edited->annotations.size() && again->favourite == edited->favourite &&
                again->archived == edited->archived,
            "what was written is read as something else");
}

} // namespace

static void examine(const std::string& bytes) {
    Bytes in(bytes);
    if ((in.byte() & 1) == 0)
        examineInfo(in.rest());
    else
        examineMarks(in.rest());
}

RANKSCOPE_FUZZ_TARGET(run_json)

} // namespace rankscope::fuzz
