// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_toolbar.h"

#include "widgets/controls/one_line_label.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

namespace rankscope::ui {

QToolButton* TimelineToolbar::button(const char* icon) {
    auto* b = new QToolButton(this);
    b->setAutoRaise(true);
    b->setIconSize({16, 16});
    b->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(b);
    if (*icon)
        b->setIcon(Theme::instance().icon(QLatin1String(icon)));
    return b;
}

TimelineToolbar::TimelineToolbar(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(2);
    m_follow = button("");
    m_follow->setCheckable(true);
    m_in = button("zoom-in");
    m_out = button("zoom-out");
    m_all = button("");
    row->addSpacing(8);
    m_previous = button("previous");
    m_incidents = new QLabel(this);
    row->addWidget(m_incidents);
    m_next = button("next");
    row->addSpacing(8);
    m_search = new QLineEdit(this);
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(150);
    m_search->setMaximumWidth(260);
    m_search->installEventFilter(this);
    row->addWidget(m_search, 1);
    m_hitBefore = button("up");
    m_hitAfter = button("down");
    m_hits = new QLabel(this);
    m_hits->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(m_hits);
    m_range = new OneLineLabel(this);
    m_range->setForegroundRole(QPalette::PlaceholderText);
    m_range->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_range->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    row->addWidget(m_range, 2);
    row->addSpacing(8);
    m_details = button("pane");
    m_details->setCheckable(true);
    m_export = button("export");
    m_export->setObjectName(QStringLiteral("exportTrace"));
    retranslate();
    setHitText({}, {}, false);

    connect(m_follow, &QToolButton::toggled, this, &TimelineToolbar::followToggled);
    connect(m_in, &QToolButton::clicked, this, &TimelineToolbar::zoomInClicked);
    connect(m_out, &QToolButton::clicked, this, &TimelineToolbar::zoomOutClicked);
    connect(m_all, &QToolButton::clicked, this, &TimelineToolbar::zoomAllClicked);
    connect(m_previous, &QToolButton::clicked, this, &TimelineToolbar::previousIncidentClicked);
    connect(m_next, &QToolButton::clicked, this, &TimelineToolbar::nextIncidentClicked);
    connect(m_search, &QLineEdit::textChanged, this, &TimelineToolbar::searchEdited);
    connect(m_hitBefore, &QToolButton::clicked, this, &TimelineToolbar::previousHitClicked);
    connect(m_hitAfter, &QToolButton::clicked, this, &TimelineToolbar::nextHitClicked);
    connect(m_details, &QToolButton::toggled, this, &TimelineToolbar::detailsToggled);
    connect(m_export, &QToolButton::clicked, this, &TimelineToolbar::exportClicked);
    onLanguageChange(this, [this] { retranslate(); });
}

bool TimelineToolbar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter || key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
            if (key->key() == Qt::Key_Up || (enter && key->modifiers() & Qt::ShiftModifier))
                emit previousHitClicked();
            else
                emit nextHitClicked();
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_search->clear();
            emit leaveSearch();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void TimelineToolbar::retranslate() {
    const auto text = [](QToolButton* b, const QString& word, const QString& tip) {
        b->setText(word);
        b->setToolTip(tip);
        b->setAccessibleName(word.isEmpty() ? tip : word);
    };
    text(m_follow, tr("Follow"), tr("Keep the newest step in view (F)"));
    text(m_in, {}, tr("Zoom in (+ or W, or the wheel at the pointer)"));
    text(m_out, {}, tr("Zoom out (− or S)"));
    text(m_all, tr("All"), tr("Show the whole run (0)"));
    text(m_previous, {}, tr("Previous incident ([)"));
    text(m_next, {}, tr("Next incident (])"));
    text(m_hitBefore, {}, tr("Previous hit (Shift+Enter)"));
    text(m_hitAfter, {}, tr("Next hit (Enter)"));
    text(m_details, {}, tr("Details, statistics and who waits for whom (Enter)"));
    text(m_export, {}, tr("Export the part in view as a Chrome trace, for Perfetto"));
    m_search->setPlaceholderText(tr("Phase, tag, step or rank (/)"));
    m_search->setAccessibleName(tr("Search"));
    m_search->setToolTip(tr("\"checkpoint\", \"gradient:3\", \"412\", \"rank 3\", or together: \"data_wait rank 3\".\n"
                            "Enter: next hit, Shift+Enter: previous one, Esc: back to the lanes"));
    setIncidents(m_incidentCount);
}

void TimelineToolbar::setFollow(bool on) {
    const QSignalBlocker block(m_follow);
    m_follow->setChecked(on);
}

void TimelineToolbar::setFollowShown(bool on) {
    m_follow->setVisible(on);
}

void TimelineToolbar::setIncidents(int count) {
    m_incidentCount = count;
    m_incidents->setText(count == 0   ? tr("no incident")
                         : count == 1 ? tr("1 incident")
                                      : tr("%1 incidents").arg(count));
    m_incidents->setEnabled(count > 0);
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
}

void TimelineToolbar::setRangeText(const QString& text) {
    m_range->setFullText(text);
}

void TimelineToolbar::setHitText(const QString& text, const QString& tip, bool any) {
    m_hits->setText(text);
    m_hits->setToolTip(plainToolTip(tip));
    m_hitBefore->setEnabled(any);
    m_hitAfter->setEnabled(any);
}

void TimelineToolbar::setDetailsShown(bool on) {
    const QSignalBlocker block(m_details);
    m_details->setChecked(on);
}

} // namespace rankscope::ui
