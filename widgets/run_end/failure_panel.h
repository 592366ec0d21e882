// SPDX-License-Identifier: GPL-3.0-or-later
// Explains a failed run: the full cause, the ranks that failed as a consequence, the usual reason, and what to do next.
#pragma once

#include "widgets/models/failure/failure_text.h"

#include <QFrame>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace rankscope::ui {

class CopyLine;
struct ResumeOffer;

class FailurePanel final : public QFrame {
    Q_OBJECT
public:
    explicit FailurePanel(QWidget* parent = nullptr);
    /// Shows a failure. `facts` null: not read yet. Without `mayAct` the run's folder is gone, and no action is
    /// possible. `nextDir` is the folder of the newest run that was resumed from it; empty: there is none.
    void show(const RunView& view, const RunFailure& failure, const EndingFacts* facts, bool mayAct,
              const QString& nextDir = {});
    QString asText() const; ///< the panel's whole text, for screen readers and tests
    void retranslate();

signals:
    void resumeRequested();
    void nextRequested(); ///< to open the run that was resumed from it
    void relaunchRequested();
    void logRequested(int rank);
    void detailRequested(qint64 incident);
    void closeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    QLayout* makeButtons();
    void fillLog(const FailureText& text);
    void showButtons(const RunView& view, const EndingFacts* facts, bool mayAct, const ResumeOffer& offer);

    QLabel *m_headline, *m_facts, *m_meaning;
    CopyLine* m_command;
    QToolButton *m_fold, *m_close;
    QPlainTextEdit* m_log;
    QPushButton *m_next, *m_resume, *m_relaunch, *m_rankLog, *m_details;
    RunFailure m_failure;
    QString m_logOf; ///< content of the log block
};

} // namespace rankscope::ui
