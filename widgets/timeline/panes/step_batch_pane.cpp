// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/panes/step_batch_pane.h"

#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/files/manifest_file.h"
#include "widgets/controls/plain_table.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

namespace rankscope::ui {

static QString secondsCell(double seconds) {
    return BatchPane::tr("%1 s").arg(QString::number(seconds, 'f', 2));
}

BatchPane::BatchPane(QWidget* parent)
    : QWidget(parent), m_text(new QLabel), m_list(new QTableWidget(0, Columns)), m_open(new QPushButton),
      m_folder(new QPushButton), m_copy(new QPushButton) {
    setObjectName(QStringLiteral("batchPane"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 6, 12, 6);
    column->setSpacing(4);
    auto* heading = new QHBoxLayout;
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setObjectName(QStringLiteral("batchText"));
    heading->addWidget(m_text, 1);
    for (QPushButton* button : {m_open, m_folder, m_copy})
        heading->addWidget(button, 0, Qt::AlignTop);
    m_open->setObjectName(QStringLiteral("openUtterance"));
    m_copy->setObjectName(QStringLiteral("copyPath"));
    column->addLayout(heading);
    setPlainTableLook(m_list);
    m_list->setWordWrap(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->horizontalHeader()->setSectionResizeMode(File, QHeaderView::Stretch);
    column->addWidget(m_list, 1);
    column->addStretch();
    connect(m_list, &QTableWidget::itemSelectionChanged, this, &BatchPane::updateButtons);
    connect(m_open, &QPushButton::clicked, this, [this] { emit fileRequested(currentFile(), false); });
    connect(m_folder, &QPushButton::clicked, this, [this] { emit fileRequested(currentFile(), true); });
    connect(m_copy, &QPushButton::clicked, this, [this] { copyText(currentFile(), m_copy); });
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void BatchPane::setRequest(const std::optional<BatchRequest>& request) {
    if (request == m_request)
        return;
    m_task.cancel();
    m_request = request;
    m_reply.reset();
    m_asked = false;
    fill();
    ask();
}

/// Requests the batch if the pane is visible; manifests may be long and are not read before.
void BatchPane::ask() {
    if (!m_request || m_asked || !isVisible())
        return;
    m_asked = true;
    m_task.ask(
        [request = *m_request](const BackgroundTask::IsOld& isOld) {
            return std::make_shared<const Result<launch::StepBatch>>(
                launch::batchOfStep(request.run, request.step, request.rank, isOld));
        },
        [this](const Reply& reply) {
            m_reply = reply;
            fill();
        });
}

void BatchPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    ask();
}

QString BatchPane::said() const {
    return m_text->text();
}

QString BatchPane::currentFile() const {
    const auto rows = m_list->selectionModel()->selectedRows();
    if (!m_reply || rows.isEmpty())
        return {};
    return toQString((*m_reply)->utterances[static_cast<std::size_t>(rows.front().row())].file);
}

void BatchPane::updateButtons() {
    const QString file = currentFile();
    m_open->setEnabled(!file.isEmpty() && isAudioFile(file));
    m_folder->setEnabled(!file.isEmpty());
    m_copy->setEnabled(!file.isEmpty());
}

void BatchPane::fillRow(int row, const launch::StepUtterance& one) {
    const QString file = toQString(one.file);
    const QString texts[] = {QString::number(row + 1), file.section(u'/', -1), secondsCell(one.offset),
                             one.duration > 0 ? secondsCell(one.duration) : tr("to the end")};
    for (int c = 0; c < Columns; ++c) {
        auto* item = new QTableWidgetItem(texts[c]);
        item->setToolTip(plainToolTip(file));
        if (c != File)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_list->setItem(row, c, item);
    }
}

void BatchPane::fill() {
    const bool there = m_reply && *m_reply;
    m_list->setVisible(there);
    for (QPushButton* button : {m_open, m_folder, m_copy})
        button->setVisible(there);
    m_list->setRowCount(0);
    if (!m_request) {
        m_text->setText(tr("Select a span of a step to see the utterances in its batch."));
    } else if (!m_reply) {
        m_text->setText(tr("Reading the manifests…"));
    } else if (!there) {
        m_text->setText(tr("The batch of step %1 on rank %2 cannot be determined: %3")
                            .arg(countText(m_request->step))
                            .arg(m_request->rank)
                            .arg(toQString(m_reply->error().message())));
    } else {
        const launch::StepBatch& batch = **m_reply;
        QString text = tr("Step %1 of epoch %2, rank %3: %4, %5 s of speech. Derived from the recipe and the seed.")
                           .arg(countText(batch.step), countText(batch.epoch))
                           .arg(batch.rank)
                           .arg(tr("%n utterance(s)", nullptr, static_cast<int>(batch.utterances.size())),
                                QString::number(batch.seconds(), 'f', 1));
        if (!batch.remark.empty())
            text += QLatin1Char(' ') + tr("Note: %1.").arg(toQString(batch.remark));
        m_text->setText(text);
        m_list->setRowCount(static_cast<int>(batch.utterances.size()));
        for (int row = 0; row < m_list->rowCount(); ++row)
            fillRow(row, batch.utterances[static_cast<std::size_t>(row)]);
        if (m_list->rowCount() > 0)
            m_list->selectRow(0);
    }
    updateButtons();
}

void BatchPane::retranslate() {
    m_open->setText(tr("Open"));
    m_open->setToolTip(tr("Play the file in the desktop's default program"));
    m_folder->setText(tr("Show in folder"));
    m_copy->setText(tr("Copy path"));
    m_list->setHorizontalHeaderLabels({tr("No."), tr("File"), tr("Offset"), tr("Duration")});
    m_list->horizontalHeaderItem(File)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_list->setAccessibleName(tr("Utterances of the batch"));
    fill();
}

} // namespace rankscope::ui
