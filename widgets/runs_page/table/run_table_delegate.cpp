// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/run_table_delegate.h"

#include "widgets/runs/panel/run_delegate.h"
#include "widgets/runs_page/table/run_table_model.h"
#include "widgets/theme/theme.h"

#include <QCompleter>
#include <QLineEdit>
#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kPad = 8, kMark = 12;

void paintStar(QPainter* painter, const QRect& rect, bool on, bool hover) {
    if (!on && !hover)
        return;
    const Palette& p = Theme::instance().palette();
    painter->setPen(on ? p.caution : p.secondary);
    painter->setFont(bodyFont());
    painter->drawText(rect, Qt::AlignCenter, on ? QStringLiteral("★") : QStringLiteral("☆"));
}

void paintTags(QPainter* painter, QRect rect, const QStringList& tags) {
    const Palette& p = Theme::instance().palette();
    painter->setFont(secondaryFont());
    const QFontMetrics metrics = painter->fontMetrics();
    rect.adjust(kPad, 0, -4, 0);
    for (const QString& tag : tags) {
        const int room = rect.width();
        if (room < 24)
            break;
        const int width = std::min(metrics.horizontalAdvance(tag) + 12, room);
        const QRectF chip(rect.left() + 0.5, rect.center().y() - 8 + 0.5, width - 1, 17);
        painter->setPen(QPen(p.hairline, 1));
        painter->setBrush(p.raised);
        painter->drawRoundedRect(chip, 4, 4);
        painter->setPen(p.text);
        painter->drawText(chip.adjusted(6, 0, -5, 0), static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft),
                          metrics.elidedText(tag, Qt::ElideRight, width - 11));
        rect.setLeft(rect.left() + width + 4);
    }
}

} // namespace

RunTableDelegate::RunTableDelegate(const RunTableModel* model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

const RunField& RunTableDelegate::fieldOf(const QModelIndex& index) const {
    return m_model->columns()[index.column()];
}

void RunTableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const FieldId id = fieldOf(index).id;
    const Palette& p = Theme::instance().palette();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect r = option.rect;
    if (option.state & QStyle::State_Selected)
        painter->fillRect(r, p.selectedRow());
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(r, blend(p.panel, p.secondary, 0.06));
    const QString text = index.data(Qt::DisplayRole).toString();
    if (id == FieldId::Favourite) {
        paintStar(painter, r, !text.isEmpty(), option.state & QStyle::State_MouseOver);
    } else if (id == FieldId::Tags) {
        paintTags(painter, r, index.data(RunTableModel::TagsRole).toStringList());
    } else {
        QRect at = r.adjusted(kPad, 0, -kPad, 0);
        if (id == FieldId::State) {
            QRectF mark(0, 0, kMark, kMark);
            mark.moveCenter(QPointF(at.left() + kMark / 2.0, r.center().y() + 0.5));
            drawRunMark(*painter, mark, static_cast<diagnosis::RankState>(index.data(RunTableModel::MarkRole).toInt()));
            at.setLeft(at.left() + kMark + 6);
        } else if (id == FieldId::Name) {
            at.setLeft(at.left() + chainIndent(painter, r, index));
        }
        painter->setFont(bodyFont());
        const auto verdict = static_cast<Verdict>(index.data(RunTableModel::VerdictRole).toInt());
        painter->setPen(verdict != Verdict::None ? changeColour(verdict) : text.isEmpty() ? p.secondary : p.text);
        const int align = index.data(Qt::TextAlignmentRole).toInt();
        const QString whole = text.isEmpty() && id != FieldId::Note ? QStringLiteral("–") : text;
        const QString brief = id == FieldId::Changes ? index.data(RunTableModel::BriefChangesRole).toString() : whole;
        painter->drawText(at, align, fittingText(painter->fontMetrics(), whole, brief, at.width()));
    }
    painter->fillRect(r.left(), r.bottom(), r.width(), 1, blend(p.panel, p.hairline, 0.5));
    if (option.state & QStyle::State_HasFocus) {
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setPen(QPen(p.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(r.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

QWidget* RunTableDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
    auto* edit = new QLineEdit(index.data(Qt::EditRole).toString(), parent);
    edit->setFrame(false);
    if (fieldOf(index).id == FieldId::Name)
        edit->setMaxLength(200);
    if (fieldOf(index).id != FieldId::Tags) {
        edit->setPlaceholderText(fieldOf(index).id == FieldId::Name ? tr("Name that it was started with") : tr("Note"));
        return edit;
    }
    edit->setPlaceholderText(tr("Tags, separated by commas"));
    auto* completer = new QCompleter(m_model->allTags(), edit);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setWidget(edit);
    // the last tag is the one being typed
    connect(edit, &QLineEdit::textEdited, completer, [completer](const QString& text) {
        const QString typed = text.section(QLatin1Char(','), -1).trimmed();
        completer->setCompletionPrefix(typed);
        if (!typed.isEmpty() && completer->completionCount() > 0)
            completer->complete();
    });
    connect(completer, qOverload<const QString&>(&QCompleter::activated), edit, [edit](const QString& tag) {
        const QString text = edit->text();
        const qsizetype comma = text.lastIndexOf(QLatin1Char(','));
        edit->setText((comma < 0 ? QString() : text.left(comma + 1) + QLatin1Char(' ')) + tag);
    });
    return edit;
}

/// Draws the mark that opens a chain; returns the indent of the name.
int RunTableDelegate::chainIndent(QPainter* painter, const QRect& cell, const QModelIndex& index) const {
    const auto* proxy = qobject_cast<const RunTableProxy*>(index.model());
    if (!proxy || !proxy->isFolding() || index.data(RunTableModel::ChainRole).toString().isEmpty())
        return 0;
    if (index.data(RunTableModel::PartRole).toBool())
        return 2 * kChevron;
    const bool opened = proxy->isOpened(index.data(RunTableModel::ChainRole).toString());
    drawChevron(*painter, QPointF(cell.left() + kPad + kChevron / 2.0 - 1, cell.center().y() + 0.5), opened);
    return kChevron + 4;
}

} // namespace rankscope::ui
