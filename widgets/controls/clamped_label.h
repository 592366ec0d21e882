// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

namespace rankscope::ui {

/// A sentence in at most so many lines; what does not fit ends in "…" and is in the tool tip as a whole.
class ClampedLabel final : public QWidget {
    Q_OBJECT
public:
    /// `lines`: the label is that high, whatever its text. 0: as many lines as the label is high for, in its middle.
    explicit ClampedLabel(int lines, QWidget* parent = nullptr);
    void setText(const QString& text);
    const QString& text() const { return m_text; }
    /// Is drawn in place of the whole text where that does not fit, which the tool tip then has. Empty: none.
    void setShortText(const QString& text);
    void setLines(int lines);
    /// Shown below the whole text where that does not fit, and alone where it does.
    void setExtraTip(const QString& tip);
    const QStringList& lines() const { return m_shown; } ///< as they are drawn
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    bool breakLines(const QString& text);
    void refresh();

    QString m_text, m_short, m_extra;
    QStringList m_shown;
    int m_lines;
};

} // namespace rankscope::ui
