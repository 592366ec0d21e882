// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_delegate.h"

#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/theme/theme.h"

#include <QPainter>

namespace rankscope::ui {

namespace {
constexpr int kLead = 22;
}

void IncidentDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto& theme = Theme::instance();
    const bool open = index.data(IncidentModel::OpenRole).toBool();
    const int holder = index.data(IncidentModel::HolderRankRole).toInt();
    QStyleOptionViewItem item = option;
    item.state &= ~QStyle::State_HasFocus;
    if (open && !(option.state & QStyle::State_Selected)) {
        QColor tint = theme.palette().holder;
        tint.setAlphaF(theme.palette().dark ? 0.20F : 0.12F);
        painter->fillRect(option.rect, tint);
    }
    const bool state = index.column() == IncidentModel::StateColumn;
    const bool line = index.column() == IncidentModel::HolderColumn && holder >= 0;
    if (state || line)
        item.rect.adjust(kLead, 0, 0, 0);
    const auto group = option.state & QStyle::State_Active ? QPalette::Active : QPalette::Inactive;
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
    QStyledItemDelegate::paint(painter, item, index);
    const QRectF lead(option.rect.left() + 4, option.rect.top(), kLead - 4, option.rect.height());
    if (state) {
        const auto mark = static_cast<diagnosis::RankState>(index.data(IncidentModel::MarkRole).toInt());
        QColor colour = stateColor(mark);
        if (option.state & QStyle::State_Selected)
            colour = option.palette.color(QPalette::HighlightedText);
        drawStateMark(*painter, QRectF(lead.left() + 2, lead.center().y() - 7, 14, 14), mark, colour);
    }
    if (line) {
        QPen pen = theme.rankPen(holder);
        pen.setWidthF(2.5);
        painter->setPen(pen);
        painter->drawLine(QLineF(lead.left() + 2, lead.center().y(), lead.right(), lead.center().y()));
    }
}

QSize IncidentDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.column() == IncidentModel::StateColumn || index.column() == IncidentModel::HolderColumn)
        size.rwidth() += kLead;
    return size;
}

} // namespace rankscope::ui
