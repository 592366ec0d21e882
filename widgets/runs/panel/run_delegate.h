// SPDX-License-Identifier: GPL-3.0-or-later
// Two lines per run: mark, name, what was changed, age; state word, figures, end of the id. Folded: the mark alone.
#pragma once

#include "widgets/models/view/run_status.h"

#include <QRectF>
#include <QStyledItemDelegate>

class QFontMetrics;
class QPainter;

namespace rankscope::ui {

/// Draws the mark of a run as it is now (RunNow::mark()), which may be more than its state says.
void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark);
/// Draws the mark that opens the chain of a run, around its centre.
void drawChevron(QPainter& painter, const QPointF& centre, bool opened);

/// `whole` if it fits into `width`, else `brief`, cut at its end where even that does not fit.
QString fittingText(const QFontMetrics& metrics, const QString& whole, const QString& brief, int width);

class RunDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setFolded(bool folded) { m_folded = folded; }
    /// Where a press opens or closes the chain of a row; empty: it has none.
    static QRect chevron(const QRect& row, const QModelIndex& index);
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// createEditor() fills it. A live run's row changes all the time, which must not undo what is being typed.
    void setEditorData(QWidget*, const QModelIndex&) const override {}
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    bool m_folded = false;
};

} // namespace rankscope::ui
