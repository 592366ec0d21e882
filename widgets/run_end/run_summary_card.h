// SPDX-License-Identifier: GPL-3.0-or-later
// Summarises a run that finished or was stopped: its weights, its best validation, how to load the weights and how to
// continue.
#pragma once

#include "widgets/models/failure/run_end_loader.h"
#include "widgets/models/view/run_view.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QToolButton;

namespace rankscope::ui {

class CopyLine;

class RunSummaryCard final : public QFrame {
    Q_OBJECT
public:
    explicit RunSummaryCard(QWidget* parent = nullptr);
    /// Shows a run's end; `facts` null: not read yet. `nextDir` is the folder of the newest run that was resumed from
    /// it; empty: there is none.
    void show(const RunView& view, const EndingFacts* facts, bool mayAct, const QString& nextDir = {});
    QString asText() const;
    void retranslate();

signals:
    void resumeRequested();
    void nextRequested(); ///< to open the run that was resumed from it
    void checkpointsRequested();
    void exportRequested(const QString& file); ///< weights, or the checkpoint that they are taken from
    void closeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    QString titleOf(const RunView& view) const;
    QString weightsText(const EndingFacts& facts);
    void showLines(const EndingFacts& facts);
    void showResume(const RunView& view, const EndingFacts* facts, bool mayAct, const QString& nextDir);

    QLabel *m_title, *m_weights, *m_best, *m_goOn, *m_weightsName, *m_bestName, *m_loadName, *m_convertName;
    CopyLine *m_load, *m_convert;
    QToolButton* m_close;
    QPushButton *m_next, *m_resume, *m_copyPath, *m_folder, *m_export, *m_checkpoints;
    QString m_file;          ///< the weights, or the checkpoint that they can be taken from
    bool m_finished = false; ///< false: the run was stopped
};

} // namespace rankscope::ui
