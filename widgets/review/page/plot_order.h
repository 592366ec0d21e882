// SPDX-License-Identifier: GPL-3.0-or-later
// Where a plot may go among the others: pinned ones stay above all that are not.
#pragma once

#include <QList>

namespace rankscope::ui {

/// The place nearest to `to` that the plot at `from` may have; places are counted without it.
qsizetype allowedPlace(const QList<bool>& pinned, qsizetype from, qsizetype to);
/// The same for gaps: before which plot it would be dropped, all of them counted.
qsizetype allowedGap(const QList<bool>& pinned, qsizetype from, qsizetype gap);

} // namespace rankscope::ui
