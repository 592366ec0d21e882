// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/tree/value_delegate.h"

#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace rankscope::ui {

/// Property of an editor in which Enter was pressed.
static constexpr const char* kEntered = "rankscopeEntered";

/// Returns the values that a combo box offers for a type: its choices, true and false, or none.
static QStringList offeredValues(const QString& type, const QStringList& choices) {
    if (!choices.isEmpty())
        return choices;
    return type == QLatin1String("bool") ? QStringList{QStringLiteral("true"), QStringLiteral("false")} : QStringList{};
}

/// Returns the row's data, read through any proxy.
static config::KeyRow rowOf(const QModelIndex& index) {
    config::KeyRow row;
    const QString key = index.data(RecipeModel::KeyRole).toString();
    row.key = key.toStdString();
    row.type = index.data(RecipeModel::TypeRole).toString().toStdString();
    for (const QString& one : index.data(RecipeModel::ChoicesRole).toStringList())
        row.choices.push_back(one.toStdString());
    row.spec = static_cast<const config::KeySpec*>(index.data(RecipeModel::SpecRole).value<const void*>());
    return row;
}

QWidget* ValueDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
    const config::KeyRow row = rowOf(index);
    auto* self = const_cast<ValueDelegate*>(this);
    const ValueKind kind = valueKind(row);
    if (kind != ValueKind::Switch && kind != ValueKind::Choice) {
        auto* line = new ValueLine(row, parent);
        connect(line, &ValueLine::extraRequested, self,
                [self, line, at = QPersistentModelIndex(index)](ValueKind which) {
                    emit self->closeEditor(line, RevertModelCache);
                    emit self->extraRequested(at, which);
                });
        return line;
    }
    auto* combo = new QComboBox(parent);
    combo->setFont(monoFont());
    // an interpolation or null may be written instead of a listed value
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->addItems(
        offeredValues(QString::fromStdString(row.type), index.data(RecipeModel::ChoicesRole).toStringList()));
    connect(combo, &QComboBox::activated, self, [self, combo] {
        if (combo->property(kEntered).toBool())
            return; // the base class closes it
        emit self->commitData(combo);
        emit self->closeEditor(combo);
    });
    return combo;
}

void ValueDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    const QString value = index.data(Qt::EditRole).toString();
    if (auto* combo = qobject_cast<QComboBox*>(editor)) {
        combo->setCurrentIndex(combo->findText(value));
        combo->setEditText(value);
        combo->lineEdit()->selectAll();
    } else if (auto* line = qobject_cast<QLineEdit*>(editor)) {
        if (line->isModified())
            return; // an evaluation must not overwrite what is being typed
        line->setText(value);
        line->selectAll();
    }
}

void ValueDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const {
    if (auto* combo = qobject_cast<QComboBox*>(editor))
        model->setData(index, combo->currentText(), Qt::EditRole);
    else if (auto* line = qobject_cast<QLineEdit*>(editor))
        model->setData(index, line->text(), Qt::EditRole);
}

bool ValueDelegate::eventFilter(QObject* editor, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
        if (enter)
            editor->setProperty(kEntered, true);
        // invalid YAML stays in the line, with the message below, until it is corrected or Escape is pressed
        const auto* line = qobject_cast<ValueLine*>(editor);
        if (line && !line->canCommit() && (enter || key == Qt::Key_Tab))
            return true;
    }
    return QStyledItemDelegate::eventFilter(editor, event);
}

QSize ValueDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return {QStyledItemDelegate::sizeHint(option, index).width(), 24};
}

void ValueDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                         const QModelIndex& index) const {
    QStyledItemDelegate::updateEditorGeometry(editor, option, index);
    static constexpr int kNumber = 150, kText = 300, kAround = 56; ///< kAround: margins and the button
    const auto* line = qobject_cast<ValueLine*>(editor);
    const int text = editor->fontMetrics().horizontalAdvance(index.data(Qt::EditRole).toString()) + kAround;
    const int wanted = !line || line->kind() == ValueKind::Number ? kNumber : std::max(kText, text);
    const int room = editor->parentWidget()->width() - editor->x();
    editor->resize(std::max(editor->width(), std::min(wanted, room)), editor->height());
}

bool ValueDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                              const QModelIndex& index) {
    if (event->type() != QEvent::ToolTip || !index.isValid())
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    const QString shown = index.data().toString();
    QString tip = index.data(RecipeModel::TipRole).toString();
    int room = option.rect.width() - 12;
    if (index.data(RecipeModel::SwitchRole).isValid())
        room -= 30;
    if (index.column() != RecipeModel::Key && option.fontMetrics.horizontalAdvance(shown) > room &&
        !tip.startsWith(shown))
        tip.prepend(tip.isEmpty() ? shown : shown + QLatin1Char('\n'));
    QToolTip::showText(event->globalPos(), plainToolTip(tip), view);
    return true;
}

QRect ValueDelegate::switchRect(const QRect& cell) {
    return {cell.left() + 4, cell.center().y() - 5, 24, 13};
}

QRect ValueDelegate::markRect(const QRect& cell) {
    return {cell.right() - 22, cell.top(), 22, cell.height()};
}

bool ValueDelegate::flip(const QModelIndex& index) {
    const QModelIndex cell = index.siblingAtColumn(RecipeModel::Yours);
    const QVariant on = cell.data(RecipeModel::SwitchRole);
    if (!on.isValid())
        return false;
    return const_cast<QAbstractItemModel*>(cell.model())
        ->setData(cell, on.toBool() ? QStringLiteral("false") : QStringLiteral("true"), Qt::EditRole);
}

bool ValueDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                const QModelIndex& index) {
    if (event->type() == QEvent::MouseButtonRelease || event->type() == QEvent::MouseButtonDblClick) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const bool released = event->type() == QEvent::MouseButtonRelease;
        if (mouse->button() == Qt::LeftButton && index.column() == RecipeModel::Yours &&
            index.data(RecipeModel::SwitchRole).isValid() && switchRect(option.rect).contains(mouse->pos()))
            return released ? flip(index) : true;
        if (mouse->button() == Qt::LeftButton && released && index.column() == RecipeModel::Key &&
            markRect(option.rect).contains(mouse->pos()))
            emit markClicked(index);
    }
    return QStyledItemDelegate::editorEvent(event, model, option, index);
}

void ValueDelegate::paintSwitch(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Palette& p = Theme::instance().palette();
    const bool on = index.data(RecipeModel::SwitchRole).toBool();
    const bool written = !index.data().toString().isEmpty();
    const QRectF track = QRectF(switchRect(option.rect)).adjusted(0.5, 0.5, -0.5, -0.5);
    const QColor ink = on ? p.accent : p.secondary;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(written ? 1.0 : 0.45); // pale: a value in effect that is not in the file
    painter.setPen(QPen(ink, 1));
    painter.setBrush(on ? QBrush(ink) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(track, track.height() / 2, track.height() / 2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(on ? p.panel : ink);
    const double d = track.height() - 5;
    painter.drawEllipse(QRectF(on ? track.right() - d - 2.5 : track.left() + 2.5, track.center().y() - d / 2, d, d));
    painter.restore();
}

static bool hasMark(const QModelIndex& index) {
    return index.data(RecipeModel::WorstRole).isValid();
}

void ValueDelegate::paintMark(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int below = index.data(RecipeModel::LeafRole).toBool() ? 0 : index.data(RecipeModel::ProblemsRole).toInt();
    const QRect r = option.rect;
    const bool selected = option.state & QStyle::State_Selected;
    if (selected) {
        const auto group = option.state & QStyle::State_Active ? QPalette::Active : QPalette::Inactive;
        painter.fillRect(QRectF(r.right() - 22, r.top(), 23, r.height()),
                         option.palette.color(group, QPalette::Highlight));
    }
    // the selection is pale: marks keep their colour on it
    drawMark(painter, QRectF(r.right() - 18, r.center().y() - 6, 13, 13),
             static_cast<MarkSeverity>(index.data(RecipeModel::WorstRole).toInt()));
    if (below > 0) { // a closed section shows the number of problems below it
        painter.save();
        painter.setFont(secondaryFont());
        painter.setPen(selected ? option.palette.color(QPalette::HighlightedText)
                                : Theme::instance().palette().secondary);
        painter.drawText(QRect(r.right() - 52, r.top(), 30, r.height()), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(below));
        painter.restore();
    }
}

void ValueDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    if (index.column() == RecipeModel::Yours && index.data(RecipeModel::SwitchRole).isValid()) {
        QStyleOptionViewItem back(option);
        initStyleOption(&back, index);
        const QString text = back.text;
        back.text.clear();
        const QWidget* widget = option.widget;
        (widget ? widget->style() : QApplication::style())
            ->drawControl(QStyle::CE_ItemViewItem, &back, painter, widget);
        paintSwitch(*painter, option, index);
        painter->save();
        painter->setPen(option.state & QStyle::State_Selected ? option.palette.color(QPalette::HighlightedText)
                                                              : back.palette.color(QPalette::Text));
        painter->setFont(back.font);
        painter->drawText(option.rect.adjusted(36, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
        painter->restore();
        return;
    }
    if (index.column() != RecipeModel::Key || !hasMark(index))
        return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem text(option); // the name ends before the mark
    text.rect.setRight(markRect(option.rect).left());
    QStyledItemDelegate::paint(painter, text, index);
    paintMark(*painter, option, index);
}

} // namespace rankscope::ui
