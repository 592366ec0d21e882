// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exchange/export_selection.h"
#include "core/store/read/run_reader.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace rankscope::exchange {

struct TensorBoardFigures {
    int files = 0;
    std::int64_t points = 0;
};

/// Writes event files for `tensorboard --logdir`, one folder `rank_<r>` per rank. A step is one event with all its
/// series, at the wall-clock time of its end; times are in seconds. Validations are written as `val/loss`, incidents as
/// a text of rank 0. Streamed; each file appears complete or not at all.
Result<TensorBoardFigures> exportTensorBoard(store::RunReader& reader, const std::filesystem::path& dir,
                                             const Selection& selection = {});

} // namespace rankscope::exchange
