// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that the open one came from and those that came from it, as chips beside its name: "resumed from 2f1f".
#pragma once

#include "widgets/models/view/run_lineage.h"

#include <QList>
#include <QString>
#include <QWidget>

class QToolButton;

namespace rankscope::ui {

/// Runs that belong to the one that is shown.
struct RunKin {
    struct One {
        QString id, dir; ///< dir empty: it is not in the folder of runs any more
        friend bool operator==(const One&, const One&) = default;
    };
    One resumed, repeated;            ///< that it was resumed from; that it repeats. An empty id: none
    QList<One> resumedBy, repeatedBy; ///< newest first
    friend bool operator==(const RunKin&, const RunKin&) = default;
};

class LineageChips final : public QWidget {
    Q_OBJECT
public:
    static constexpr int kHeight = 20;

    explicit LineageChips(QWidget* parent = nullptr);
    void setKin(const RunKin& kin);
    void retranslate();
    /// Shows all chips, or one for all of them, as there is room; returns the width that this takes, 0: nothing.
    int fit(int room);
    QString text() const; ///< as it is read, whatever the room
    QList<QToolButton*> chips() const { return m_chips; }
    QToolButton* folded() const { return m_folded; } ///< one for all

signals:
    void runRequested(const QString& dir);
    void changed(); ///< they need another width

private:
    struct Part {
        QString text, tip;
        QList<RunKin::One> runs;
    };
    void rebuild();
    QToolButton* makeChip(const Part& part);
    void openMenu(QToolButton* under, const QList<Part>& parts);

    RunKin m_kin;
    QList<Part> m_parts;
    QList<QToolButton*> m_chips;
    QToolButton* m_folded;
};

} // namespace rankscope::ui
