// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/base/table_model.h"

#include <QCoreApplication>

namespace rankscope::ui {

void TableModel::retranslate() {
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    tellChanged(0, rowCount() - 1);
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(titles().size());
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return alignment(section);
    if ((role != Qt::DisplayRole && role != Qt::ToolTipRole) || section < 0 || section >= columnCount())
        return {};
    const Title& title = titles()[static_cast<std::size_t>(section)];
    const char* text = role == Qt::DisplayRole ? title.text : title.tip;
    return text ? QCoreApplication::translate(metaObject()->className(), text) : QVariant();
}

QVariant TableModel::alignment(int) const {
    return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
}

void TableModel::tellChanged(int firstRow, int lastRow) {
    if (firstRow <= lastRow)
        emit dataChanged(index(firstRow, 0), index(lastRow, columnCount() - 1));
}

} // namespace rankscope::ui
