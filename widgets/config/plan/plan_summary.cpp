// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/plan/plan_summary.h"

#include "widgets/config/plan/plan_request.h"
#include "widgets/config/plan/plan_text.h"
#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QLabel>
#include <QLayout>

#include <algorithm>

namespace rankscope::ui {

static QString inOneLine(const QStringList& facts) {
    return facts.join(QStringLiteral(" · "));
}

PlanSummary::PlanSummary(QWidget* parent) : QWidget(parent), m_mark(new QLabel(this)), m_line(new QLabel(this)) {
    m_mark->setFixedSize(16, 16);
    m_line->setFont(secondaryFont());
    m_line->setTextFormat(Qt::RichText);
    m_line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_line->setObjectName(QStringLiteral("planLine"));
    setLayout(rowOf({m_mark, {m_line, 1}}, 6));
    connect(m_line, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link == QLatin1String("problems"))
            emit problemsRequested();
        else if (link == QLatin1String("manifest"))
            emit manifestRequested();
        else
            emit planRequested();
    });
}

void PlanSummary::showPlan(const PlanRequest& run, bool manifestOpen) {
    const Palette& p = Theme::instance().palette();
    const QString plan = QStringLiteral("plan");
    switch (run.state()) {
    case PlanRequest::PlanState::None:
        say({tr("No dry run: the recipe has errors")}, p.secondary, QStringLiteral("problems"), tr("Show the errors"),
            MarkSeverity::Error);
        break;
    case PlanRequest::PlanState::Working:
        say({tr("Planning the launch…")}, p.secondary, plan, tr("Dry run"));
        break;
    case PlanRequest::PlanState::Failed:
        say({tr("Cannot launch: %1").arg(messageText(run.problem()))}, p.dead, plan, tr("Dry run"),
            MarkSeverity::Error);
        break;
    case PlanRequest::PlanState::Ready:
        if (const QString obstacle = obstacleSummary(run); !obstacle.isEmpty()) {
            const MarkSeverity severity = obstacleSeverity(run);
            const QString there = run.machine(); // the button launches here, so the line must not seem to be about it
            say({there.isEmpty() ? obstacle : tr("On %1: %2", "machine, problem").arg(there, obstacle)},
                markColor(severity), manifestOpen ? QStringLiteral("manifest") : QStringLiteral("problems"),
                manifestOpen ? tr("Choose manifest…") : tr("Show problems"), severity);
        } else {
            say(planFacts(run), p.text, plan, tr("Dry run"));
        }
        break;
    }
}

void PlanSummary::say(const QStringList& facts, const QColor& colour, const QString& link, const QString& linkText,
                      std::optional<MarkSeverity> mark) {
    m_mark->setVisible(mark.has_value());
    if (mark)
        m_mark->setPixmap(markPixmap(*mark));
    m_facts = facts;
    m_colour = colour;
    m_link = QStringLiteral("<a href=\"%1\" style=\"color:%2\">%3</a>")
                 .arg(link, Theme::instance().palette().accent.name(), linkText.toHtmlEscaped());
    m_linkText = linkText;
    m_line->setToolTip(plainToolTip(inOneLine(facts)));
    fit();
}

/// Fits the line by dropping whole facts if there are several; a single sentence is elided.
void PlanSummary::fit() {
    const QFontMetrics metrics(m_line->font());
    const int left = width() - (m_mark->isHidden() ? 0 : m_mark->width() + layout()->spacing()) -
                     metrics.horizontalAdvance(m_linkText) - metrics.horizontalAdvance(QLatin1Char(' ')) * 3;
    const int room = std::max(100, left);
    QStringList fitting = m_facts;
    while (fitting.size() > 1 && metrics.horizontalAdvance(inOneLine(fitting)) > room)
        fitting.removeLast();
    const QString shown = metrics.elidedText(inOneLine(fitting), Qt::ElideRight, room);
    m_line->setText(
        QStringLiteral("<span style=\"color:%1\">%2</span>&nbsp; ").arg(m_colour.name(), shown.toHtmlEscaped()) +
        m_link);
}

void PlanSummary::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

} // namespace rankscope::ui
