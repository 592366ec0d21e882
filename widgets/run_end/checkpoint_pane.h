// SPDX-License-Identifier: GPL-3.0-or-later
// Shows all checkpoints of a run and the actions on the selected one.
#pragma once

#include "widgets/models/failure/run_end_loader.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace rankscope::ui {

class CheckpointModel;

class CheckpointPane final : public QWidget {
    Q_OBJECT
public:
    explicit CheckpointPane(QWidget* parent = nullptr);
    /// Sets the run's facts; null: not read yet.
    void setFacts(const EndingFacts* facts);
    /// Enables the actions; `mayResume`: the run has ended and its folder exists.
    void setMayAct(bool mayExport, bool mayResume);
    QString current() const; ///< name of the selected checkpoint
    void select(const QString& name);
    QSize sizeHint() const override { return {800, 200}; }

signals:
    void exportRequested(const QString& file);
    void resumeRequested(const QString& name);
    void shown(); ///< the pane became visible and needs data
    void closeRequested();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void retranslate();
    void updateButtons();
    QString path() const;
    QString failedText() const;

    CheckpointModel* m_model;
    QSortFilterProxyModel* m_sorted = nullptr;
    QTableView* m_table;
    QStackedWidget* m_stack;
    QLabel *m_title, *m_failed, *m_empty;
    QPushButton *m_export, *m_resume, *m_folder, *m_copy;
    QToolButton* m_close;
    QString m_dir; ///< their folder
    bool m_read = false, m_mayExport = false, m_mayResume = false;
    QString m_problem;
    store::FailedCheckpoints m_notWritten;
};

} // namespace rankscope::ui
