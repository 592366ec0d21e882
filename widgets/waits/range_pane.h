// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the statistics of the selected steps, or of those in view: a row for each rank.
#pragma once

#include "widgets/models/base/background_task.h"
#include "widgets/models/waits/range_model.h"

#include <QWidget>

#include <optional>

class QTableView;
class QToolButton;

namespace rankscope::ui {

class OneLineLabel;

class RangePane final : public QWidget {
    Q_OBJECT
public:
    explicit RangePane(QWidget* parent = nullptr);

    /// Sets the steps. A new range replaces the one being read, unless it only goes further on, as the view of a live
    /// run does all the time. Nothing is read while the pane is hidden.
    void setRequest(const WaitsRequest& request);
    void clear();
    /// Returns whether the table shows the requested steps, or the pane is hidden.
    bool isComplete() const;
    QString asText() const; ///< range, summary and table, tab-separated
    QSize sizeHint() const override { return {800, 150}; }

public slots:
    void copy() const;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void load(int delayMs);
    void take(const RangeReplyPtr& reply);
    void updateText();
    QString summary() const;

    BackgroundTask m_task{QStringLiteral("range-figures")};
    RangeModel* m_model;
    OneLineLabel *m_range, *m_summary;
    QTableView* m_table;
    QToolButton* m_copy;
    std::optional<WaitsRequest> m_wanted;
    WaitsRequest m_reading; ///< last given to the task
    RangeReplyPtr m_shown;
};

} // namespace rankscope::ui
