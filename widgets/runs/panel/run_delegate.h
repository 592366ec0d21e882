// SPDX-License-Identifier: GPL-3.0-or-later
// Paints two lines per run: mark, name, changes and age; state, figures and the end of the id. Folded, only the mark
// and the end of the id.
#pragma once

#include "widgets/models/view/run_status.h"

#include <QRectF>
#include <QStyledItemDelegate>

class QFontMetrics;
class QPainter;

namespace rankscope::ui {

/// Draws a run's current mark (RunStatus::mark()), which can differ from the mark of its state, for example during a
/// stall.
void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark);
/// Draws the mark that opens the chain of a run, around its centre.
void drawChevron(QPainter& painter, const QPointF& centre, bool opened);

/// Returns `whole` if it fits into `width`, else `brief`, which is elided if it does not fit either.
QString fittingText(const QFontMetrics& metrics, const QString& whole, const QString& brief, int width);

/// Returns the second line of a run: state, parts and figures. What does not fit into `width` is left out, the loss
/// last.
QString secondLine(const QFontMetrics& metrics, const QModelIndex& run, int width);

class RunDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setFolded(bool folded) { m_folded = folded; }
    /// Returns the area in which a press opens or closes the chain of a row; empty if it has none.
    static QRect chevron(const QRect& row, const QModelIndex& index);
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Does nothing: createEditor() fills the editor. A live run's row changes all the time, which must not overwrite
    /// what is being typed.
    void setEditorData(QWidget*, const QModelIndex&) const override {}
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    bool m_folded = false;
};

} // namespace rankscope::ui
