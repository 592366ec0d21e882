// SPDX-License-Identifier: GPL-3.0-or-later
// The base of tables with one row per item and columns with fixed titles.
#pragma once

#include <QAbstractTableModel>

#include <algorithm>
#include <span>
#include <utility>

namespace rankscope::ui {

class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void retranslate(); ///< call it when the language has changed: all texts are new
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    /// A column title, marked by QT_TR_NOOP() in the model itself, whose translations are used.
    struct Title {
        const char* text;
        const char* tip = nullptr;
    };
    virtual std::span<const Title> titles() const = 0;
    virtual QVariant alignment(int column) const; ///< of a title; to the left unless overridden
    void tellChanged(int firstRow, int lastRow);  ///< does nothing if there are no such rows
};

template <class Rows> class TableOf : public TableModel {
public:
    using TableModel::TableModel;
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }

protected:
    using Row = typename Rows::value_type;
    /// Replaces the rows. Rows that stay are changed in place, and only if they differ.
    void replaceRows(
        Rows next, bool (*same)(const Row&, const Row&) = [](const Row&, const Row&) { return false; }) {
        const int before = rowCount(), after = static_cast<int>(next.size());
        if (after < before) {
            beginRemoveRows({}, after, before - 1);
            m_rows.resize(next.size());
            endRemoveRows();
        } else if (after > before) {
            beginInsertRows({}, before, after - 1);
            m_rows.insert(m_rows.end(), next.begin() + before, next.end());
            endInsertRows();
        }
        std::swap(m_rows, next);
        int row = 0, firstChanged = 0;
        for (; row < std::min(before, after); ++row) {
            if (!same(m_rows.begin()[row], next.begin()[row]))
                continue;
            tellChanged(firstChanged, row - 1);
            firstChanged = row + 1;
        }
        tellChanged(firstChanged, row - 1);
    }

    Rows m_rows;
};

} // namespace rankscope::ui
