// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/annotations/annotation_controller.h"

#include "core/base/values/clock.h"
#include "widgets/review/annotations/annotation_bar.h"
#include "widgets/review/annotations/annotation_pane.h"

#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr int kMostUndo = 50;

/// A change that has been made: it is written again only to undo and redo it.
class AnnotationController::AnnotationCommand final : public QUndoCommand {
public:
    AnnotationCommand(AnnotationController* controller, AnnotationChange change)
        : m_controller(controller), m_change(std::move(change)) {}
    void undo() override { m_controller->apply({m_change.after, m_change.before}); }
    void redo() override {
        if (std::exchange(m_isMade, true)) // not when it is pushed
            m_controller->apply(m_change);
    }

private:
    AnnotationController* m_controller;
    AnnotationChange m_change;
    bool m_isMade = false;
};

AnnotationController::AnnotationController(AnnotationBar* bar, AnnotationPane* pane, PlotExtras* extras,
                                           QObject* parent)
    : QObject(parent), m_bar(bar), m_pane(pane), m_extras(extras), m_undo(new QUndoStack(this)) {
    m_undo->setUndoLimit(kMostUndo);
    connect(extras, &PlotExtras::read, this, [this](const ExtrasPtr& extrasRead) {
        m_read = extrasRead;
        m_pane->setExtras(m_read.get());
        emit read(m_read);
    });
    connect(extras, &PlotExtras::edited, this, &AnnotationController::take);
    connect(bar, &AnnotationBar::kept, this, &AnnotationController::keep);
    connect(bar, &AnnotationBar::removed, this, &AnnotationController::remove);
    connectPane();
}

void AnnotationController::connectPane() {
    connect(m_undo, &QUndoStack::canUndoChanged, m_pane, &AnnotationPane::setCanUndo);
    connect(m_pane, &AnnotationPane::editRequested, this, &AnnotationController::edit);
    connect(m_pane, &AnnotationPane::removeRequested, this, &AnnotationController::remove);
    connect(m_pane, &AnnotationPane::undoRequested, this, &AnnotationController::undo);
    connect(m_pane, &AnnotationPane::selected, this, &AnnotationController::selected);
    connect(m_pane, &AnnotationPane::plotsRequested, this, &AnnotationController::plotsRequested);
    connect(m_pane, &AnnotationPane::timelineRequested, this, &AnnotationController::timelineRequested);
}

void AnnotationController::clear() {
    m_read.reset();
    m_underway.clear();
    m_undo->clear();
    m_bar->hide();
    m_pane->setExtras(nullptr);
    emit read(nullptr);
}

bool AnnotationController::canUndo() const {
    return m_undo->canUndo();
}

void AnnotationController::undo() {
    m_undo->undo();
}

void AnnotationController::select(qint64 id) {
    m_pane->select(id);
}

const launch::Annotation* AnnotationController::find(qint64 id) const {
    if (!m_read)
        return nullptr;
    const auto it = std::ranges::find(m_read->annotations, id, &launch::Annotation::id);
    return it == m_read->annotations.end() ? nullptr : &*it;
}

void AnnotationController::edit(qint64 id) {
    const auto* annotation = find(id);
    if (!annotation)
        return;
    m_pane->select(id);
    m_bar->edit(*annotation);
}

void AnnotationController::keep(launch::Annotation annotation) {
    AnnotationChange change;
    if (const auto* before = annotation.id != 0 ? find(annotation.id) : nullptr)
        change.before = *before;
    if (annotation.madeRealtimeNs == 0)
        annotation.madeRealtimeNs = realtimeNs();
    change.after = std::move(annotation);
    make(std::move(change));
}

void AnnotationController::remove(qint64 id) {
    const auto* annotation = find(id);
    if (!annotation)
        return;
    make({*annotation, std::nullopt});
    emit message(tr("The annotation was deleted; Ctrl+Z restores it"));
}

void AnnotationController::make(AnnotationChange change) {
    apply(change);
    m_underway.back() = std::move(change);
}

/// Takes the answer to the oldest change underway; it can be undone only if it was made.
void AnnotationController::take(const QString& problem) {
    if (!m_underway.empty()) {
        auto change = std::move(m_underway.front());
        m_underway.pop_front();
        if (change && problem.isEmpty())
            m_undo->push(new AnnotationCommand(this, std::move(*change)));
    }
    const bool isShownThere = m_bar->isWaiting() && !m_bar->isHidden();
    m_bar->answer(problem);
    if (!problem.isEmpty() && !isShownThere)
        emit failed(problem);
}

/// Replaces `before` by `after`. A new annotation has no id until it is stored; it is found by its time and text.
void AnnotationController::apply(const AnnotationChange& change) {
    m_underway.emplace_back();
    m_extras->edit([change](launch::RunMarks& marks) {
        if (change.before)
            std::erase_if(marks.annotations, [&](const launch::Annotation& a) {
                return change.before->id != 0
                           ? a.id == change.before->id
                           : a.madeRealtimeNs == change.before->madeRealtimeNs && a.text == change.before->text;
            });
        if (!change.after)
            return;
        const std::int64_t id = marks.annotate(*change.after);
        if (change.after->id == 0)
            return;
        for (auto& a : marks.annotations) // a restored annotation keeps its id
            if (a.id == id)
                a.id = change.after->id;
    });
}

} // namespace rankscope::ui
