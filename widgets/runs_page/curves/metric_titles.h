// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/tables/metrics.h"

#include <QString>

namespace rankscope::ui {

/// In the user's language: "Loss", "Collective wait".
QString metricTitle(store::Metric metric);

} // namespace rankscope::ui
