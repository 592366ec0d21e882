// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/problems/notice_bar.h"

#include "widgets/controls/box_layout.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/mark.h"
#include "widgets/theme/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace rankscope::ui {

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent), m_close(new QToolButton(this)), m_text(new QLabel(this)), m_buttons(rowOf({})) {
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setTextFormat(Qt::PlainText);
    m_close->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_close->setAutoRaise(true);
    connect(m_close, &QToolButton::clicked, this, &NoticeBar::clear);
    setLayout(rowOf({{m_text, 1}, m_buttons, m_close}, 8, {36, 4, 8, 4}));
    setMinimumHeight(36);
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
    hide();
}

void NoticeBar::retranslate() {
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
    m_text->setText(m_words ? m_words() : QString());
    for (const auto& [button, text] : m_answers)
        button->setText(text());
}

void NoticeBar::show(NoticeLevel kind, NoticeText text) {
    clear();
    m_kind = kind;
    m_words = std::move(text);
    retranslate();
    setVisible(true);
    update();
}

void NoticeBar::addButton(NoticeText text, const std::function<void()>& pressed, bool closes) {
    auto* button = new QPushButton(text(), this);
    m_answers.emplace_back(button, std::move(text));
    m_buttons->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, pressed, closes] {
        if (closes)
            clear();
        pressed();
    });
}

void NoticeBar::clear() {
    hide();
    m_words = {};
    m_answers.clear();
    m_text->clear();
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

QString NoticeBar::text() const {
    return m_text->text();
}

void NoticeBar::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    const QColor colour = m_kind == NoticeLevel::Error     ? p.dead
                          : m_kind == NoticeLevel::Warning ? p.caution
                                                           : p.secondary;
    QPainter painter(this);
    painter.fillRect(rect(), blend(p.window, colour, 0.12));
    painter.fillRect(0, height() - 1, width(), 1, p.hairline);
    const QRectF mark(12, height() / 2.0 - 7, 14, 14);
    const auto shape = m_kind == NoticeLevel::Error     ? Mark::Cross
                       : m_kind == NoticeLevel::Warning ? Mark::Triangle
                                                        : Mark::Ring;
    drawMark(painter, mark, shape, colour);
}

} // namespace rankscope::ui
