// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one line, which ends in "…" if there is too little room; the tool tip then has the whole text.
#pragma once

#include <QLabel>

namespace rankscope::ui {

class OneLineLabel final : public QLabel {
    Q_OBJECT
public:
    using QLabel::QLabel;
    void setFullText(const QString& text);
    const QString& fullText() const { return m_full; }
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void elide();
    QString m_full;
};

} // namespace rankscope::ui
