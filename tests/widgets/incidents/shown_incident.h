// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QPushButton>
#include <QString>

#include <cstdint>

namespace rankscope::test {

/// Returns an open stall of rank 1, for which three ranks wait in the length sync.
inline diagnosis::Incident stall(std::int64_t id) {
    diagnosis::Incident in;
    in.id = id;
    in.cause = diagnosis::Cause::DataLoading;
    in.phase = telemetry::Phase::DataWait;
    in.holders = {1};
    in.waiters = {0, 2, 3};
    in.collective = {"sync_max_audio_length", telemetry::CollectiveOp::AllReduce, 0, 512, true};
    in.step = 40;
    in.openedNs = 1'000'000'000;
    in.remedy = {"Set num_workers to 4", "model.train_ds.num_workers", "4"};
    in.evidence = diagnosis::evidenceFromJson({{"reading", "utt_0412.flac"}, {"reading_s", 3.4}});
    return in;
}

/// Returns the button whose text contains `text`; null: there is none.
inline QPushButton* button(QWidget& in, const QString& text) {
    for (auto* b : in.findChildren<QPushButton*>())
        if (b->text().contains(text))
            return b;
    return nullptr;
}

} // namespace rankscope::test
