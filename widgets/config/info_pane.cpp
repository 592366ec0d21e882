// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/info_pane.h"

#include "widgets/config/changes_view.h"
#include "widgets/config/dry_run_panel.h"
#include "widgets/config/key_detail.h"
#include "widgets/config/marks.h"
#include "widgets/config/problem_model.h"
#include "widgets/theme/fonts.h"

#include <QEvent>
#include <QListView>
#include <QTabBar>

namespace rankscope::ui {

InfoPane::InfoPane(DryRun* run, QWidget* parent)
    : QTabWidget(parent), m_detail(new KeyDetail(this)), m_problems(new ProblemModel(this)),
      m_problemList(new QListView(this)), m_plan(new DryRunPanel(run, this)), m_changes(new ChangesView(this)) {
    setDocumentMode(true);
    tabBar()->setExpanding(false);
    tabBar()->setDrawBase(true);
    tabBar()->setFocusPolicy(Qt::TabFocus);
    m_problemList->setModel(m_problems);
    m_problemList->setFont(secondaryFont());
    m_problemList->setFrameShape(QFrame::NoFrame);
    m_problemList->setWordWrap(true);
    m_problemList->setResizeMode(QListView::Adjust);
    m_problemList->setLayoutMode(QListView::Batched); // a long recipe may have hundreds
    m_problemList->setBatchSize(40);
    m_problemList->setSpacing(1);
    m_problemList->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    addTab(m_detail, QString());
    addTab(m_problemList, QString());
    addTab(m_plan, QString());
    addTab(m_changes, QString());
    retranslate();
}

void InfoPane::retranslate() {
    setTabText(Key, tr("Key"));
    const int all = m_problems->rowCount(), errors = m_problems->errorCount();
    setTabText(Problems, all == 0 ? tr("Problems") : tr("Problems %1").arg(all));
    setTabIcon(Problems, errors > 0 ? QIcon(markPixmap(markOf(config::Problem::Severity::Error))) : QIcon());
    setTabToolTip(Problems, errors > 0 ? tr("%n error(s)", nullptr, errors) : QString());
    setTabText(Plan, tr("Dry run"));
    setTabText(Changes, tr("Changes"));
    m_problemList->setAccessibleName(tr("Problems"));
}

void InfoPane::setProblems(const std::vector<config::Problem>& problems) {
    const int all = m_problems->rowCount(), errors = m_problems->errorCount();
    m_problems->setProblems(problems);
    if (all != m_problems->rowCount() || errors != m_problems->errorCount())
        retranslate(); // a new text of a tab lays out the pane and its list
}

void InfoPane::showTab(Tab tab) {
    setCurrentIndex(tab);
}

void InfoPane::changeEvent(QEvent* event) {
    QTabWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        retranslate(); // the marks of the tabs are pictures in the colours of the theme
}

} // namespace rankscope::ui
