// SPDX-License-Identifier: GPL-3.0-or-later
// Shows statistics of the selected part, or of what is in view, as a table by phase or collective and rank.
#pragma once

#include "widgets/models/base/background_task.h"
#include "widgets/models/timeline/timeline_stats.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;
class QToolButton;

namespace rankscope::ui {

class OneLineLabel;
class StatsModel;

class StatsPane final : public QWidget {
    Q_OBJECT
public:
    enum class StatsScope { View, Selection, WholeRun };

    explicit StatsPane(QWidget* parent = nullptr);

    /// Sets the range; nothing is read while the pane is hidden. A new range replaces the one being read, unless
    /// `mayWait` is set, as it is for a live run, which grows all the time.
    void setRequest(const StatsRequest& request, StatsScope part, bool mayWait = false);
    void clear();
    bool isComplete() const; ///< whether the table shows the request, or the pane is hidden
    /// Shows only rows of this phase or wait; a default row shows everything again.
    void showOnly(const StatsRow& kind);
    void showAll();
    QString asCsv() const; ///< the selected rows, or all, in the order shown
    QSize sizeHint() const override { return {800, 220}; }

public slots:
    void copy() const;
    void cancel();

signals:
    void spanRequested(int rank, const rankscope::ui::TimelineSpan& span, const QString& tag);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    QWidget* makeBar();
    void start(int delayMs);
    void take(const TimelineStatsPtr& stats);
    void activate(int viewRow);
    void updateChoices();
    void updateRows();
    void updateText();
    void setBusy(bool on);

    BackgroundTask m_task{QStringLiteral("timeline-stats")};
    StatsModel* m_model;
    QTableView* m_table;
    OneLineLabel* m_range;
    QLabel* m_note;
    QComboBox *m_kind, *m_group;
    QToolButton* m_copy;
    QProgressBar* m_progress;
    QPushButton *m_cancel, *m_again;
    QTimer m_patience; ///< delays the bar, so that short readings show none
    std::optional<StatsRequest> m_wanted;
    StatsScope m_part = StatsScope::View;
    bool m_cancelled = false;
    bool m_quiet = false; ///< the run has only progressed: the table stays until there is more
    TimelineStatsPtr m_shown;
    std::optional<StatsRow> m_only; ///< the kind that is shown; none: all
};

} // namespace rankscope::ui
