// SPDX-License-Identifier: Apache-2.0
#include "core/plan/result/launch_commands.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::plan {

std::string shellWord(const std::string& word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos)
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::vector<StartLine> launchCommands(const Plan& plan, const CommandOptions& words) {
    std::string recipe = shellWord(words.config);
    for (const std::string& one : words.overrides)
        recipe += ' ' + shellWord(one);
    const int nodes = std::max(1, plan.nodes), ranks = std::max(1, plan.ranks);
    const std::string resolve = fmt::format("rankscopectl resolve {} > effective.yaml && ", recipe);
    constexpr const char* kTrain = "rankscope-trainer train effective.yaml --run-dir \"$PWD/run\"";
    std::vector<StartLine> lines;
    if (nodes == 1)
        lines.push_back({"rankscopectl", fmt::format("rankscopectl launch {}{}", recipe,
                                                     words.ranks > 0 ? fmt::format(" --ranks {}", words.ranks) : "")});
    lines.push_back(
        {"torchrun",
         nodes == 1 ? fmt::format("{}torchrun --standalone --nproc-per-node {} --no-python {}", resolve, ranks, kTrain)
                    : fmt::format("{}torchrun --nnodes {} --node-rank \"$NODE_RANK\" --nproc-per-node {} "
                                  "--master-addr \"$MASTER_ADDR\" --master-port 29500 --no-python {}",
                                  resolve, nodes, ranks, kTrain)});
    const std::string gpus = plan.device == "cuda" ? fmt::format(" --gpus-per-node={}", ranks) : "";
    lines.push_back({"sbatch", fmt::format("{}sbatch --nodes={} --ntasks-per-node={}{} --wrap='srun {}'", resolve,
                                           nodes, ranks, gpus, kTrain)});
    return lines;
}

} // namespace rankscope::plan
