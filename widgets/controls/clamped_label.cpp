// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/clamped_label.h"

#include "widgets/models/text/tool_tip.h"

#include <QEvent>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

ClampedLabel::ClampedLabel(int lines, QWidget* parent) : QWidget(parent), m_lines(lines) {
    setSizePolicy(QSizePolicy::Ignored, lines > 0 ? QSizePolicy::Fixed : QSizePolicy::Expanding);
}

void ClampedLabel::setText(const QString& text) {
    if (text == m_text)
        return;
    m_text = text;
    refresh();
}

void ClampedLabel::setShortText(const QString& text) {
    if (std::exchange(m_short, text) != text)
        refresh();
}

void ClampedLabel::setLines(int lines) {
    if (lines == m_lines)
        return;
    m_lines = lines;
    updateGeometry();
    refresh();
}

void ClampedLabel::setExtraTip(const QString& tip) {
    m_extra = tip;
    refresh();
}

QSize ClampedLabel::sizeHint() const {
    const QFontMetrics metrics = fontMetrics();
    return m_lines > 0 ? QSize(200, m_lines * metrics.lineSpacing())
                       : QSize(metrics.horizontalAdvance(m_text), metrics.height() + 4);
}

QSize ClampedLabel::minimumSizeHint() const {
    return {m_lines > 0 ? 20 : 80, sizeHint().height()};
}

/// Moves a break after a hyphen or slash to the last space of the line: names of files and collectives stay whole.
static void keepWordWhole(QTextLine& line, const QString& text) {
    const qsizetype end = line.textStart() + line.textLength();
    if (end <= 0 || end >= text.size() || !QStringLiteral("-/").contains(text[end - 1]))
        return;
    if (const qsizetype space = text.lastIndexOf(u' ', end - 1); space > line.textStart())
        line.setLineWidth(std::ceil(line.cursorToX(static_cast<int>(space))));
}

/// Returns whether something does not fit.
bool ClampedLabel::breakLines(const QString& text) {
    const QFontMetrics metrics = fontMetrics();
    const int most = m_lines > 0 ? m_lines : std::max(1, height() / metrics.height());
    bool isCut = false;
    m_shown.clear();
    QTextLayout layout(text, font());
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(std::max(1, width()));
        if (m_shown.size() + 1 == most) { // the last line takes the rest of the text
            const QString rest = text.mid(line.textStart());
            m_shown << metrics.elidedText(rest, Qt::ElideRight, width());
            isCut = m_shown.back() != rest;
            break;
        }
        keepWordWhole(line, text);
        m_shown << text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return isCut;
}

void ClampedLabel::refresh() {
    QStringList tip;
    if (breakLines(m_text)) {
        tip << m_text;
        if (!m_short.isEmpty())
            breakLines(m_short);
    }
    if (!m_extra.isEmpty())
        tip << m_extra;
    setToolTip(tip.isEmpty() ? QString() : plainToolTip(tip.join(QLatin1Char('\n'))));
    setAccessibleName(m_text);
    update();
}

void ClampedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    if (m_lines == 0) {
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, m_shown.join(QLatin1Char('\n')));
        return;
    }
    QRect row(0, 0, width(), fontMetrics().lineSpacing());
    for (const QString& line : std::as_const(m_shown)) {
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, line);
        row.translate(0, row.height());
    }
}

void ClampedLabel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
}

void ClampedLabel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        updateGeometry();
        refresh();
    }
}

} // namespace rankscope::ui
