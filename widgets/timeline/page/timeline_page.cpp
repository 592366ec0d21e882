// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_page.h"

#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/timeline/page/timeline_impl.h"

#include <QEvent>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>

namespace rankscope::ui {

TimelinePage::TimelinePage(QWidget* parent) : QWidget(parent), m(std::make_unique<Impl>(this)) {}

TimelinePage::~TimelinePage() = default;

void TimelinePage::setSession(RunSession* session) {
    m->setSession(session);
}

bool TimelinePage::isComplete() const {
    return m->isComplete();
}

TimelineView* TimelinePage::view() const {
    return m->view;
}

void TimelinePage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange)
        m->retranslate();
    QWidget::changeEvent(event);
}

void TimelinePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m->storeIsNewer)
        m->storeChanged();
    m->ask();
    m->view->setFocus(Qt::OtherFocusReason); // its keys act at once
}

void TimelinePage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
}

void TimelinePage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Slash)
        return focusSearch();
    if (event->key() == Qt::Key_Escape)
        return m->clearSelection();
    QWidget::keyPressEvent(event);
}

void TimelinePage::showTime(qint64 fromNs, qint64 toNs) {
    if (toNs <= fromNs)
        return; // no part of a run: it would be shown as the shortest there is
    const PlotRange all = m->view->limits();
    PlotRange part{static_cast<double>(fromNs), static_cast<double>(toNs)};
    if (m->view->follow() && m->nowTimer.isActive())
        part.hi = all.hi; // now, which is later than the newest step's end
    if (part.width() >= 0.97 * all.width())
        part = all; // all steps: what comes before the first one too
    m->silent = true;
    m->view->showWindow(part, false);
    m->silent = false;
}

void TimelinePage::focusSearch() {
    m->toolbar->search()->setFocus(Qt::ShortcutFocusReason);
    m->toolbar->search()->selectAll();
}

void TimelinePage::exportTo(const QString& file) {
    if (!m->session)
        return emit message(tr("There is nothing to export yet"));
    const PlotRange part = m->view->brush().value_or(m->view->window());
    if (m->trace.start(m->session->run().store(), file, static_cast<std::int64_t>(part.lo),
                       static_cast<std::int64_t>(part.hi))) {
        m->traceText->setText(tr("Writing %1…").arg(file));
        m->traceBar->show();
    } else {
        emit message(tr("A trace is being written already"));
    }
}

void TimelinePage::exportTrace() {
    if (!m->session || m->view->rankCount() == 0)
        return emit message(tr("There is nothing to export yet"));
    auto* dialog = new QFileDialog(this, tr("Export the part in view as a Chrome trace"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Chrome trace (*.json)")});
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(toQString(m->session->view().info.id) + QStringLiteral("-trace.json"));
    connect(dialog, &QFileDialog::fileSelected, this, &TimelinePage::exportTo);
    dialog->open();
}

} // namespace rankscope::ui
