// SPDX-License-Identifier: GPL-3.0-or-later
// The recorded run of the tour (resources/tour): it comes with the program and is never written into.
#pragma once

#include "core/base/values/error.h"

#include <QString>

namespace rankscope::ui {

/// Its folder beside the program, above it, or in the working folder; empty: there is none.
QString findTour();

/// A run's folder in `into`, whole and private, that may be looked at and annotated as any other.
Result<QString> copyTour(const QString& from, const QString& into);

} // namespace rankscope::ui
