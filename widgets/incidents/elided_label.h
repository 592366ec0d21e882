// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that gives way: elided at the end, whole in the tooltip.
#pragma once

#include <QWidget>

namespace rankscope::ui {

class ElidedLabel final : public QWidget {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setText(const QString& text);
    const QString& text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateTip();
    QString m_text;
};

} // namespace rankscope::ui
