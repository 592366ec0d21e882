// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/review_page.h"

#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/export/plot_export.h"
#include "widgets/review/page/review_impl.h"

#include <QEvent>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

ReviewPage::ReviewPage(QWidget* parent) : QWidget(parent), m(std::make_unique<Impl>(this)) {}

ReviewPage::~ReviewPage() = default;

void ReviewPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange)
        m->retranslate();
    QWidget::changeEvent(event);
}

void ReviewPage::setSession(RunSession* session) {
    m->setSession(session);
}

bool ReviewPage::isComplete() const {
    return m->isComplete();
}

bool ReviewPage::follow() const {
    return m->controller.follow();
}

bool ReviewPage::logScale() const {
    return m->log;
}

bool ReviewPage::smoothing() const {
    return m->smooth;
}

CurveAxis ReviewPage::axis() const {
    return m->controller.axis();
}

bool ReviewPage::hasAxis(CurveAxis axis) const {
    return m->hasAxis(axis);
}

QByteArray ReviewPage::saveLayout() const {
    return m->layout().toBytes();
}

void ReviewPage::restoreLayout(const QByteArray& layout) {
    m->setLayout(ReviewLayout::fromBytes(layout));
}

RunEnding* ReviewPage::ending() const {
    return m->ending;
}

void ReviewPage::showCheckpoints(bool on) {
    m->setPaneShown(ReviewLayout::CheckpointsPane, on);
}

bool ReviewPage::checkpointsShown() const {
    return m->shown[ReviewLayout::CheckpointsPane];
}

void ReviewPage::setFollow(bool on) {
    m->controller.setFollow(on);
}

void ReviewPage::setLogScale(bool on) {
    m->setLogScale(on);
}

void ReviewPage::setSmoothing(bool on) {
    m->setSmoothing(on);
}

void ReviewPage::setAxis(CurveAxis axis) {
    m->setAxis(axis);
}

void ReviewPage::nextAxis() {
    const CurveAxis now = axis();
    if (now == CurveAxis::Step)
        m->setAxis(CurveAxis::Time);
    else
        m->setAxis(now == CurveAxis::Time && hasAxis(CurveAxis::SampleCount) ? CurveAxis::SampleCount
                                                                             : CurveAxis::Step);
}

void ReviewPage::soloRank(int rank) {
    if (m->session && rank >= static_cast<int>(m->session->view().ranks.size()))
        return;
    m->changeChoice([rank](RankChoice& choice) {
        choice.solo = rank;
        if (rank < 0)
            choice.muted.clear();
    });
}

void ReviewPage::zoomIn() {
    m->controller.zoomCentre(0.5);
}

void ReviewPage::zoomOut() {
    m->controller.zoomCentre(2);
}

void ReviewPage::zoomAll() {
    m->controller.showAll();
}

void ReviewPage::showStep(qint64 step) {
    m->controller.showStep(step);
}

void ReviewPage::showSteps(qint64 first, qint64 last) {
    m->controller.showSteps(first, last);
}

void ReviewPage::selectIncident(qint64 id) {
    m->selectIncident(id);
}

void ReviewPage::nextIncident() {
    m->stepIncident(1);
}

void ReviewPage::previousIncident() {
    m->stepIncident(-1);
}

std::optional<std::pair<qint64, qint64>> ReviewPage::seenSteps() const {
    if (!m->session || m->controller.axis() == CurveAxis::Time || !m->controller.hasSteps())
        return {};
    if (m->controller.axis() == CurveAxis::SampleCount) {
        const auto steps = m->controller.stepsOf(m->controller.window());
        return std::pair<qint64, qint64>(steps.first, steps.last);
    }
    const PlotRange window = m->controller.window();
    const double first = std::max(0.0, std::ceil(window.lo)), last = std::max(first, std::floor(window.hi));
    return std::pair(static_cast<qint64>(first), static_cast<qint64>(last));
}

QString ReviewPage::exportTo(const QString& file) const {
    const auto written = ui::exportPlots(m->exportJob(), file);
    return written ? QString() : toQString(written.error().message());
}

void ReviewPage::exportPlots() {
    m->exportDialog({});
}

void ReviewPage::showTime(qint64 fromNs, qint64 toNs) {
    m->showLinked(fromNs, toNs);
}

void ReviewPage::setFilter(qint64 firstStep, qint64 lastStep) {
    m->setFilter(firstStep < 0 || lastStep < firstStep ? std::nullopt
                                                       : std::optional(store::StepInterval{firstStep, lastStep}));
}

bool ReviewPage::addPlot(const QString& series) {
    const auto parsed = PlotSeries::fromKey(series);
    return parsed && m->addPlot(*parsed);
}

void ReviewPage::goBack() {
    m->goBack(false);
}

void ReviewPage::goForward() {
    m->goBack(true);
}

void ReviewPage::annotate() {
    m->annotate(std::nullopt);
}

} // namespace rankscope::ui
