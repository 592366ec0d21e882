// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/collectives_report.h"

#include "app/ctl/reports/words.h"
#include "core/base/console/text_table.h"
#include "core/base/text/unit_format.h"

#include <algorithm>

namespace rankscope::ctl {
namespace {

using console::text;

/// Returns whether the elements depend on the data; otherwise it is the number of calls that may differ.
bool mayGrow(const plan::CollectivePlan& c) {
    return !c.certain && c.op == "broadcast";
}

std::string elementsText(const plan::CollectivePlan& c) {
    if (c.dtype.empty())
        return "-";
    if (mayGrow(c))
        return text({"at least {}", Count{c.leastElements}});
    return c.leastElements == c.mostElements ? formatCount(c.leastElements)
                                             : text({"{} to {}", Count{c.leastElements}, Count{c.mostElements}});
}

std::string trainerText(const plan::TrainerCollectives& trainer) {
    Table table(
        {"tag", "operation", "in", right("calls"), right("elements"), right("bytes per rank"), "the training thread"},
        2);
    std::string counts;
    for (const plan::CollectivePlan& c : plan::sumByTag(trainer)) {
        table.add({c.tag, c.dtype.empty() ? c.op : text({"{} of {}", c.op, c.dtype}), c.phase,
                   c.certain || mayGrow(c) ? formatCount(c.calls) : text({"about {}", Count{c.calls}}), elementsText(c),
                   formatBytes(c.bytes), text(c.blocks ? Message("waits") : Message("continues"))});
        if (!c.count.empty())
            counts += "  " + lineOf({"{}: {}", c.tag, c.count});
    }
    return "\n" +
           lineOf(trainer.trainer == plan::Trainer::NeMo ? Message("collectives of a step of NeMo, from the second on")
                                                         : Message("collectives of a step, from the second on")) +
           (trainer.obstacle.empty() ? std::string() : lineOf({"  {}", trainer.obstacle})) + table.text() + counts;
}

} // namespace

std::string collectivesText(const std::vector<plan::TrainerCollectives>& trainers) {
    if (std::ranges::all_of(trainers, [](const plan::TrainerCollectives& one) { return one.step.empty(); }))
        return "\n" + lineOf("collectives: none, since there is only one rank");
    std::string all; // first what this program would start
    for (auto trainer = trainers.rbegin(); trainer != trainers.rend(); ++trainer)
        all += trainerText(*trainer);
    return all;
}

} // namespace rankscope::ctl
