// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/page/annotation_writer.h"

#include "core/base/values/clock.h"
#include "widgets/runs/panel/runs_panel.h"

#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

/// A change of one run's marks. Belongs to the writing thread.
struct MarksEditor::Edit {
    launch::RunPaths paths;
    launch::RunMarks before, after; ///< as read, and as written
};

/// Undoes and redoes edits. The edits hold the real changes of each run's marks, whatever the window knew of them.
class MarksCommand final : public QUndoCommand {
public:
    MarksCommand(const QString& text, MarksEditor* editor, MarksEditor::Edits edits, MarksEditor::MarksChange change,
                 const QString& note)
        : QUndoCommand(text), m_editor(editor), m_edits(std::move(edits)), m_change(std::move(change)), m_note(note) {}
    void redo() override { m_editor->apply(m_edits, m_change, m_note); }
    void undo() override { m_editor->takeBack(m_edits); }

private:
    MarksEditor* m_editor;
    MarksEditor::Edits m_edits;
    MarksEditor::MarksChange m_change;
    QString m_note;
};

namespace {

constexpr std::int64_t kTellEveryNs = 100'000'000;

using Tags = std::vector<std::string>;

/// Adds the tags that only `to` has and removes those that only `from` has; other tags stay.
void changeTags(Tags& tags, const Tags& from, const Tags& to) {
    if (tags == from) { // takes over the order, too
        tags = to;
        return;
    }
    const auto has = [](const Tags& list, const std::string& tag) {
        return std::find(list.begin(), list.end(), tag) != list.end();
    };
    std::erase_if(tags, [&](const std::string& tag) { return has(from, tag) && !has(to, tag); });
    for (const std::string& tag : to)
        if (!has(from, tag) && !has(tags, tag))
            tags.push_back(tag);
}

/// Reverts the change from `before` to `after` and nothing else: later changes stay.
void restoreMarks(launch::RunMarks& marks, const launch::RunMarks& before, const launch::RunMarks& after) {
    const auto restore = [&](auto launch::RunMarks::*mark) {
        if (marks.*mark == after.*mark)
            marks.*mark = before.*mark;
    };
    restore(&launch::RunMarks::title);
    restore(&launch::RunMarks::note);
    restore(&launch::RunMarks::favourite);
    restore(&launch::RunMarks::archived);
    changeTags(marks.tags, after.tags, before.tags);
}

} // namespace

MarksEditor::MarksEditor(QObject* parent) : QObject(parent), m_undo(new QUndoStack(this)), m_worker(new QObject) {
    m_undo->setUndoLimit(200);
    m_thread.setObjectName(QStringLiteral("marks"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
}

MarksEditor::~MarksEditor() {
    // pending changes are still written, which takes little time
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

void MarksEditor::apply(const Edits& edits, const MarksChange& change, const QString& note) {
    const auto one = [change](Edit& edit) {
        auto marks = launch::editMarks(edit.paths, [&](launch::RunMarks& read) {
            edit.before = read;
            change(read);
        });
        edit.after = marks ? *marks : edit.before;
        return marks;
    };
    write(edits, one, note);
}

void MarksEditor::takeBack(const Edits& edits) {
    const auto one = [](Edit& edit) {
        return launch::editMarks(edit.paths,
                                 [&](launch::RunMarks& read) { restoreMarks(read, edit.before, edit.after); });
    };
    write(edits, one, {});
}

/// Reports the runs in batches: each batch costs the window's thread about the same, however many runs it has.
void MarksEditor::write(const Edits& edits, const std::function<Result<launch::RunMarks>(Edit&)>& one,
                        const QString& note) {
    inThread([this, edits, one, note] {
        WrittenMarks marks;
        QString problem;
        int refused = 0;
        std::int64_t told = monotonicNs();
        for (Edit& edit : *edits) {
            if (auto now = one(edit))
                marks.insert(QString::fromStdString(edit.paths.dir.string()), *now);
            else if (refused++ == 0)
                problem = QString::fromStdString(now.error().message());
            if (monotonicNs() - told > kTellEveryNs) {
                emit written(std::exchange(marks, {}));
                told = monotonicNs();
            }
        }
        if (!marks.isEmpty())
            emit written(marks);
        if (refused > 0)
            emit failed(refused == 1 ? problem : tr("%1, and %n more run(s)", nullptr, refused - 1).arg(problem));
        if (refused > 0 && !note.isEmpty())
            emit noteRefused(QString::fromStdString(edits->front().paths.dir.string()), note);
    });
}

void MarksEditor::push(const QString& text, const QList<RunRow>& runs, const MarksChange& change, const QString& note) {
    auto edits = std::make_shared<std::vector<Edit>>();
    for (const RunRow& run : runs) {
        launch::RunMarks marks = run.marks;
        change(marks);
        if (marks != run.marks || isBusy()) // the rows may be older than what is being written
            edits->push_back({run.paths, {}, {}});
    }
    // in the list's order, so that a batch is one section of it
    std::sort(edits->begin(), edits->end(),
              [](const Edit& a, const Edit& b) { return a.paths.dir.native() > b.paths.dir.native(); });
    if (!edits->empty())
        m_undo->push(new MarksCommand(text, this, std::move(edits), change, note));
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

void MarksEditor::setBaseline(const std::optional<RunRow>& run, const QList<RunRow>& others) {
    const QString text = run ? tr("Pin as baseline") : tr("Unpin the baseline");
    m_undo->beginMacro(text);
    push(text, others, [](launch::RunMarks& marks) { std::erase_if(marks.tags, isBaselineTag); });
    if (run)
        push(text, {*run}, [](launch::RunMarks& marks) { marks.tags.emplace_back("baseline"); });
    m_undo->endMacro();
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
    push(tr("Edit tags"), {run},
         [seen = run.marks.tags, texts](launch::RunMarks& marks) { changeTags(marks.tags, seen, texts); });
}

void MarksEditor::setNote(const RunRow& run, const QString& note) {
    push(
        tr("Edit the note"), {run}, [text = note.toStdString()](launch::RunMarks& marks) { marks.note = text; }, note);
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
