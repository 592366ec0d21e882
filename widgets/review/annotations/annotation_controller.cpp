// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/annotations/annotation_controller.h"

#include "core/base/values/clock.h"
#include "widgets/review/annotations/annotation_bar.h"

#include <algorithm>

namespace rankscope::ui {

static constexpr std::size_t kMostUndo = 50;

AnnotationController::AnnotationController(AnnotationBar* bar, PlotExtras* extras, QObject* parent)
    : QObject(parent), m_bar(bar), m_extras(extras) {
    connect(extras, &PlotExtras::read, this, [this](const ExtrasPtr& read) { m_read = read; });
    connect(extras, &PlotExtras::edited, this, [this](const QString& problem) {
        if (m_bar->isWaiting() && !problem.isEmpty() && !m_undo.empty())
            m_undo.pop_back(); // the change was not made
        m_bar->answer(problem);
    });
    connect(bar, &AnnotationBar::kept, this, &AnnotationController::keep);
    connect(bar, &AnnotationBar::removed, this, &AnnotationController::remove);
}

void AnnotationController::clear() {
    m_read.reset();
    m_undo.clear();
    m_bar->hide();
}

const launch::Annotation* AnnotationController::find(qint64 id) const {
    if (!m_read)
        return nullptr;
    const auto it = std::ranges::find(m_read->annotations, id, &launch::Annotation::id);
    return it == m_read->annotations.end() ? nullptr : &*it;
}

void AnnotationController::edit(qint64 id) {
    if (const auto* annotation = find(id))
        m_bar->edit(*annotation);
}

void AnnotationController::keep(launch::Annotation annotation) {
    AnnotationChange change;
    if (const auto* before = annotation.id != 0 ? find(annotation.id) : nullptr)
        change.before = *before;
    if (annotation.madeRealtimeNs == 0)
        annotation.madeRealtimeNs = realtimeNs();
    change.after = std::move(annotation);
    apply(change);
    m_undo.push_back(std::move(change));
    if (m_undo.size() > kMostUndo)
        m_undo.erase(m_undo.begin());
}

void AnnotationController::remove(qint64 id) {
    const auto* annotation = find(id);
    if (!annotation)
        return;
    const AnnotationChange change{*annotation, std::nullopt};
    apply(change);
    m_undo.push_back(change);
    emit message(tr("The annotation was deleted; a plot's menu can undo this"));
}

void AnnotationController::undo() {
    if (m_undo.empty())
        return;
    const AnnotationChange last = m_undo.back();
    m_undo.pop_back();
    apply({last.after, last.before});
}

/// Replaces `before` by `after`. A new annotation has no id until it is stored; it is found by its time and text.
void AnnotationController::apply(const AnnotationChange& change) {
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
