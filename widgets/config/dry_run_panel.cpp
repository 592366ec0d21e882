// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/dry_run_panel.h"

#include "widgets/config/decisive.h"
#include "widgets/config/dry_run.h"
#include "widgets/config/plan_text.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace rankscope::ui {

DryRunPanel::DryRunPanel(DryRun* run, QWidget* parent)
    : QWidget(parent), m_run(run), m_state(new QLabel(this)), m_list(new QTreeWidget(this)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_state->setFont(secondaryFont());
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_state->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_state->setContentsMargins(12, 8, 12, 8);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_list->setColumnCount(2);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setIndentation(0);
    m_list->setUniformRowHeights(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFont(secondaryFont());
    m_list->setSelectionMode(QAbstractItemView::NoSelection);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_state);
    layout->addWidget(m_list, 1);
    connect(m_run, &DryRun::changed, this, &DryRunPanel::show);
    connect(&Theme::instance(), &Theme::changed, this, &DryRunPanel::show);
    show();
}

QString DryRunPanel::stateText() const {
    return m_state->text();
}

void DryRunPanel::show() {
    const Palette& p = Theme::instance().palette();
    switch (m_run->state()) {
    case DryRun::State::None:
        m_state->setText(tr("What a launch would do stands here as soon as a recipe without errors is open."));
        break;
    case DryRun::State::Working:
        m_state->setText(tr("Planning the launch…"));
        break;
    case DryRun::State::Failed:
        m_state->setText(coreText(m_run->problem().toStdString()));
        break;
    case DryRun::State::Ready:
        m_state->clear();
        break;
    }
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, m_run->state() == DryRun::State::Failed ? p.dead : p.secondary);
    m_state->setPalette(colours);
    const bool ready = m_run->state() == DryRun::State::Ready;
    m_state->setVisible(!ready);
    m_list->setVisible(ready);
    m_list->clear();
    for (const PlanLine& line : planLines(*m_run)) {
        auto* item = new QTreeWidgetItem(m_list, {line.label, line.value});
        if (line.kind == PlanLine::Kind::Section) {
            item->setFont(0, headingFont());
            item->setFirstColumnSpanned(true);
        } else if (line.kind == PlanLine::Kind::Problem) {
            item->setText(0, line.value);
            item->setText(1, {});
            item->setFirstColumnSpanned(true);
            item->setForeground(0, p.holder);
            item->setToolTip(0, line.value);
        } else {
            item->setForeground(0, p.secondary);
            item->setText(0, QStringLiteral("  ") + line.label);
        }
        if (!line.detail.isEmpty())
            for (int column : {0, 1})
                item->setToolTip(column, line.detail);
    }
}

void DryRunPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        show();
}

} // namespace rankscope::ui
