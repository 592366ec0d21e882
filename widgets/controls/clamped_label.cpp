// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/clamped_label.h"

#include "widgets/models/text/tool_tip.h"

#include <QEvent>
#include <QPainter>
#include <QTextLayout>

namespace rankscope::ui {

ClampedLabel::ClampedLabel(int lines, QWidget* parent) : QWidget(parent), m_lines(lines) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ClampedLabel::setText(const QString& text) {
    if (text == m_text)
        return;
    m_text = text;
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
    return {200, m_lines * fontMetrics().lineSpacing()};
}

QSize ClampedLabel::minimumSizeHint() const {
    return {20, m_lines * fontMetrics().lineSpacing()};
}

QStringList ClampedLabel::lines(bool* cut) const {
    *cut = false;
    QStringList shown;
    QTextLayout layout(m_text, font());
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(std::max(1, width()));
        if (shown.size() + 1 == m_lines) { // the last one takes all that is left
            const QString rest = m_text.mid(line.textStart());
            shown << fontMetrics().elidedText(rest, Qt::ElideRight, width());
            *cut = shown.back() != rest;
            break;
        }
        shown << m_text.mid(line.textStart(), line.textLength());
    }
    layout.endLayout();
    return shown;
}

bool ClampedLabel::isCut() const {
    bool cut = false;
    lines(&cut);
    return cut;
}

void ClampedLabel::refresh() {
    QStringList tip;
    if (isCut())
        tip << m_text;
    if (!m_extra.isEmpty())
        tip << m_extra;
    setToolTip(tip.isEmpty() ? QString() : plainToolTip(tip.join(QLatin1Char('\n'))));
    setAccessibleName(m_text);
    update();
}

void ClampedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    bool cut = false;
    int y = 0;
    for (const QString& line : lines(&cut)) {
        painter.drawText(QRect(0, y, width(), fontMetrics().lineSpacing()), Qt::AlignLeft | Qt::AlignVCenter, line);
        y += fontMetrics().lineSpacing();
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
