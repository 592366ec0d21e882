// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands.h"
#include "app/ctl/run_report.h"
#include "app/ctl/table.h"
#include "core/base/paths.h"
#include "core/config/effective.h"
#include "core/launch/supervisor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
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

Result<int> resolve(const LaunchArgs& args) {
    const auto effective = config::evaluateFile(args.config, args.overrides);
    if (!effective)
        return tl::unexpected(effective.error());
    if (auto error = config::launchError(*effective, args.config)) // what a launch would refuse
        return tl::unexpected(*error);
    fmt::print("{}", effective->text);
    return launch::kDone;
}

Result<int> runTrainer(const std::vector<std::string>& arguments) {
    const auto trainer = findProgram("rankscope-trainer");
    if (!trainer)
        return tl::unexpected(trainer.error());
    std::string program = trainer->string();
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    return tl::unexpected(systemError("start the program", program, errno));
}

Result<int> verify(const WeightsArgs& args) {
    std::vector<std::string> arguments{"verify", args.reference, args.config};
    if (!args.weights.empty())
        arguments.insert(arguments.end(), {"--weights", args.weights});
    return runTrainer(arguments);
}

Result<int> weights(const WeightsArgs& args) {
    std::vector<std::string> arguments{"weights", args.in};
    if (args.json)
        arguments.push_back("--json");
    return runTrainer(arguments);
}

Result<int> convert(const WeightsArgs& args) {
    std::vector<std::string> arguments{"convert", args.in, args.out};
    if (!args.outConfig.empty())
        arguments.insert(arguments.end(), {"--config", args.outConfig});
    return runTrainer(arguments);
}

} // namespace rankscope::ctl
