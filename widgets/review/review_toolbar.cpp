// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/review_toolbar.h"

#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

namespace rankscope::ui {

QToolButton* ReviewToolbar::toggle(const QString& text, const QString& tip) {
    auto* b = new QToolButton(this);
    b->setText(text);
    b->setToolTip(tip);
    b->setCheckable(true);
    b->setAutoRaise(true);
    b->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(b);
    return b;
}

QToolButton* ReviewToolbar::button(const char* icon, const QString& tip) {
    auto* b = new QToolButton(this);
    b->setToolTip(tip);
    b->setAccessibleName(tip);
    b->setAutoRaise(true);
    b->setIconSize({16, 16});
    b->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(b);
    m_icons.append({b, QLatin1String(icon)});
    return b;
}

void ReviewToolbar::separator() {
    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::VLine);
    line->setFixedHeight(16);
    static_cast<QHBoxLayout*>(layout())->addSpacing(4);
    layout()->addWidget(line);
    static_cast<QHBoxLayout*>(layout())->addSpacing(4);
}

ReviewToolbar::ReviewToolbar(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 4);
    row->setSpacing(2);
    m_follow = toggle(tr("Follow"), tr("Keep the newest step in view (F)"));
    m_smooth = toggle(tr("Smooth"), tr("Smooth the curves; the raw ones stay, faint (S)"));
    m_log = toggle(tr("Log"), tr("Logarithmic loss and wait (L)"));
    separator();
    m_step = toggle(tr("Step"), tr("Steps on the x axis (X)"));
    m_time = toggle(tr("Time"), tr("Time on the x axis (X)"));
    m_step->setChecked(true);
    separator();
    auto* in = button("zoom-in", tr("Zoom in (+)"));
    auto* out = button("zoom-out", tr("Zoom out (−)"));
    auto* all = toggle(tr("All"), tr("Show the whole run (0)"));
    all->setCheckable(false);
    separator();
    m_previous = button("previous", tr("Previous incident ([)"));
    m_incidents = new QLabel(this);
    row->addWidget(m_incidents);
    m_next = button("next", tr("Next incident (])"));
    row->addStretch(1);
    m_range = new QLabel(this);
    m_range->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(m_range);
    row->addSpacing(8);
    auto* panes = button("pane", tr("Choose what is shown"));
    m_panes = new QMenu(panes);
    panes->setMenu(m_panes);
    panes->setPopupMode(QToolButton::InstantPopup);
    auto* save = button("export", tr("Export the plots (Ctrl+E)"));

    connect(m_follow, &QToolButton::toggled, this, &ReviewToolbar::followToggled);
    connect(m_smooth, &QToolButton::toggled, this, &ReviewToolbar::smoothingToggled);
    connect(m_log, &QToolButton::toggled, this, &ReviewToolbar::logScaleToggled);
    connect(m_step, &QToolButton::clicked, this, [this] { emit timeAxisToggled(false); });
    connect(m_time, &QToolButton::clicked, this, [this] { emit timeAxisToggled(true); });
    connect(in, &QToolButton::clicked, this, &ReviewToolbar::zoomInClicked);
    connect(out, &QToolButton::clicked, this, &ReviewToolbar::zoomOutClicked);
    connect(all, &QToolButton::clicked, this, &ReviewToolbar::zoomAllClicked);
    connect(m_previous, &QToolButton::clicked, this, &ReviewToolbar::previousIncidentClicked);
    connect(m_next, &QToolButton::clicked, this, &ReviewToolbar::nextIncidentClicked);
    connect(save, &QToolButton::clicked, this, &ReviewToolbar::exportClicked);
    connect(&Theme::instance(), &Theme::changed, this, &ReviewToolbar::applyIcons);
    applyIcons();
    setIncidents(0);
}

void ReviewToolbar::applyIcons() {
    for (const auto& [b, name] : m_icons)
        b->setIcon(Theme::instance().icon(name));
}

void ReviewToolbar::setFollow(bool on) {
    const QSignalBlocker block(m_follow);
    m_follow->setChecked(on);
}

void ReviewToolbar::setFollowEnabled(bool on) {
    m_follow->setVisible(on);
}

void ReviewToolbar::setSmoothing(bool on) {
    const QSignalBlocker block(m_smooth);
    m_smooth->setChecked(on);
}

void ReviewToolbar::setLogScale(bool on) {
    const QSignalBlocker block(m_log);
    m_log->setChecked(on);
}

void ReviewToolbar::setTimeAxis(bool on) {
    m_step->setChecked(!on);
    m_time->setChecked(on);
}

void ReviewToolbar::setIncidents(int count) {
    m_incidents->setText(count == 0 ? tr("no incident") : tr("%n incident(s)", nullptr, count));
    m_incidents->setEnabled(count > 0);
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
}

void ReviewToolbar::setRangeText(const QString& text) {
    m_range->setText(text);
}

} // namespace rankscope::ui
