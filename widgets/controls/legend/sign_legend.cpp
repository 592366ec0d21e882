// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/legend/sign_legend.h"

#include "widgets/theme/theme.h"

#include <QEvent>
#include <QPainter>

namespace rankscope::ui {

static constexpr int kRow = 18, kSign = 10, kApart = 14, kMargin = 8;

SignLegend::SignLegend(QWidget* parent) : QWidget(parent) {
    setFont(secondaryFont());
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QStringList SignLegend::names() const {
    QStringList names;
    for (const LegendEntry& entry : entries())
        names << entry.name;
    return names;
}

void SignLegend::entriesChanged() {
    updateGeometry();
    update();
}

int SignLegend::place(const QList<LegendEntry>& entries, int width, QList<QRect>* boxes) const {
    int x = kMargin, y = 3;
    for (const LegendEntry& entry : entries) {
        const int wide = kSign + 5 + fontMetrics().horizontalAdvance(entry.name);
        if (x > kMargin && x + wide > width - kMargin) {
            x = kMargin;
            y += kRow;
        }
        if (boxes)
            boxes->append(QRect(x, y, wide, kRow));
        x += wide + kApart;
    }
    return y + kRow + 3;
}

QSize SignLegend::sizeHint() const {
    return {400, heightForWidth(width() > 100 ? width() : 1000)};
}

int SignLegend::heightForWidth(int width) const {
    return place(entries(), width, nullptr);
}

/// Updates the rows, because another width may need more or fewer.
void SignLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (height() != heightForWidth(width()))
        updateGeometry();
}

void SignLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QList<QRect> boxes;
    const QList<LegendEntry> all = entries();
    place(all, width(), &boxes);
    for (qsizetype i = 0; i < all.size(); ++i) {
        painter.save();
        all[i].draw(painter, QRect(boxes[i].left(), boxes[i].center().y() - kSign / 2 + 1, kSign, kSign));
        painter.restore();
        painter.setPen(Theme::instance().palette().secondary);
        painter.drawText(boxes[i].adjusted(kSign + 5, 0, 2, 0), Qt::AlignVCenter | Qt::AlignLeft, all[i].name);
    }
}

void SignLegend::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::FontChange)
        entriesChanged();
    QWidget::changeEvent(event);
}

} // namespace rankscope::ui
