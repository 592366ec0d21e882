// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/trace/trace_bar.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/language_change.h"
#include "widgets/timeline/trace/trace_job.h"

#include <QFileDialog>
#include <QLabel>
#include <QPushButton>

namespace rankscope::ui {

TraceBar::TraceBar(QWidget* parent)
    : QWidget(parent), m_job(new TraceJob(this)), m_text(new QLabel), m_cancel(new QPushButton) {
    m_text->setObjectName(QStringLiteral("traceText"));
    setLayout(rowOf({{m_text, 1}, m_cancel}, -1, {8, 2, 8, 4}));
    hide();
    connect(m_job, &TraceJob::progress, this,
            [this](qint64 events) { m_text->setText(tr("Writing the trace: %1 events").arg(countText(events))); });
    connect(m_job, &TraceJob::finished, this, &TraceBar::finish);
    connect(m_cancel, &QPushButton::clicked, this, [this] { m_job->cancel(); });
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void TraceBar::chooseFile(const QString& name) {
    auto* dialog = new QFileDialog(this, tr("Export the part in view as a Chrome trace"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Chrome trace (*.json)")});
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this, &TraceBar::fileChosen);
    dialog->open();
}

void TraceBar::write(const std::filesystem::path& store, const QString& file, PlotRange part) {
    if (!m_job->start(store, file, static_cast<std::int64_t>(part.lo), static_cast<std::int64_t>(part.hi)))
        return emit message(tr("A trace is being written already"));
    m_text->setText(tr("Writing %1…").arg(file));
    show();
}

void TraceBar::finish(const QString& file, const QString& problem, bool cancelled) {
    hide();
    if (cancelled)
        emit message(tr("The export was cancelled; no file was written"));
    else if (problem.isEmpty())
        emit message(tr("Written: %1").arg(file));
    else
        emit failed(problem);
}

void TraceBar::retranslate() {
    m_cancel->setText(tr("Cancel"));
}

} // namespace rankscope::ui
