// SPDX-License-Identifier: GPL-3.0-or-later
// The selected span in full, who arrived when, and where to go from there.
#pragma once

#include "widgets/timeline/timeline_view.h"

#include <QWidget>

class QLabel;
class QTableWidget;
class QToolButton;
class QPushButton;

namespace rankscope::ui {

class SpanDetails final : public QWidget {
    Q_OBJECT
public:
    explicit SpanDetails(QWidget* parent = nullptr);
    void setPick(const std::optional<TimelinePick>& pick);
    /// Of the collective that is shown; another one's is ignored.
    void setDetail(const CollectiveDetail& detail);
    QString asText() const;

public slots:
    void copy() const;

signals:
    void stepRequested(qint64 step);
    void logRequested(int rank, qint64 timeNs);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();
    void retranslate();

    std::optional<TimelinePick> m_pick;
    std::optional<CollectiveDetail> m_detail;
    QLabel *m_title, *m_facts, *m_empty;
    QTableWidget* m_arrivals;
    QPushButton *m_step, *m_log, *m_copy;
    QWidget* m_content;
};

} // namespace rankscope::ui
