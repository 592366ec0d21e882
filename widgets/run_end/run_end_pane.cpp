// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/run_end_pane.h"

#include "widgets/controls/box_layout.h"
#include "widgets/run_end/failure_panel.h"
#include "widgets/run_end/run_summary_card.h"

#include <QEvent>

#include <algorithm>

namespace rankscope::ui {

RunEndPane::RunEndPane(QWidget* parent)
    : QScrollArea(parent), m_body(new QWidget), m_failure(new FailurePanel), m_card(new RunSummaryCard) {
    setObjectName(QStringLiteral("endingPane"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    filledBox(new QVBoxLayout(m_body), {}, 0, {m_failure, m_card});
    setWidget(m_body);
    m_body->installEventFilter(this);
    m_failure->hide();
    m_card->hide();
    hide();
}

void RunEndPane::showOnly(QWidget* one) {
    if (parentWidget())
        parentWidget()->installEventFilter(this); // installing it again has no effect
    m_failure->setVisible(one == m_failure);
    m_card->setVisible(one == m_card);
    setVisible(one != nullptr);
    fit();
}

void RunEndPane::retranslate() {
    m_failure->retranslate();
    m_card->retranslate();
}

void RunEndPane::fit() {
    if (isHidden()) // not !isVisible(): the page has its size even before it is first shown
        return;
    // the page's width is correct even before the layout has given it to the pane
    const int bar = this->width() - viewport()->width();
    const int width = (parentWidget() ? parentWidget()->width() : this->width()) - bar;
    const int needed = m_body->hasHeightForWidth() ? m_body->heightForWidth(width) : m_body->sizeHint().height();
    const int page = parentWidget() ? parentWidget()->height() : needed;
    const int height = std::min(needed, std::max(120, page / 2));
    if (height != this->height() || minimumHeight() != height)
        setFixedHeight(height);
}

void RunEndPane::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    fit();
}

bool RunEndPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_body ? event->type() == QEvent::LayoutRequest : event->type() == QEvent::Resize)
        fit();
    return QScrollArea::eventFilter(watched, event);
}

} // namespace rankscope::ui
