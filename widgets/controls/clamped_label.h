// SPDX-License-Identifier: GPL-3.0-or-later
// A sentence in a fixed number of lines; what does not fit ends in "…" and stands whole in the tool tip. Its height
// does not follow its text.
#pragma once

#include <QWidget>

namespace rankscope::ui {

class ClampedLabel final : public QWidget {
public:
    explicit ClampedLabel(int lines, QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return m_text; }
    bool isCut() const; ///< something does not fit
    void setLines(int lines);
    /// Shown above the whole text where that does not fit, and alone where it does.
    void setExtraTip(const QString& tip);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QStringList lines(bool* cut) const;
    void refresh();

    QString m_text, m_extra;
    int m_lines;
};

} // namespace rankscope::ui
