// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/widgets/theme/drawn_texts.h"

#include <QSet>
#include <QStringList>

class QAbstractButton;
class QAbstractItemView;

namespace rankscope::test {

/// Finds texts that are hard to read: WCAG wants a contrast of 4.5 to 1, and 3 to 1 for large texts. It exempts
/// disabled ones; here they have 3 to 1, too.
class ContrastReader {
public:
    /// Reads a visible widget and those in it, buttons also with the pointer over them and pressed, rows also selected.
    void read(QWidget* root);
    /// Reads the tool tips of the visible widgets of a window.
    void readToolTips(QWidget* window);

    /// Returns a line for each fault: state and place of the widget, the text, its colour, the ground's, the contrast.
    const QStringList& faults() const { return m_faults; }
    int textCount() const { return m_textCount; } ///< of the texts that were read

private:
    void readInEachState(QAbstractButton* button);
    void readSelected(QAbstractItemView* view);
    void judgeAlone(QWidget* widget, const QString& state);
    void judge(QWidget* widget, const QImage& picture, const QString& state);
    void add(const QString& where, const DrawnText& drawn, const QColor& ink, const QColor& ground);

    QStringList m_faults;
    QSet<QString> m_seen;
    int m_textCount = 0;
};

} // namespace rankscope::test
