// SPDX-License-Identifier: GPL-3.0-or-later
// A new snapshot of the runs as ranged changes of a model, so that selection and scroll position stay.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QSet>

#include <algorithm>

namespace rankscope::ui {

/// `model` tells its views what happens to `rows`: beginRemove(first, last), endRemove(), beginMove(from, to),
/// endMove(), beginInsert(first, last), endInsert(), changed(first, last).
template <class Model> void mergeRows(QList<RunRow>& rows, const QList<RunRow>& wanted, Model&& model) {
    QSet<QString> keep;
    for (const RunRow& row : wanted)
        keep.insert(row.dir());
    for (int last = static_cast<int>(rows.size()) - 1; last >= 0; --last) {
        if (keep.contains(rows[last].dir()))
            continue;
        int first = last;
        while (first > 0 && !keep.contains(rows[first - 1].dir()))
            --first;
        model.beginRemove(first, last);
        rows.remove(first, last - first + 1);
        model.endRemove();
        last = first;
    }
    QSet<QString> known;
    for (const RunRow& row : rows)
        known.insert(row.dir());
    int changedFrom = -1;
    const auto flush = [&](int end) {
        if (changedFrom >= 0)
            model.changed(changedFrom, end - 1);
        changedFrom = -1;
    };
    for (int i = 0; i < wanted.size(); ++i) {
        if (i < rows.size() && rows[i].paths.dir == wanted[i].paths.dir) {
            if (sameShown(rows[i], wanted[i])) {
                flush(i);
                continue;
            }
            rows[i] = wanted[i];
            changedFrom = changedFrom < 0 ? i : changedFrom;
            continue;
        }
        flush(i);
        if (known.contains(wanted[i].dir())) {
            int old = i + 1;
            while (rows[old].paths.dir != wanted[i].paths.dir)
                ++old;
            model.beginMove(old, i);
            rows.move(old, i);
            rows[i] = wanted[i];
            model.endMove();
            model.changed(i, i);
            continue;
        }
        int last = i; // new ones usually come together
        while (last + 1 < wanted.size() && !known.contains(wanted[last + 1].dir()))
            ++last;
        model.beginInsert(i, last);
        rows.insert(i, last - i + 1, RunRow());
        std::copy(wanted.begin() + i, wanted.begin() + last + 1, rows.begin() + i);
        model.endInsert();
        i = last;
    }
    flush(static_cast<int>(wanted.size()));
}

} // namespace rankscope::ui
