// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands.h"
#include "app/ctl/run_report.h"
#include "app/ctl/table.h"
#include "core/base/paths.h"
#include "core/config/effective.h"
#include "core/launch/supervisor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

namespace rankscope::ctl {

static Result<config::Effective> evaluated(const std::string& file) {
    auto effective = config::evaluateFile(file);
    if (!effective)
        return effective;
    if (auto error = config::firstError(*effective, file))
        return tl::unexpected(*error);
    return effective;
}

Result<int> compare(const CompareArgs& args) {
    const auto mine = evaluated(args.config);
    if (!mine)
        return tl::unexpected(mine.error());
    std::optional<config::Effective> other;
    if (!args.with.empty()) {
        auto with = evaluated(args.with);
        if (!with)
            return tl::unexpected(with.error());
        other.emplace(std::move(*with));
    }
    const config::Effective* against = other ? &*other : nullptr;
    if (args.json)
        fmt::print("{}\n", dumped(config::compareJson(*mine, against, args.onlyDifferent)));
    else
        fmt::print("{}", config::compareTable(*mine, against, args.onlyDifferent, terminalWidth(STDOUT_FILENO, 160)));
    return launch::kDone;
}

Result<int> verify(const std::string& reference, const std::string& config) {
    const auto trainer = findProgram("rankscope-trainer");
    if (!trainer)
        return tl::unexpected(trainer.error());
    const std::string program = trainer->string();
    ::execl(program.c_str(), program.c_str(), "verify", reference.c_str(), config.c_str(), nullptr);
    return tl::unexpected(systemError("start the program", program, errno));
}

} // namespace rankscope::ctl
