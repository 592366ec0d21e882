// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/risks/risk_rules.h"

#include <QList>
#include <QMetaType>
#include <QString>

namespace rankscope::ui {

/// A key and the value to set it to; a risk may need several settings together as its remedy.
struct KeySetting {
    QString key, yaml; ///< yaml empty: the key is removed
    bool operator==(const KeySetting&) const = default;
};
using KeySettings = QList<KeySetting>;

KeySettings remedyOf(const config::Risk& risk);   ///< empty: no setting removes the risk
QString remedyLabel(const KeySettings& settings); ///< "Set batch_size: 4, accumulate_grad_batches: 2"
QString remedyTip(const KeySettings& settings);   ///< the full keys, one per line

/// Returns the title of a documentation heading or of a diagnosis' cause.
QString preventedTitle(const QString& prevents);

} // namespace rankscope::ui

Q_DECLARE_METATYPE(rankscope::ui::KeySettings)
