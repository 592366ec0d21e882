// SPDX-License-Identifier: GPL-3.0-or-later
// Names that tell compared runs apart: many are made from one recipe, or from recipes whose names begin alike.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QComboBox>
#include <QFontMetrics>

namespace rankscope::ui {

/// Name, what was changed, and id, whole, for tool tips.
QString runTip(const RunRow& run);
/// By run: its name; where several have it, what was changed behind it; where that tells them not apart, the shortest
/// end of its id that the others do not have.
QStringList distinctNames(const QList<RunRow>& runs);
/// Fits into a width: the middle of the name gives way, the end of the id stays.
QString elidedName(const QString& name, const QFontMetrics& metrics, int width);

/// A choice of runs that elides as elidedName() does.
class RunCombo final : public QComboBox {
    Q_OBJECT
public:
    /// Of an item: the text of its tool tip, not yet fit to be one.
    static constexpr int kTipRole = Qt::UserRole + 1;

    explicit RunCombo(QWidget* parent = nullptr);
    QString shownText() const; ///< as it is painted

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
};

} // namespace rankscope::ui
