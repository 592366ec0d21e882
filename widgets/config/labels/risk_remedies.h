// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/risks/risk_rules.h"

#include <QList>
#include <QMetaType>
#include <QString>

namespace rankscope::ui {

/// A key and the value that it is to get; a risk is remedied by several set together.
struct KeySetting {
    QString key, yaml; ///< yaml empty: the key is removed
    bool operator==(const KeySetting&) const = default;
};
using KeySettings = QList<KeySetting>;

KeySettings remedyOf(const config::Risk& risk);   ///< empty: no setting cures it
QString remedyLabel(const KeySettings& settings); ///< "Set batch_size: 4, accumulate_grad_batches: 2"
QString remedyTip(const KeySettings& settings);   ///< the whole keys, a line each

/// A heading of the documentation, or a diagnosis' cause, by its title.
QString preventedTitle(const QString& prevents);

} // namespace rankscope::ui

Q_DECLARE_METATYPE(rankscope::ui::KeySettings)
