// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/page/annotation_writer.h"

#include "widgets/runs/panel/runs_panel.h"

#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>

namespace rankscope::ui {

/// Sets what it changed, and that alone: an annotation made meanwhile stays.
class MarksCommand final : public QUndoCommand {
public:
    struct Run {
        launch::RunPaths paths;
        launch::RunMarks before, after;
    };
    MarksCommand(const QString& text, MarksEditor* editor, std::vector<Run> runs)
        : QUndoCommand(text), m_editor(editor), m_runs(std::move(runs)) {}
    void redo() override {
        for (const Run& run : m_runs)
            apply(run, run.before, run.after);
    }
    void undo() override {
        for (const Run& run : m_runs)
            apply(run, run.after, run.before);
    }

private:
    void apply(const Run& run, const launch::RunMarks& from, const launch::RunMarks& to) const {
        const auto change = [from, to](launch::RunMarks& marks) {
            const auto take = [&](auto launch::RunMarks::*mark) {
                if (from.*mark != to.*mark)
                    marks.*mark = to.*mark;
            };
            take(&launch::RunMarks::title);
            take(&launch::RunMarks::tags);
            take(&launch::RunMarks::note);
            take(&launch::RunMarks::favourite);
            take(&launch::RunMarks::archived);
        };
        m_editor->write(run.paths, change, from.note != to.note ? std::optional(to.note) : std::nullopt);
    }
    MarksEditor* m_editor;
    std::vector<Run> m_runs;
};

MarksEditor::MarksEditor(QObject* parent) : QObject(parent), m_undo(new QUndoStack(this)), m_worker(new QObject) {
    m_undo->setUndoLimit(200);
    m_thread.setObjectName(QStringLiteral("marks"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
}

MarksEditor::~MarksEditor() {
    // what was asked for is still written: it is short
    QMetaObject::invokeMethod(m_worker, [thread = &m_thread] { thread->quit(); });
    m_thread.wait();
}

void MarksEditor::inThread(const std::function<void()>& work) {
    ++m_busy;
    QMetaObject::invokeMethod(m_worker, [this, work] {
        work();
        QMetaObject::invokeMethod(this, [this] {
            if (--m_busy == 0)
                emit idle();
        });
    });
}

void MarksEditor::write(const launch::RunPaths& run, const Change& change, const std::optional<std::string>& note) {
    inThread([this, run, change, note] {
        const auto marks = launch::editMarks(run, change);
        if (marks)
            emit written(QString::fromStdString(run.dir.string()), *marks);
        else
            emit failed(QString::fromStdString(marks.error().message()));
        if (!marks && note && !note->empty())
            emit noteRefused(QString::fromStdString(run.dir.string()), QString::fromStdString(*note));
    });
}

void MarksEditor::push(const QString& text, const QList<RunRow>& runs, const Change& change) {
    std::vector<MarksCommand::Run> changed;
    for (const RunRow& run : runs) {
        MarksCommand::Run one{run.paths, run.marks, run.marks};
        change(one.after);
        if (one.after != one.before)
            changed.push_back(std::move(one));
    }
    if (!changed.empty())
        m_undo->push(new MarksCommand(text, this, std::move(changed)));
}

void MarksEditor::setFavourite(const QList<RunRow>& runs, bool on) {
    push(on ? tr("Add to favourites") : tr("Remove from favourites"), runs,
         [on](launch::RunMarks& marks) { marks.favourite = on; });
}

void MarksEditor::setArchived(const QList<RunRow>& runs, bool on) {
    push(on ? tr("Archive") : tr("Unarchive"), runs, [on](launch::RunMarks& marks) { marks.archived = on; });
}

void MarksEditor::addTag(const QList<RunRow>& runs, const QString& tag) {
    const std::string text = tag.trimmed().toStdString();
    if (text.empty())
        return;
    push(tr("Add the tag %1").arg(tag), runs, [text](launch::RunMarks& marks) {
        if (std::find(marks.tags.begin(), marks.tags.end(), text) == marks.tags.end())
            marks.tags.push_back(text);
    });
}

void MarksEditor::removeTag(const QList<RunRow>& runs, const QString& tag) {
    push(tr("Remove the tag %1").arg(tag), runs,
         [text = tag.toStdString()](launch::RunMarks& marks) { std::erase(marks.tags, text); });
}

void MarksEditor::setTitle(const RunRow& run, const QString& title) {
    const std::string text = title.trimmed().toStdString();
    push(tr("Rename"), {run},
         [text = text == run.info.name ? std::string() : text](launch::RunMarks& marks) { marks.title = text; });
}

void MarksEditor::setTags(const RunRow& run, const QStringList& tags) {
    std::vector<std::string> texts;
    for (const QString& tag : tags)
        texts.push_back(tag.toStdString());
    push(tr("Edit tags"), {run}, [texts](launch::RunMarks& marks) { marks.tags = texts; });
}

void MarksEditor::setNote(const RunRow& run, const QString& note) {
    push(tr("Edit the note"), {run}, [text = note.toStdString()](launch::RunMarks& marks) { marks.note = text; });
}

void MarksEditor::moveToTrash(const QList<RunRow>& runs) {
    inThread([this, runs] {
        int gone = 0;
        for (const RunRow& run : runs) {
            const QString problem = RunsPanel::moveToTrash(run);
            if (!problem.isEmpty()) {
                emit failed(tr("%1 was not moved: %2").arg(run.dir(), problem));
                continue;
            }
            ++gone;
            emit removed(run.dir());
        }
        emit trashed(gone);
    });
}

} // namespace rankscope::ui
