// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a program of the user's as a run that is watched.
#pragma once

#include "widgets/runs/commands/ctl_commands.h"

#include <QDialog>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace rankscope::ui {

class WatchPanel final : public QDialog {
    Q_OBJECT
public:
    explicit WatchPanel(const QString& runsDir, QWidget* parent = nullptr);
    /// Sets the commands to choose from, the newest first; the newest is proposed.
    void setRecent(const QStringList& commands);
    void setCommand(const QStringList& words); ///< an empty word cannot be written in a line and is left out
    /// Returns the arguments of rankscopectl; empty: there is no command.
    QStringList arguments() const;
    bool isBusy() const { return m_busy; }
    void begin(); ///< starts the command

signals:
    void started(const QString& runDir);
    void commandUsed(const QString& command); ///< it was started

private:
    void build();
    void retranslate();
    void updateState();
    void showStatus(const QString& text, bool problem);
    void finished(const CommandReply& reply, const QString& command);
    void browse();

    CtlCommands m_commands;
    QFormLayout* m_form;
    QComboBox* m_command;
    QLabel *m_words, *m_hint, *m_status;
    QLineEdit *m_folder, *m_name, *m_runs;
    QSpinBox* m_ranks;
    QPushButton *m_browse, *m_begin, *m_close;
    bool m_busy = false;
};

} // namespace rankscope::ui
