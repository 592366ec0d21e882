// SPDX-License-Identifier: GPL-3.0-or-later
// Annotations, checkpoints and validations on the plots.
#include "core/base/values/clock.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/review/series/lineage_series.h"
#include "widgets/review/page/review_impl.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr qint64 kLiveExtrasMs = 5000; ///< how often a live run is asked for new checkpoints
constexpr std::size_t kMostUndo = 50;
} // namespace

void ReviewPage::Impl::loadExtras() {
    if (session && session->view().goneRealtimeNs != 0)
        return;
    const bool live = session && launch::isLive(session->view().info.state);
    const bool ended = m_wasLive && !live;
    m_wasLive = live;
    if (!m_sinceExtras.isValid() || ended || (live && m_sinceExtras.elapsed() > kLiveExtrasMs)) {
        m_sinceExtras.start();
        extras.load();
    }
}

void ReviewPage::Impl::updateMarks() {
    std::vector<PlotMark> marks = earlierMarks(controller.chain());
    const auto place = [this](std::int64_t step, std::int64_t ns) {
        return controller.axis() == CurveAxis::Time ? static_cast<double>(ns) * 1e-9
                                                    : controller.placeOf(static_cast<double>(step));
    };
    for (const auto& c : extra->checkpoints) {
        const double x = place(c.step, c.endNs);
        marks.push_back(
            {PlotMark::Kind::Checkpoint, 0, x, x, ReviewPage::tr("Checkpoint after step %1").arg(countText(c.step))});
    }
    if (session)
        for (const auto& v : session->view().validations) {
            const double x = place(v.step, v.endNs);
            marks.push_back({PlotMark::Kind::Validation, 0, x, x,
                             ReviewPage::tr("Validation after step %1: loss %2")
                                 .arg(countText(v.step), QString::number(v.loss, 'f', 4))});
        }
    for (const auto& a : extra->annotations) {
        const double lo = controller.placeOf(static_cast<double>(a.firstStep));
        const double hi = a.lastStep > a.firstStep ? controller.placeOf(static_cast<double>(a.lastStep)) : lo;
        const QString where = a.lastStep > a.firstStep
                                  ? ReviewPage::tr("steps %1 to %2").arg(countText(a.firstStep), countText(a.lastStep))
                                  : ReviewPage::tr("step %1").arg(countText(a.firstStep));
        marks.push_back({PlotMark::Kind::Annotation, a.id, lo, hi, toQString(a.text) + QStringLiteral("\n") + where});
    }
    for (const PlotPane& pane : panes)
        pane.plot->setMarks(marks);
}

void ReviewPage::Impl::annotate(std::optional<double> x) {
    if (!session || !controller.hasSteps()) {
        emit page->message(ReviewPage::tr("There is no step to annotate yet"));
        return;
    }
    launch::Annotation annotation;
    if (filter) {
        annotation.firstStep = filter->first;
        annotation.lastStep = filter->last;
    } else {
        const PlotRange w = controller.window();
        const auto crosshair = panes.front().plot->crosshair();
        const double at = x ? *x : crosshair.value_or((w.lo + w.hi) / 2);
        annotation.firstStep = annotation.lastStep = controller.stepNear(at);
    }
    annotation.timeNs = controller.timeOf(static_cast<double>(annotation.firstStep));
    annotations->edit(annotation);
}

void ReviewPage::Impl::editAnnotation(qint64 id) {
    for (const auto& a : extra->annotations)
        if (a.id == id)
            annotations->edit(a);
}

void ReviewPage::Impl::keepAnnotation(launch::Annotation annotation) {
    AnnotationChange change;
    if (annotation.id != 0)
        for (const auto& a : extra->annotations)
            if (a.id == annotation.id)
                change.before = a;
    if (annotation.madeRealtimeNs == 0)
        annotation.madeRealtimeNs = realtimeNs();
    change.after = annotation;
    applyAnnotation(change);
    m_annotationUndo.push_back(change);
    if (m_annotationUndo.size() > kMostUndo)
        m_annotationUndo.erase(m_annotationUndo.begin());
}

void ReviewPage::Impl::removeAnnotation(qint64 id) {
    for (const auto& a : extra->annotations)
        if (a.id == id) {
            applyAnnotation({a, std::nullopt});
            m_annotationUndo.push_back({a, std::nullopt});
            emit page->message(ReviewPage::tr("The annotation was deleted; a plot's menu undoes it"));
            return;
        }
}

void ReviewPage::Impl::undoAnnotation() {
    if (m_annotationUndo.empty())
        return;
    const AnnotationChange last = m_annotationUndo.back();
    m_annotationUndo.pop_back();
    applyAnnotation({last.after, last.before});
}

/// What stands as `before` is replaced. A new one has no id until it is stored: it is known by when and what it was.
void ReviewPage::Impl::applyAnnotation(const AnnotationChange& change) {
    extras.edit([change](launch::RunMarks& marks) {
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
        for (auto& a : marks.annotations) // what comes back keeps its id
            if (a.id == id)
                a.id = change.after->id;
    });
}

QString ReviewPage::Impl::sentence(qint64 id) const {
    if (!session)
        return {};
    if (id < 0)
        return earlierSentence(session->view().chain.get(), id);
    const auto& incidents = session->view().incidents;
    const auto it = std::find_if(incidents.begin(), incidents.end(), [id](const auto& in) { return in.id == id; });
    return it == incidents.end() ? QString()
                                 : toQString(diagnosis::sentence(*it, session->view().knownNs, currentLanguage()));
}

} // namespace rankscope::ui
