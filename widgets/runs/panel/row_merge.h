// SPDX-License-Identifier: GPL-3.0-or-later
// Applies a new snapshot of the runs to a model as ranged changes, so that selection and scroll position stay.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QAbstractItemModel>
#include <QHash>
#include <QSet>

#include <algorithm>

namespace rankscope::ui {

/// A model with one row per run, the newest first. `Model` is the base class of a list or a table model.
template <class Model> class RunRows : public Model {
public:
    using Model::Model;
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    const QList<RunRow>& rows() const { return m_rows; }
    /// Returns the row of the run in this folder; -1 if there is none.
    int rowOf(const QString& dir) const {
        if (m_rowOf.isEmpty())
            for (int row = 0; row < m_rows.size(); ++row)
                m_rowOf.insert(m_rows[row].dir(), row);
        return m_rowOf.value(dir, -1);
    }
    /// Returns the row of the newest run of its chain; `row` itself if that run is not here.
    int chainRow(int row) const {
        const RunRow& run = m_rows[row];
        const auto& folder = run.paths.dir;
        const int newest =
            run.isPart() ? rowOf(QString::fromStdString((folder.parent_path() / run.chain).string())) : row;
        return newest < 0 ? row : newest;
    }

protected:
    void merge(const QList<RunRow>& wanted);
    // data that a model keeps next to its rows has to follow their changes
    virtual void removeBeside(int, int) {} ///< first, last
    virtual void moveBeside(int, int) {}   ///< from, to
    virtual void insertBeside(int, int) {} ///< first, last
    virtual void tellChanged(int first, int last) {
        emit this->dataChanged(this->index(first, 0), this->index(last, 0));
    }

    QList<RunRow> m_rows;

private:
    static bool sameRun(const RunRow& a, const RunRow& b) { return a.paths.dir.native() == b.paths.dir.native(); }
    void removeOthers(const QList<RunRow>& wanted);
    mutable QHash<QString, int> m_rowOf; ///< by folder; empty: to be rebuilt
};

template <class Model> void RunRows<Model>::removeOthers(const QList<RunRow>& wanted) {
    QSet<QString> keep;
    for (const RunRow& row : wanted)
        keep.insert(row.dir());
    for (int last = static_cast<int>(m_rows.size()) - 1; last >= 0; --last) {
        if (keep.contains(m_rows[last].dir()))
            continue;
        int first = last;
        while (first > 0 && !keep.contains(m_rows[first - 1].dir()))
            --first;
        this->beginRemoveRows({}, first, last);
        removeBeside(first, last);
        m_rows.remove(first, last - first + 1);
        m_rowOf.clear();
        this->endRemoveRows();
        last = first;
    }
}

template <class Model> void RunRows<Model>::merge(const QList<RunRow>& wanted) {
    QSet<QString> known; // not needed while the runs are the same as before, which is nearly always
    if (!std::equal(m_rows.begin(), m_rows.end(), wanted.begin(), wanted.end(), sameRun)) {
        removeOthers(wanted);
        for (const RunRow& row : m_rows)
            known.insert(row.dir());
    }
    int changedFrom = -1;
    const auto flush = [&](int end) {
        if (changedFrom >= 0)
            tellChanged(changedFrom, end - 1);
        changedFrom = -1;
    };
    for (int i = 0; i < wanted.size(); ++i) {
        if (i < m_rows.size() && sameRun(m_rows[i], wanted[i])) {
            if (sameShown(m_rows[i], wanted[i])) {
                flush(i);
                continue;
            }
            m_rows[i] = wanted[i];
            changedFrom = changedFrom < 0 ? i : changedFrom;
            continue;
        }
        flush(i);
        if (known.contains(wanted[i].dir())) {
            int old = i + 1;
            while (!sameRun(m_rows[old], wanted[i]))
                ++old;
            this->beginMoveRows({}, old, old, {}, i);
            moveBeside(old, i);
            m_rows.move(old, i);
            m_rows[i] = wanted[i];
            m_rowOf.clear();
            this->endMoveRows();
            tellChanged(i, i);
            continue;
        }
        int last = i; // new ones usually come together
        while (last + 1 < wanted.size() && !known.contains(wanted[last + 1].dir()))
            ++last;
        this->beginInsertRows({}, i, last);
        insertBeside(i, last);
        m_rows.insert(i, last - i + 1, RunRow());
        std::copy(wanted.begin() + i, wanted.begin() + last + 1, m_rows.begin() + i);
        m_rowOf.clear();
        this->endInsertRows();
        i = last;
    }
    flush(static_cast<int>(wanted.size()));
}

} // namespace rankscope::ui
