// SPDX-License-Identifier: GPL-3.0-or-later
// Chips next to the open run's name for the runs that it came from and those that came from it: "resumed from 2f1f".
#pragma once

#include "widgets/models/view/run_lineage.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <cstdint>

class QToolButton;

namespace rankscope::ui {

/// Runs related to the one that is shown.
struct RelatedRuns {
    struct One {
        QString id, dir; ///< dir empty: it is no longer in the runs folder
        friend bool operator==(const One&, const One&) = default;
    };
    One resumed, repeated;            ///< the run that it was resumed from; the run that it repeats. Empty id: none
    QList<One> resumedBy, repeatedBy; ///< newest first
    int earlierRuns = 0;              ///< number of runs before it in its chain of resumed runs
    std::int64_t earlierNs = 0;       ///< how long these lasted together
    friend bool operator==(const RelatedRuns&, const RelatedRuns&) = default;
};

class LineageChips final : public QWidget {
    Q_OBJECT
public:
    static constexpr int kHeight = 20;

    explicit LineageChips(QWidget* parent = nullptr);
    void setKin(const RelatedRuns& kin);
    void retranslate();
    /// Shows all chips, or one for all of them, depending on `room`; returns the width used, 0 if nothing is shown.
    int fit(int room);
    QString text() const; ///< the full text, independent of the room
    QList<QToolButton*> chips() const { return m_chips; }
    QToolButton* folded() const { return m_folded; } ///< the one chip that replaces all

signals:
    void runRequested(const QString& dir);
    void changed(); ///< the chips need another width

private:
    struct ChipPart {
        QString text, tip;
        QList<RelatedRuns::One> runs;
    };
    void rebuild();
    QToolButton* makeChip(const ChipPart& part);
    void openMenu(QToolButton* under, const QList<ChipPart>& parts);

    RelatedRuns m_kin;
    QList<ChipPart> m_parts;
    QList<QToolButton*> m_chips;
    QToolButton* m_folded;
};

} // namespace rankscope::ui
