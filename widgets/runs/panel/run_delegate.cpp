// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/run_delegate.h"

#include "core/base/values/clock.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/runs/panel/run_filter.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/theme/theme.h"

#include <QLineEdit>
#include <QPainter>

namespace rankscope::ui {

void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark) {
    // a user stopped the run: unlike a stopped rank, that is no incident
    const bool calm = mark == diagnosis::RankState::Stopped;
    drawStateMark(painter, square, mark, calm ? Theme::instance().palette().secondary : stateColor(mark));
}

void drawChevron(QPainter& painter, const QPointF& c, bool opened) {
    painter.setPen(QPen(Theme::instance().palette().secondary, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (opened)
        painter.drawPolyline(QPolygonF{{c.x() - 3.5, c.y() - 1.5}, {c.x(), c.y() + 2}, {c.x() + 3.5, c.y() - 1.5}});
    else
        painter.drawPolyline(QPolygonF{{c.x() - 1.5, c.y() - 3.5}, {c.x() + 2, c.y()}, {c.x() - 1.5, c.y() + 3.5}});
}

QString fittingText(const QFontMetrics& metrics, const QString& whole, const QString& brief, int width) {
    return metrics.horizontalAdvance(whole) <= width ? whole : metrics.elidedText(brief, Qt::ElideRight, width);
}

QString secondLine(const QFontMetrics& metrics, const QModelIndex& run, int width) {
    const int parts = run.data(RunListModel::PartsRole).toInt();
    const QString state = run.data(RunListModel::StateWordRole).toString(),
                  chain = parts > 1 ? RunDelegate::tr("%n part(s)", nullptr, parts) : QString(),
                  detail = run.data(RunListModel::DetailRole).toString(),
                  brief = run.data(RunListModel::BriefDetailRole).toString(),
                  loss = run.data(RunListModel::LossRole).toString();
    QString line;
    for (QStringList words :
         {QStringList{state, chain, detail}, {state, detail}, {state, brief}, {state, loss.isEmpty() ? brief : loss}}) {
        words.removeAll(QString());
        line = words.join(QStringLiteral(" · "));
        if (metrics.horizontalAdvance(line) <= width)
            return line;
    }
    return metrics.elidedText(line, Qt::ElideRight, width);
}

static constexpr int kRow = 44, kFoldedRow = 40, kMark = 14, kPad = 12, kIndent = 14, kChevron = 16;

static bool isOpened(const QModelIndex& index) {
    const auto* filter = qobject_cast<const RunFilter*>(index.model());
    return filter && filter->isOpened(index.data(RunListModel::ChainRole).toString());
}

static int indentOf(const QModelIndex& index) {
    return index.data(RunListModel::PartRole).toBool() ? kIndent : 0;
}

QRect RunDelegate::chevron(const QRect& row, const QModelIndex& index) {
    if (index.data(RunListModel::PartsRole).toInt() < 2)
        return {};
    return {row.left() + kPad - 1, row.top() + 23, kChevron, kChevron};
}

QWidget* RunDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
    auto* edit = new QLineEdit(index.data(Qt::EditRole).toString(), parent);
    edit->setFont(bodyFont());
    edit->setMaxLength(200);
    edit->setPlaceholderText(tr("Name that it was started with"));
    edit->setAccessibleName(tr("Name of the run"));
    return edit;
}

void RunDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const {
    const QRect& r = option.rect;
    editor->setGeometry(r.left() + kPad + kMark + 4, r.top() + 1, r.width() - kPad - kMark - 8, 24);
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {m_folded ? 48 : 160, m_folded ? kFoldedRow : kRow};
}

/// Draws name, changes and age.
static void drawFirstLine(QPainter* painter, const QRect& line, const QModelIndex& index) {
    const Palette& colours = Theme::instance().palette();
    const QString age = ageText(index.data(RunListModel::StartRole).toLongLong(), realtimeNs(),
                                index.data(RunListModel::LiveRole).toBool());
    painter->setFont(secondaryFont());
    painter->setPen(colours.secondary);
    painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, age);
    const int ageWidth = painter->fontMetrics().horizontalAdvance(age) + 8;

    painter->setFont(bodyFont());
    painter->setPen(colours.text);
    QRect name = line.adjusted(0, 0, -ageWidth, 0);
    if (index.data(RunListModel::FavouriteRole).toBool()) {
        painter->drawText(name, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("★"));
        name.adjust(painter->fontMetrics().horizontalAdvance(QStringLiteral("★")) + 4, 0, 0, 0);
    }
    const QString changes = index.data(RunListModel::ChangesRole).toString();
    const QString called =
        painter->fontMetrics().elidedText(index.data(RunListModel::NameRole).toString(), Qt::ElideRight, name.width());
    painter->drawText(name, Qt::AlignLeft | Qt::AlignVCenter, called);
    if (!changes.isEmpty()) { // they distinguish the run from others of its name
        name.setLeft(name.left() + painter->fontMetrics().horizontalAdvance(called) + 6);
        painter->setFont(secondaryFont());
        painter->setPen(colours.secondary);
        if (name.width() > 30)
            painter->drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                              fittingText(painter->fontMetrics(), changes,
                                          index.data(RunListModel::BriefChangesRole).toString(), name.width()));
    }
}

/// Returns the end of the run's id, by which other pages name it.
static QString shortId(const QFontMetrics& metrics, const QModelIndex& index, int width) {
    return metrics.elidedText(index.data(RunListModel::ShortIdRole).toString(), Qt::ElideLeft, width);
}

/// Draws state, figures and the end of the id.
static void drawSecondLine(QPainter* painter, QRect line, const QModelIndex& index) {
    painter->setFont(secondaryFont());
    painter->setPen(Theme::instance().palette().secondary);
    const QString id = shortId(painter->fontMetrics(), index, line.width() / 4);
    painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, id);
    line.setRight(line.right() - painter->fontMetrics().horizontalAdvance(id) - 8);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, secondLine(painter->fontMetrics(), index, line.width()));
}

/// Draws the mark and, below it, the end of the id, which distinguishes runs with the same mark.
static void drawFolded(QPainter* painter, const QRect& row, const QModelIndex& index) {
    painter->setFont(secondaryFont());
    painter->setPen(Theme::instance().palette().secondary);
    const int line = painter->fontMetrics().height(), top = row.top() + (row.height() - kMark - line) / 2;
    painter->drawText(QRect(row.left() + 3, top + kMark, row.width() - 6, line), Qt::AlignCenter,
                      shortId(painter->fontMetrics(), index, row.width() - 6));
    drawRunMark(*painter, QRectF(row.left() + (row.width() - kMark) / 2.0, top, kMark, kMark),
                static_cast<diagnosis::RankState>(index.data(RunListModel::MarkRole).toInt()));
}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Palette& colours = Theme::instance().palette();
    const QRect r = option.rect;
    painter->save();
    if (option.state & QStyle::State_Selected) {
        painter->fillRect(r, colours.selectedRow());
        painter->fillRect(r.left(), r.top(), 3, r.height(), colours.accent);
    } else if (option.state & QStyle::State_MouseOver) {
        painter->fillRect(r, blend(colours.window, colours.secondary, 0.08));
    }
    if (m_folded) {
        drawFolded(painter, r, index);
        painter->restore();
        return;
    }
    const int indent = indentOf(index);
    drawRunMark(*painter, QRectF(r.left() + kPad + indent, r.top() + 7, kMark, kMark),
                static_cast<diagnosis::RankState>(index.data(RunListModel::MarkRole).toInt()));
    if (const QRect at = chevron(r, index); !at.isEmpty()) {
        painter->setRenderHint(QPainter::Antialiasing);
        drawChevron(*painter, QRectF(at).center(), isOpened(index));
        painter->setRenderHint(QPainter::Antialiasing, false);
    }

    const QRect text = r.adjusted(kPad + kMark + 8 + indent, 4, -kPad, -4);
    const QRect top(text.left(), text.top(), text.width(), text.height() / 2);
    drawFirstLine(painter, top, index);
    drawSecondLine(painter, {text.left(), top.bottom() + 1, text.width(), text.height() / 2}, index);
    painter->restore();
}

} // namespace rankscope::ui
