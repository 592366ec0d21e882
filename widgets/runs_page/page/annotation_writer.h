// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the user's titles, notes and tags on its own thread; each change can be undone. Moves runs to the trash.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QHash>
#include <QObject>
#include <QStringList>
#include <QThread>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QUndoStack;

namespace rankscope::ui {

/// Marks by run folder.
using WrittenMarks = QHash<QString, launch::RunMarks>;

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
    /// Pins a run as the baseline, or none, and unpins the others; one command. A pinned run has the tag "baseline".
    void setBaseline(const std::optional<RunRow>& run, const QList<RunRow>& others);
    /// Sets a run's title; the recipe's name does not count as a title.
    void setTitle(const RunRow& run, const QString& title);
    void setTags(const RunRow& run, const QStringList& tags);
    void setNote(const RunRow& run, const QString& note);
    /// Moves runs to the trash without asking; live runs stay, and a message says so.
    void moveToTrash(const QList<RunRow>& runs);
    bool isBusy() const { return m_busy > 0; }

signals:
    void written(const rankscope::ui::WrittenMarks& marks); ///< in batches if many are written
    void removed(const QString& dir);
    void failed(const QString& message);
    void noteRefused(const QString& dir, const QString& note); ///< after failed(): the note that was not written
    void trashed(int runs);                                    ///< after each moveToTrash(): number of runs moved
    void idle();

private:
    friend class MarksCommand;
    using MarksChange = std::function<void(launch::RunMarks&)>;
    struct Edit;
    using Edits = std::shared_ptr<std::vector<Edit>>;
    /// `note` is the note as typed, for noteRefused().
    void push(const QString& text, const QList<RunRow>& runs, const MarksChange& change, const QString& note = {});
    void apply(const Edits& edits, const MarksChange& change, const QString& note);
    void takeBack(const Edits& edits);
    void write(const Edits& edits, const std::function<Result<launch::RunMarks>(Edit&)>& one, const QString& note);
    void inThread(const std::function<void()>& work);

    QUndoStack* m_undo;
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    int m_busy = 0;
};

} // namespace rankscope::ui
