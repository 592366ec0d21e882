// SPDX-License-Identifier: GPL-3.0-or-later
// Names that tell compared runs apart: many are made from one recipe, or from recipes whose names begin alike.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QComboBox>
#include <QFontMetrics>

namespace rankscope::ui {

struct RunName {
    QString whole; ///< "quickstart · sync_batchnorm false"
    QString brief; ///< "false · sync_batchnorm", where there is little room; empty: the whole is cut
};

/// Name, what was changed, and id, whole, for tool tips.
QString runTip(const RunRow& run);
/// By run: its name. Where several have it, what is set otherwise than in the first run, else than in the oldest of
/// that name; where that tells them not apart, when they were started, else the shortest end of the id that is its own.
QList<RunName> distinctNames(const QList<RunRow>& runs);
/// Fits into a width: where there is no brief one, the middle of the name gives way, what tells it apart stays.
QString elidedName(const RunName& name, const QFontMetrics& metrics, int width);

/// A choice of runs that elides as elidedName() does.
class RunCombo final : public QComboBox {
    Q_OBJECT
public:
    enum Role {
        kTipRole = Qt::UserRole + 1, ///< of an item: the text of its tool tip, not yet fit to be one
        kBriefRole,                  ///< of an item: RunName::brief
    };

    explicit RunCombo(QWidget* parent = nullptr);
    QString shownText() const; ///< as it is painted

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
};

} // namespace rankscope::ui
