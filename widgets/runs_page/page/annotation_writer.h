// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what the user says of runs, on a thread of its own; each change can be undone. Moves runs to the trash.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QObject>
#include <QStringList>
#include <QThread>

#include <functional>
#include <optional>
#include <string>

class QUndoStack;

namespace rankscope::ui {

class MarksEditor final : public QObject {
    Q_OBJECT
public:
    explicit MarksEditor(QObject* parent = nullptr);
    ~MarksEditor() override;

    QUndoStack* undoStack() const { return m_undo; }
    void setFavourite(const QList<RunRow>& runs, bool on);
    void setArchived(const QList<RunRow>& runs, bool on);
    void addTag(const QList<RunRow>& runs, const QString& tag);
    void removeTag(const QList<RunRow>& runs, const QString& tag);
    /// The recipe's name is no title of its own.
    void setTitle(const RunRow& run, const QString& title);
    void setTags(const RunRow& run, const QStringList& tags);
    void setNote(const RunRow& run, const QString& note);
    /// Without asking; those that still go on stay, and it is said.
    void moveToTrash(const QList<RunRow>& runs);
    bool isBusy() const { return m_busy > 0; }

signals:
    void written(const QString& dir, const rankscope::launch::RunMarks& marks);
    void removed(const QString& dir);
    void failed(const QString& message);
    void noteRefused(const QString& dir, const QString& note); ///< after failed(): the note that was not written
    void trashed(int runs);                                    ///< after each moveToTrash(): so many are gone
    void idle();

private:
    friend class MarksCommand;
    using Change = std::function<void(launch::RunMarks&)>;
    void push(const QString& text, const QList<RunRow>& runs, const Change& change);
    /// `note`: what was typed as one; none: the note is not changed.
    void write(const launch::RunPaths& run, const Change& change, const std::optional<std::string>& note = {});
    void inThread(const std::function<void()>& work);

    QUndoStack* m_undo;
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    int m_busy = 0;
};

} // namespace rankscope::ui
