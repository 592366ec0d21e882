// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/help/tour_panel.h"

#include "widgets/controls/box_layout.h"
#include "widgets/theme/theme.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include <algorithm>
#include <vector>

namespace rankscope::ui {

static constexpr int kWidth = 560, kNarrow = 340, kMargin = 16;

TourPanel::TourPanel(QWidget* window)
    : QFrame(window), m_title(new QLabel(this)), m_text(new QLabel(this)), m_progress(new QLabel(this)),
      m_end(new QPushButton(this)), m_back(new QPushButton(this)), m_next(new QPushButton(this)) {
    setObjectName(QStringLiteral("tourPanel"));
    m_title->setFont(headingFont());
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_progress->setFont(secondaryFont());
    m_progress->setForegroundRole(QPalette::PlaceholderText);
    for (QLabel* label : {m_title, m_text, m_progress})
        label->setTextFormat(Qt::PlainText);
    m_end->setFlat(true);
    m_title->setObjectName(QStringLiteral("tourTitle"));
    m_text->setObjectName(QStringLiteral("tourText"));
    m_progress->setObjectName(QStringLiteral("tourProgress"));
    m_end->setObjectName(QStringLiteral("tourEnd"));
    m_back->setObjectName(QStringLiteral("tourBack"));
    m_next->setObjectName(QStringLiteral("tourNext"));
    for (QPushButton* button : {m_end, m_back, m_next}) {
        button->setAutoDefault(true); // Enter presses the focused button
        button->installEventFilter(this);
    }
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_progress);
    buttons->addStretch(1);
    for (QPushButton* button : {m_end, m_back, m_next})
        buttons->addWidget(button);
    auto* column = filledBox(new QVBoxLayout(this), {20, 12, 12, 12}, 8, {m_title});
    column->addWidget(m_text, 1);
    column->addLayout(buttons);
    setTabOrder(m_next, m_back);
    setTabOrder(m_back, m_end);
    connect(m_end, &QPushButton::clicked, this, &TourPanel::endRequested);
    connect(m_back, &QPushButton::clicked, this, &TourPanel::backRequested);
    connect(m_next, &QPushButton::clicked, this, [this] { m_tries ? emit tryRequested() : emit nextRequested(); });
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void TourPanel::setStep(int step, int count, const QString& title, const QString& text, const QString& last) {
    const bool news = title != m_title->text() || text != m_text->text();
    m_first = step == 0;
    m_last = step + 1 == count;
    m_tries = m_last && !last.isEmpty();
    m_title->setText(title);
    m_text->setText(text);
    m_progress->setText(tr("%1 of %2", "a step of the tour").arg(step + 1).arg(count));
    m_end->setText(m_last ? tr("Done") : tr("End tour"));
    m_end->setVisible(!m_last || m_tries);
    m_back->setText(tr("Back"));
    m_back->setEnabled(!m_first);
    m_next->setText(m_tries ? last : m_last ? tr("Done") : tr("Next"));
    setAccessibleName(tr("Tour, %1: %2", "progress, title").arg(m_progress->text(), title));
    setAccessibleDescription(text);
    if (news && isVisible()) {
        QAccessibleEvent event(this, QAccessible::Alert); // read out although the focus stays on the button
        QAccessible::updateAccessibility(&event);
    }
}

/// Tries the foot of the area, below and above each part, and the area's top: in the middle, at the left and the right.
void TourPanel::place(const QRect& area, const QList<QRect>& parts) {
    const auto sized = [&](int wanted) {
        const QSize least = layout()->totalMinimumSize(); // no button is cut
        const int width = std::min(std::max(wanted, least.width()), area.width() - 2 * kMargin);
        return QSize(width, std::max(layout()->totalHeightForWidth(width), least.height()));
    };
    const QRect room = area.adjusted(kMargin, kMargin, -kMargin, -kMargin);
    QList<QRect> places;
    for (const int wanted : {kWidth, kNarrow}) {
        const QSize size = sized(wanted);
        const int lowest = std::max(room.top(), room.bottom() - size.height() + 1);
        QList<int> tops{lowest};
        for (const QRect& part : parts)
            tops << part.bottom() + kMargin << part.top() - kMargin - size.height();
        tops << room.top();
        for (const int y : tops)
            for (const int x : {room.center().x() - size.width() / 2, room.left(), room.right() - size.width() + 1})
                places << QRect(QPoint(x, std::clamp(y, room.top(), lowest)), size);
    }
    const auto hidden = [&](const QRect& place) {
        std::vector<qint64> pixels;
        for (const QRect& part : parts) {
            const QRect both = part & place;
            pixels.push_back(qint64(both.width()) * both.height());
        }
        return pixels;
    };
    setGeometry(*std::min_element(places.begin(), places.end(),
                                  [&](const QRect& a, const QRect& b) { return hidden(a) < hidden(b); }));
    raise();
}

void TourPanel::takeFocus() {
    m_next->setFocus(Qt::OtherFocusReason);
}

bool TourPanel::isOurKey(QKeyEvent* event) {
    if (event->modifiers() & ~Qt::KeypadModifier)
        return false;
    switch (event->key()) {
    case Qt::Key_Escape:
        emit endRequested();
        return true;
    case Qt::Key_Right:
    case Qt::Key_PageDown:
        if (!m_last) // at the last step only its button ends the tour, so that a key held down does not
            emit nextRequested();
        return true;
    case Qt::Key_Left:
    case Qt::Key_PageUp:
        if (!m_first)
            emit backRequested();
        return true;
    default:
        return false;
    }
}

void TourPanel::keyPressEvent(QKeyEvent* event) {
    if (!isOurKey(event))
        QFrame::keyPressEvent(event);
}

/// Handles the arrow keys, which would otherwise move the focus between the buttons.
bool TourPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && isOurKey(static_cast<QKeyEvent*>(event)))
        return true;
    return QFrame::eventFilter(watched, event);
}

void TourPanel::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.accent);
    painter.setBrush(p.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.setPen(Qt::NoPen);
    painter.setBrush(p.accent);
    painter.drawRoundedRect(QRectF(6, 12, 3, height() - 24), 1.5, 1.5);
}

TourOutline::TourOutline(QWidget* window) : QWidget(window) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void TourOutline::surround(const QRect& target) {
    if (target.isEmpty())
        return hide();
    setGeometry(target.adjusted(-3, -3, 3, 3) & parentWidget()->rect());
    show();
    raise();
}

void TourOutline::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::instance().palette().accent, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
}

} // namespace rankscope::ui
