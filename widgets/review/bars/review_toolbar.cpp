// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/bars/review_toolbar.h"

#include "widgets/controls/tabular_label.h"
#include "widgets/review/bars/smoothing_menu.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>

namespace rankscope::ui {

namespace {

/// A vertical line between groups of buttons.
class Hairline final : public QWidget {
public:
    explicit Hairline(QWidget* parent) : QWidget(parent) { setFixedSize(1, 16); }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), Theme::instance().palette().hairline); }
};

} // namespace

QToolButton* ReviewToolbar::toggle() {
    auto* b = button("");
    b->setCheckable(true);
    return b;
}

QToolButton* ReviewToolbar::button(const char* icon) {
    auto* b = new QToolButton(this);
    b->setAutoRaise(true);
    b->setIconSize({16, 16});
    b->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(b);
    if (*icon)
        b->setIcon(Theme::instance().icon(QLatin1String(icon)));
    return b;
}

void ReviewToolbar::separator() {
    auto* line = new Hairline(this);
    static_cast<QHBoxLayout*>(layout())->addSpacing(4);
    layout()->addWidget(line);
    static_cast<QHBoxLayout*>(layout())->addSpacing(4);
}

ReviewToolbar::ReviewToolbar(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 4);
    row->setSpacing(2);
    m_follow = toggle();
    m_smooth = toggle();
    m_smooth->setObjectName(QStringLiteral("smooth"));
    m_smoothing = new SmoothingMenu(m_smooth);
    m_smooth->setMenu(m_smoothing);
    m_smooth->setPopupMode(QToolButton::MenuButtonPopup);
    m_log = toggle();
    m_outliers = button("outliers");
    m_outliers->setCheckable(true);
    m_outliers->setObjectName(QStringLiteral("ignoreOutliers"));
    separator();
    m_step = toggle();
    m_time = toggle();
    m_samples = toggle();
    m_step->setChecked(true);
    m_samples->setObjectName(QStringLiteral("samplesAxis"));
    separator();
    m_in = button("zoom-in");
    m_out = button("zoom-out");
    m_all = toggle();
    m_all->setCheckable(false);
    separator();
    m_previous = button("previous");
    m_incidents = new QLabel(this);
    row->addWidget(m_incidents);
    m_next = button("next");
    row->addStretch(1);
    m_range = new QLabel(this);
    m_range->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(m_range);
    row->addSpacing(8);
    m_choose = button("pane");
    m_panes = new QMenu(m_choose);
    m_choose->setMenu(m_panes);
    m_choose->setPopupMode(QToolButton::InstantPopup);
    m_export = button("export");
    retranslate();

    connect(m_follow, &QToolButton::toggled, this, &ReviewToolbar::followToggled);
    connect(m_smooth, &QToolButton::toggled, this, &ReviewToolbar::smoothingToggled);
    connect(m_smoothing, &SmoothingMenu::halfLifeChosen, this, &ReviewToolbar::smoothingHalfLifeChosen);
    connect(m_log, &QToolButton::toggled, this, &ReviewToolbar::logScaleToggled);
    connect(m_outliers, &QToolButton::toggled, this, &ReviewToolbar::ignoreOutliersToggled);
    connect(m_step, &QToolButton::clicked, this, [this] { emit axisChosen(CurveAxis::Step); });
    connect(m_time, &QToolButton::clicked, this, [this] { emit axisChosen(CurveAxis::Time); });
    connect(m_samples, &QToolButton::clicked, this, [this] { emit axisChosen(CurveAxis::SampleCount); });
    connect(m_in, &QToolButton::clicked, this, &ReviewToolbar::zoomInClicked);
    connect(m_out, &QToolButton::clicked, this, &ReviewToolbar::zoomOutClicked);
    connect(m_all, &QToolButton::clicked, this, &ReviewToolbar::zoomAllClicked);
    connect(m_previous, &QToolButton::clicked, this, &ReviewToolbar::previousIncidentClicked);
    connect(m_next, &QToolButton::clicked, this, &ReviewToolbar::nextIncidentClicked);
    connect(m_export, &QToolButton::clicked, this, &ReviewToolbar::exportClicked);
    onLanguageChange(this, [this] { retranslate(); });
}

void ReviewToolbar::retranslate() {
    const auto text = [](QToolButton* b, const QString& word, const QString& tip) {
        b->setText(word);
        b->setToolTip(tip);
        b->setAccessibleName(word.isEmpty() ? tip : word);
    };
    text(m_follow, tr("Follow"), tr("Keep the newest step in view (F)"));
    text(m_smooth, tr("Smooth"),
         tr("Smooth the curves; the raw ones stay visible, faintly (S). The arrow sets the strength"));
    text(m_log, tr("Log"), tr("Logarithmic loss and wait (L)"));
    text(m_outliers, {},
         tr("Ignore outliers: extreme peaks no longer flatten the curves; they are marked at the edge"));
    text(m_step, tr("Step"), tr("Steps on the x axis (X)"));
    text(m_time, tr("Time"), tr("Time on the x axis (X)"));
    text(m_samples, tr("Samples"),
         m_samples->isEnabled() ? tr("Samples seen by all ranks on the x axis (X)") : noSamplesText());
    text(m_in, {}, tr("Zoom in (+)"));
    text(m_out, {}, tr("Zoom out (−)"));
    text(m_all, tr("All"), tr("Show the whole run"));
    text(m_previous, {}, tr("Previous incident ([)"));
    text(m_next, {}, tr("Next incident (])"));
    text(m_choose, {}, tr("Show or hide panes"));
    text(m_export, {}, tr("Export the plots (Ctrl+E)"));
    setIncidents(m_incidentCount);
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

void ReviewToolbar::setSmoothingHalfLife(double steps) {
    m_smoothing->setHalfLife(steps);
}

void ReviewToolbar::setIgnoreOutliers(bool on) {
    const QSignalBlocker block(m_outliers);
    m_outliers->setChecked(on);
}

void ReviewToolbar::setLogScale(bool on) {
    const QSignalBlocker block(m_log);
    m_log->setChecked(on);
}

void ReviewToolbar::setAxis(CurveAxis axis) {
    m_step->setChecked(axis == CurveAxis::Step);
    m_time->setChecked(axis == CurveAxis::Time);
    m_samples->setChecked(axis == CurveAxis::SampleCount);
}

void ReviewToolbar::setSamplesEnabled(bool on) {
    if (on == m_samples->isEnabled())
        return;
    m_samples->setEnabled(on);
    retranslate();
}

QString ReviewToolbar::noSamplesText() {
    return tr("This run recorded no batch sizes, so its samples cannot be counted");
}

void ReviewToolbar::setIncidents(int count) {
    m_incidentCount = count;
    m_incidents->setText(count == 0 ? tr("no incident") : tr("%n incident(s)", nullptr, count));
    m_incidents->setEnabled(count > 0);
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
}

void ReviewToolbar::setRangeText(const QString& text) {
    setFigure(m_range, text);
}

} // namespace rankscope::ui
