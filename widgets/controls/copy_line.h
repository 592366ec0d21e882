// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a line for a terminal or a program, which can be selected, and copied with one click.
#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace rankscope::ui {

class CopyLine final : public QWidget {
    Q_OBJECT
public:
    explicit CopyLine(QWidget* parent = nullptr);
    void setText(const QString& text, const QString& name); ///< the name is for screen readers
    QString text() const;
    void retranslate();

private:
    QLineEdit* m_line;
    QToolButton* m_copy;
};

} // namespace rankscope::ui
