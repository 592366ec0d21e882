// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/plot_order.h"

#include <algorithm>

namespace rankscope::ui {

qsizetype allowedPlace(const QList<bool>& pinned, qsizetype from, qsizetype to) {
    const qsizetype above = pinned.count(true) - pinned[from];
    return pinned[from] ? std::clamp<qsizetype>(to, 0, above) : std::clamp<qsizetype>(to, above, pinned.size() - 1);
}

qsizetype allowedGap(const QList<bool>& pinned, qsizetype from, qsizetype gap) {
    const qsizetype above = pinned.count(true);
    return pinned[from] ? std::clamp<qsizetype>(gap, 0, above) : std::clamp<qsizetype>(gap, above, pinned.size());
}

} // namespace rankscope::ui
