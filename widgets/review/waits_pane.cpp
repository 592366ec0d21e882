// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/waits_pane.h"

#include "widgets/models/wait_model.h"
#include "widgets/models/words.h"

#include <QBoxLayout>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>

namespace rankscope::ui {

WaitsPane::WaitsPane(QWidget* parent)
    : QWidget(parent), m_model(new WaitModel(this)), m_sentence(new QLabel), m_table(new QTableView) {
    setObjectName(QStringLiteral("waitsPane"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(4);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_sentence);
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_model);
    sorted->setSortRole(WaitModel::SortRole);
    m_table->setModel(sorted);
    m_table->setShowGrid(false);
    m_table->setSortingEnabled(true);
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->sortByColumn(WaitModel::WaitColumn, Qt::DescendingOrder);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(24);
    auto* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    constexpr int widths[] = {80, 80, 190, 90, 90, 70, 300};
    for (int c = 0; c < WaitModel::ColumnCount; ++c)
        header->resizeSection(c, widths[c]);
    header->setStretchLastSection(true);
    column->addWidget(m_table);
    setFixedHeight(176); // the sentence, the header and four rows: the plots keep the rest
    connect(&m_loader, &WaitsLoader::explained, this, &WaitsPane::take);
    updateText();
}

void WaitsPane::setRequest(const WaitsRequest& request) {
    m_wanted = request;
    if (isVisible() && !m_loader.isBusy()) // a live run grows all the time: one answer after the other
        m_loader.request(request);
}

void WaitsPane::clear() {
    m_loader.cancel();
    m_wanted.reset();
    m_shown.reset();
    m_model->setMatrix({});
    updateText();
}

bool WaitsPane::isComplete() const {
    return isHidden() || !m_loader.isBusy();
}

void WaitsPane::take(const WaitsReplyPtr& reply) {
    m_shown = reply;
    m_model->setMatrix(reply->report.matrix);
    updateText();
    if (m_wanted && *m_wanted != reply->request)
        m_loader.request(*m_wanted);
}

void WaitsPane::updateText() {
    m_table->setAccessibleName(tr("Who waited for whom"));
    if (!m_shown)
        m_sentence->setText(m_wanted ? tr("Adding up the waits…") : QString());
    else if (!m_shown->error.isEmpty())
        m_sentence->setText(m_shown->error);
    else
        m_sentence->setText(waitSentence(m_shown->report.matrix));
}

void WaitsPane::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        m_model->retranslate();
        updateText();
    }
    QWidget::changeEvent(event);
}

void WaitsPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_wanted)
        m_loader.request(*m_wanted, 0);
}

void WaitsPane::hideEvent(QHideEvent* event) {
    m_loader.cancel();
    QWidget::hideEvent(event);
}

} // namespace rankscope::ui
