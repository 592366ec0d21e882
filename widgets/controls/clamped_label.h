// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

namespace rankscope::ui {

/// Shows a sentence in a limited number of lines; one that does not fit ends in "…" and is whole in the tool tip.
class ClampedLabel final : public QWidget {
    Q_OBJECT
public:
    /// The label is `lines` high, whatever its text. 0: it shows as many lines as its height allows, vertically
    /// centred.
    explicit ClampedLabel(int lines, QWidget* parent = nullptr);
    void setText(const QString& text);
    const QString& text() const { return m_text; }
    /// Sets a text that is drawn if the whole text does not fit, which is then in the tool tip. Empty: none.
    void setShortText(const QString& text);
    void setLines(int lines);
    /// Sets a tip that is shown below the whole text if that does not fit, and alone if it does.
    void setExtraTip(const QString& tip);
    const QStringList& lines() const { return m_shown; } ///< the lines as drawn
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
