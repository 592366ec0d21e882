// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/notice_strip.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/mark.h"
#include "widgets/theme/theme.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <utility>

namespace rankscope::ui {

static constexpr int kMostNotices = 8; ///< older ones are dropped

static QLabel* selectableLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setMinimumWidth(1);           // a long name in it must not widen the window
    label->setTextFormat(Qt::PlainText); // it may quote an untrusted file
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

static QToolButton* flatButton(QWidget* parent, const char* icon = nullptr) {
    auto* button = new QToolButton(parent);
    button->setAutoRaise(true);
    if (icon)
        button->setIcon(Theme::instance().icon(QLatin1String(icon)));
    return button;
}

NoticeStrip::NoticeStrip(QWidget* parent)
    : QFrame(parent), m_text(selectableLabel(this)), m_details(selectableLabel(this)), m_more(new QLabel(this)),
      m_action(new QPushButton(this)), m_detailsButton(flatButton(this)), m_copy(flatButton(this, "copy")),
      m_close(flatButton(this, "close")) {
    setObjectName(QStringLiteral("noticeStrip"));
    m_text->setObjectName(QStringLiteral("noticeText"));
    m_action->setObjectName(QStringLiteral("noticeAction"));
    m_detailsButton->setObjectName(QStringLiteral("noticeDetails"));
    m_copy->setObjectName(QStringLiteral("noticeCopy"));
    m_close->setObjectName(QStringLiteral("noticeClose"));
    m_detailsButton->setCheckable(true);
    m_more->setForegroundRole(QPalette::PlaceholderText);
    auto* words = new QVBoxLayout;
    words->setSpacing(4);
    words->addWidget(m_text);
    words->addWidget(m_details);
    auto* row = filledBox(new QHBoxLayout(this), {36, 4, 8, 4}, 8);
    row->addLayout(words, 1);
    for (QWidget* part : QList<QWidget*>{m_more, m_action, m_detailsButton, m_copy, m_close})
        row->addWidget(part, 0, Qt::AlignTop);
    row->setAlignment(m_more, Qt::AlignVCenter);
    setMinimumHeight(36);
    connect(m_close, &QToolButton::clicked, this, &NoticeStrip::closeNewest);
    connect(m_copy, &QToolButton::clicked, this, &NoticeStrip::copy);
    connect(m_detailsButton, &QToolButton::toggled, m_details, &QWidget::setVisible);
    connect(m_action, &QPushButton::clicked, this, [this] {
        const auto action = m_notices.back().action; // removed first, because the action may add another notice
        closeNewest();
        action();
    });
    connect(&Theme::instance(), &Theme::changed, this, &NoticeStrip::applyTheme);
    applyTheme();
    refresh();
    onLanguageChange(this, [this] { refresh(); });
}

void NoticeStrip::applyTheme() {
    m_details->setFont(secondaryFont());
    m_more->setFont(secondaryFont());
    update();
}

void NoticeStrip::add(Notice notice) {
    if (!notice.topic.isEmpty())
        m_notices.removeIf([&](const Notice& other) { return other.topic == notice.topic; });
    m_notices << std::move(notice);
    if (m_notices.size() > kMostNotices)
        m_notices.removeFirst();
    m_detailsButton->setChecked(false);
    refresh();
    QAccessibleEvent event(this, QAccessible::Alert); // read out although the focus does not move
    QAccessible::updateAccessibility(&event);
}

void NoticeStrip::showError(const QString& problem, const QString& topic) {
    const QString text = problem.trimmed();
    QString first = text.section(u'\n', 0, 0), rest = text.section(u'\n', 1);
    Notice notice;
    notice.topic = topic;
    if (!rest.isEmpty())
        notice.details = [rest = std::move(rest)] { return rest; };
    notice.text = [first = std::move(first)] { return first; };
    add(std::move(notice));
}

void NoticeStrip::drop(const QString& topic) {
    if (m_notices.removeIf([&](const Notice& notice) { return notice.topic == topic; }) > 0) {
        m_detailsButton->setChecked(false);
        refresh();
    }
}

void NoticeStrip::closeNewest() {
    const bool focused = isAncestorOf(focusWidget()) || hasFocus();
    m_notices.removeLast();
    m_detailsButton->setChecked(false);
    refresh();
    if (focused && m_notices.isEmpty() && nextInFocusChain())
        focusNextChild();
}

void NoticeStrip::copy() const {
    QStringList parts{text(), details()};
    parts.removeAll(QString());
    copyText(parts.join(u'\n'), m_copy);
}

QString NoticeStrip::text() const {
    return m_notices.isEmpty() ? QString() : m_notices.back().text();
}

QString NoticeStrip::details() const {
    return m_notices.isEmpty() || !m_notices.back().details ? QString() : m_notices.back().details();
}

void NoticeStrip::refresh() {
    m_detailsButton->setText(tr("Details"));
    m_copy->setToolTip(tr("Copy this message"));
    m_copy->setAccessibleName(m_copy->toolTip());
    m_close->setToolTip(tr("Close (Esc)"));
    m_close->setAccessibleName(tr("Close this message"));
    m_text->setText(text());
    m_text->setToolTip(plainToolTip(text()));
    m_details->setText(details());
    m_text->setAccessibleName(text());
    m_details->setAccessibleName(details());
    setAccessibleName(text());
    m_details->setVisible(m_detailsButton->isChecked());
    m_detailsButton->setVisible(!m_details->text().isEmpty());
    const qsizetype before = m_notices.size() - 1;
    m_more->setText(before > 0 ? tr("and %1 more").arg(before) : QString());
    m_more->setVisible(before > 0);
    const bool acts = !m_notices.isEmpty() && m_notices.back().action;
    m_action->setVisible(acts);
    if (acts)
        m_action->setText(m_notices.back().actionText());
    setVisible(!m_notices.isEmpty());
    update();
}

void NoticeStrip::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && !m_notices.isEmpty())
        closeNewest();
    else
        QFrame::keyPressEvent(event);
}

void NoticeStrip::paintEvent(QPaintEvent*) {
    if (m_notices.isEmpty())
        return;
    const Palette& p = Theme::instance().palette();
    const Notice::NoticeKind kind = m_notices.back().kind;
    const QColor colour = kind == Notice::NoticeKind::Error     ? p.dead
                          : kind == Notice::NoticeKind::Warning ? p.caution
                                                                : p.secondary;
    QPainter painter(this);
    painter.fillRect(rect(), blend(p.window, colour, 0.12));
    painter.fillRect(0, height() - 1, width(), 1, p.hairline);
    const auto shape = kind == Notice::NoticeKind::Error     ? Mark::Cross
                       : kind == Notice::NoticeKind::Warning ? Mark::Triangle
                                                             : Mark::Ring;
    drawMark(painter, QRectF(12, m_text->geometry().top() + 11 - 7, 14, 14), shape, colour);
}

} // namespace rankscope::ui
