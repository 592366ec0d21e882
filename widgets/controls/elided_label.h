// SPDX-License-Identifier: GPL-3.0-or-later
// Text in as many lines as the label is high for: cut with an ellipsis after the last one, and then whole in the tool
// tip.
#pragma once

#include <QStringList>
#include <QWidget>

namespace rankscope::ui {

class ElidedLabel final : public QWidget {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setText(const QString& text);
    const QString& text() const { return m_text; }
    const QStringList& lines() const { return m_lines; } ///< as drawn
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void breakLines();

    QString m_text;
    QStringList m_lines;
};

} // namespace rankscope::ui
