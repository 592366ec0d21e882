// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/info_pane.h"

#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/plan/plan_panel.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/problems/problem_list.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/text/changes_view.h"

#include <QEvent>
#include <QTabBar>

namespace rankscope::ui {

InfoPane::InfoPane(PlanRequest* run, QWidget* parent)
    : QTabWidget(parent), m_detail(new KeyDetail(this)), m_problems(new ProblemModel(this)),
      m_problemList(new ProblemList(this)), m_plan(new DryRunPanel(run, this)), m_changes(new ChangesView(this)) {
    setDocumentMode(true);
    tabBar()->setExpanding(false);
    tabBar()->setDrawBase(true);
    tabBar()->setFocusPolicy(Qt::TabFocus);
    m_problemList->setModel(m_problems);
    connect(m_problems, &ProblemModel::countsChanged, this, &InfoPane::showCounts);
    addTab(m_detail, QString());
    addTab(m_problemList, QString());
    addTab(m_plan, QString());
    addTab(m_changes, QString());
    retranslate();
}

void InfoPane::retranslate() {
    if (m_text)
        setTabText(0, tr("Text"));
    setTabText(indexOfTab(Key), tr("Key"));
    showCounts();
    setTabText(indexOfTab(Plan), tr("Dry run"));
    setTabText(indexOfTab(Changes), tr("Changes"));
    m_problemList->setAccessibleName(tr("Problems"));
}

void InfoPane::showCounts() {
    const int all = m_problems->rowCount();
    setTabText(indexOfTab(Problems), all == 0 ? tr("Problems") : tr("Problems %1").arg(all));
    QStringList parts;
    QIcon worst;
    const auto add = [&](MarkSeverity severity, const QString& words) {
        if (m_problems->count(severity) == 0)
            return;
        parts << words;
        if (worst.isNull() && severity != MarkSeverity::Note)
            worst = QIcon(markPixmap(severity));
    };
    add(MarkSeverity::Error, tr("%n error(s)", nullptr, m_problems->count(MarkSeverity::Error)));
    add(MarkSeverity::Danger, tr("%n danger(s)", nullptr, m_problems->count(MarkSeverity::Danger)));
    add(MarkSeverity::Caution, tr("%n caution(s)", nullptr, m_problems->count(MarkSeverity::Caution)));
    add(MarkSeverity::Note, tr("%n note(s)", nullptr, m_problems->count(MarkSeverity::Note)));
    setTabIcon(indexOfTab(Problems), worst);
    setTabToolTip(indexOfTab(Problems), parts.join(QStringLiteral(", ")));
}

int InfoPane::indexOfTab(InfoTab tab) const {
    return static_cast<int>(tab) + (m_text ? 1 : 0);
}

void InfoPane::showTab(InfoTab tab) {
    setCurrentIndex(indexOfTab(tab));
}

void InfoPane::setText(QWidget* text) {
    if (!text)
        removeTab(0);
    m_text = text;
    if (text)
        insertTab(0, text, QString());
    retranslate();
}

void InfoPane::changeEvent(QEvent* event) {
    QTabWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) {
        retranslate(); // the marks on the tabs are pixmaps in theme colours
        m_problems->retranslate();
    }
}

} // namespace rankscope::ui
