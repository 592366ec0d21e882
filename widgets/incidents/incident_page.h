// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/view/run_view.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace rankscope::ui {

class CheckPanel;
class IncidentDetail;
class IncidentModel;
class RunSession;

/// Shows the list of a run's incidents with evidence and remedy, and its checks below. An open incident is selected
/// when it opens or the page is opened, unless the user has selected another row since.
class IncidentPage final : public QWidget {
    Q_OBJECT
public:
    explicit IncidentPage(QWidget* parent = nullptr);
    void setSession(RunSession* session);

public slots:
    void select(qint64 incidentId);
    void selectCause(const QString& cause); ///< selects the newest incident with this cause, if any

protected:
    void showEvent(QShowEvent* event) override;

signals:
    void remedyRequested(const QString& key, const QString& value);
    void jumpRequested(qint64 step);
    void timelineRequested(qint64 incidentId);
    void message(const QString& text); ///< what could not be done

private:
    void build();
    void fitTable();
    void refresh();
    void showIncidents(const RunView& view);
    void showCurrent();
    void play(const QString& file);
    void requestStacks();
    void showStacks(const std::vector<store::StackRow>& stacks);
    void selectRow(qint64 id);
    void selectOpen(bool pageOpened);
    QString emptyText() const;
    QString unwatchedText() const;

    QPointer<RunSession> m_session;
    IncidentModel* m_model;
    QSortFilterProxyModel* m_sorted = nullptr;
    QTableView* m_table;
    QSplitter* m_splitter;
    IncidentDetail* m_detail;
    QLabel* m_empty;
    QLabel* m_unwatched; ///< where incidents may be missing; hidden: nowhere
    QStackedWidget* m_stack;
    CheckPanel* m_checks;
    std::int64_t m_storeVersion = -1; ///< store version that the model shows
    launch::RunState m_state = launch::RunState::Starting;
    qint64 m_fatalId = 0;       ///< id of the incident that ended the run
    qint64 m_wanted = 0;        ///< id of an incident requested before its row existed
    qint64 m_offered = 0;       ///< the open incident that was last selected automatically
    bool m_isChosen = false;    ///< the selected row is the user's choice
    bool m_isSized = false;     ///< the list's height is the user's choice
    bool m_isSelecting = false; ///< the page itself selects
    qint64 m_stacksOf = 0;      ///< incident whose stacks are shown or requested
    bool m_stacksThere = false;
};

} // namespace rankscope::ui
