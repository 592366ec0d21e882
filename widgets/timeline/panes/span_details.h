// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the selected span in full: what caused its wait, its step's batch, when each rank arrived, and links to more.
#pragma once

#include "widgets/timeline/view/timeline_scene.h"

#include <QWidget>

class QLabel;
class QTableWidget;
class QPushButton;

namespace rankscope::ui {

class SpanDetails final : public QWidget {
    Q_OBJECT
public:
    explicit SpanDetails(QWidget* parent = nullptr);
    /// Sets the selected span. `file` was being read while it lasted; empty: none is known.
    void setPick(const std::optional<TimelinePick>& pick, const QString& file = {});
    /// Sets the detail of the span that is shown; one for another span is ignored.
    void setDetail(const SpanDetail& detail);
    QString asText() const;
    /// Returns what the holder did while the selected span waited; none if unknown or not read yet.
    std::optional<TimelineSpan> cause() const;

public slots:
    void copy() const;

signals:
    void stepRequested(qint64 step);
    void logRequested(int rank, qint64 timeNs);
    void causeRequested();
    void statsRequested(); ///< for all spans of its kind, or for its step
    void fileRequested(const QString& file, bool inFolder);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill();
    void fillFacts();
    int columnsThatFit() const;
    void fillArrivals();
    void retranslate();
    void follow(const QString& link);

    std::optional<TimelinePick> m_pick;
    std::optional<SpanDetail> m_detail;
    QString m_file;
    QLabel *m_title, *m_facts, *m_empty;
    QTableWidget* m_arrivals;
    QPushButton *m_stats, *m_step, *m_log, *m_copy;
    QWidget* m_content;
    int m_columns = 0; ///< number of columns of facts
};

} // namespace rankscope::ui
