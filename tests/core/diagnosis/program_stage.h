// SPDX-License-Identifier: Apache-2.0
// Ranks of a program that was not started from a recipe, with what they report set by hand.
#pragma once

#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/remedy.h"
#include "tests/core/diagnosis/stage.h"

#include <QString>

#include <string>

namespace rankscope::diagnosis::test {

/// Settings of a program without a recipe.
inline Settings programSettings() {
    Settings settings;
    settings.recipe = false;
    return settings;
}

/// Ranks of a program that was not started from a recipe.
struct Program : Stage {
    explicit Program(int world) : Stage(world, programSettings()) {}
    /// A call that all ranks have made.
    void call(std::uint64_t sequence, const std::string& tag, std::int64_t count, std::int64_t step,
              CollectiveOp op = CollectiveOp::AllReduce) {
        for (int r = 0; r < static_cast<int>(records.size()); ++r)
            called(r, sequence, tag, count, step, op);
    }
    /// A call that a rank has left.
    void called(int r, std::uint64_t sequence, const std::string& tag, std::int64_t count, std::int64_t step,
                CollectiveOp op = CollectiveOp::AllReduce) {
        CollectiveRecord c;
        c.sequence = sequence;
        c.op = op;
        c.dtype = 6;
        c.count = count;
        c.arrivedNs = now;
        putText(c.tag, sizeof c.tag, tag);
        tell(r, c, step);
    }
    void spent(int r, Phase phase, std::int64_t beginNs, std::int64_t endNs) {
        PhaseRecord p;
        p.phase = phase;
        p.beginNs = beginNs;
        p.endNs = endNs;
        tell(r, p, board(r).step);
    }
    void end(int r, EndCause cause, const std::string& text, std::uint64_t dropped = 0) {
        EndRecord e;
        e.cause = cause;
        e.droppedRecords = dropped;
        putText(e.text, sizeof e.text, text);
        tell(r, e, -1);
        board(r).stage = stageAfter(cause);
    }
    ResourceView& resources(int r) {
        auto& view = seen.ranks[static_cast<std::size_t>(r)].resources;
        return view ? *view : view.emplace();
    }
    QString said(bool withRemedy = false) const {
        return QString::fromStdString(sentence(only(), now, withRemedy).english());
    }
    bool speaksChinese() const {
        const std::string text = sentence(only(), now).text(Language::Chinese);
        return text != sentence(only(), now).english() && !remedyText(only()).empty() &&
               remedyText(only()).text(Language::Chinese) != remedyText(only()).english();
    }
};

} // namespace rankscope::diagnosis::test
