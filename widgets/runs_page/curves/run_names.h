// SPDX-License-Identifier: GPL-3.0-or-later
// Distinct names for compared runs: many are made from one recipe, or from recipes with similar names.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QComboBox>
#include <QFontMetrics>

namespace rankscope::ui {

struct RunName {
    QString whole; ///< "quickstart · sync_batchnorm false"
    QString brief; ///< "false · sync_batchnorm", for narrow places; empty: `whole` is elided
};

/// Returns the run's whole name, changes and id, for tool tips.
QString runTip(const RunRow& run);
/// Returns a name for each run. If several have the same name, it is followed by what is set differently than in the
/// first run, or in the oldest of that name; if that is not unique, by the start time, or the shortest unique end of
/// the id.
QList<RunName> distinctNames(const QList<RunRow>& runs);
/// Returns the name fitted into a width: without a brief form, the middle is elided and the distinguishing part stays.
QString elidedName(const RunName& name, const QFontMetrics& metrics, int width);

/// A choice of runs that elides as elidedName() does.
class RunCombo final : public QComboBox {
    Q_OBJECT
public:
    enum RunComboRole {
        kTipRole = Qt::UserRole + 1, ///< of an item: its tool tip's plain text, not yet escaped
        kBriefRole,                  ///< of an item: RunName::brief
    };

    explicit RunCombo(QWidget* parent = nullptr);
    QString shownText() const; ///< as it is painted

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
};

} // namespace rankscope::ui
