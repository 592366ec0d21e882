// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/review_page.h"

#include "widgets/models/words.h"
#include "widgets/plots/plot_export.h"
#include "widgets/review/review_impl.h"

#include <QEvent>
#include <QFileDialog>

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

bool ReviewPage::timeAxis() const {
    return m->controller.byTime();
}

QByteArray ReviewPage::saveLayout() const {
    return m->layout().toBytes();
}

void ReviewPage::restoreLayout(const QByteArray& layout) {
    m->setLayout(ReviewLayout::fromBytes(layout));
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

void ReviewPage::setTimeAxis(bool on) {
    m->setTimeAxis(on);
}

void ReviewPage::soloRank(int rank) {
    if (m->session && rank >= static_cast<int>(m->session->view().ranks.size()))
        return;
    if (rank < 0)
        m->choice.muted.clear();
    m->setSolo(rank);
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
    if (!m->session || m->controller.byTime() || !m->controller.hasSteps())
        return {};
    const PlotRange window = m->controller.window();
    const double first = std::max(0.0, std::ceil(window.lo)), last = std::max(first, std::floor(window.hi));
    return std::pair(static_cast<qint64>(first), static_cast<qint64>(last));
}

QString ReviewPage::exportTo(const QString& file) const {
    const auto written = ui::exportPlots(m->exportJob(), file);
    return written ? QString() : toQString(written.error().message());
}

void ReviewPage::exportPlots() {
    if (!m->session || !m->controller.hasSteps()) {
        emit message(tr("There is nothing to export yet"));
        return;
    }
    auto* dialog = new QFileDialog(this, tr("Export the plots"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Picture (*.png)"), tr("Vector graphics (*.svg)"), tr("Document (*.pdf)"),
                            tr("Table of the visible series (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    dialog->selectFile(toQString(m->session->view().info.id) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        const QString problem = exportTo(file);
        emit message(problem.isEmpty() ? tr("Written: %1").arg(file) : problem);
    });
    dialog->open();
}

} // namespace rankscope::ui
