// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/value_delegate.h"

#include "widgets/config/recipe_model.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPainter>

namespace rankscope::ui {

QStringList offeredValues(const QString& type, const QStringList& choices) {
    if (!choices.isEmpty())
        return choices;
    return type == QLatin1String("bool") ? QStringList{QStringLiteral("true"), QStringLiteral("false")} : QStringList{};
}

QWidget* ValueDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
    const QStringList values = offeredValues(index.data(RecipeModel::TypeRole).toString(),
                                             index.data(RecipeModel::ChoicesRole).toStringList());
    if (values.isEmpty()) {
        auto* line = new QLineEdit(parent);
        line->setFont(monoFont());
        line->setFrame(true);
        return line;
    }
    auto* combo = new QComboBox(parent);
    combo->setFont(monoFont());
    // an interpolation or null may stand where a value of the set does
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->addItems(values);
    auto* self = const_cast<ValueDelegate*>(this);
    connect(combo, &QComboBox::activated, self, [self, combo] {
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

QSize ValueDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return {QStyledItemDelegate::sizeHint(option, index).width(), 24};
}

void ValueDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() != RecipeModel::Key || !index.data(RecipeModel::LeafRole).toBool())
        return;
    const bool risk = !index.data(RecipeModel::RiskRole).toString().isEmpty();
    const bool wrong = !index.data(RecipeModel::ErrorRole).toString().isEmpty();
    if (!risk && !wrong)
        return;
    const Palette& colours = Theme::instance().palette();
    const QRect r = option.rect;
    const QRectF mark(r.right() - 18, r.center().y() - 6, 13, 13);
    painter->save();
    painter->fillRect(QRectF(r.right() - 22, r.top() + 1, 22, r.height() - 2),
                      option.state & QStyle::State_Selected ? option.palette.color(QPalette::Highlight)
                                                            : colours.panel);
    painter->restore();
    Theme::drawStateMark(*painter, mark, wrong ? diagnosis::RankState::Dead : diagnosis::RankState::Holder,
                         wrong ? colours.dead : colours.waiting);
}

} // namespace rankscope::ui
