// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

#include <string>

namespace rankscope::ui {

/// Shows what differs between two texts of the recipe, line by line.
class ChangesView final : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ChangesView(QWidget* parent = nullptr);
    /// Lines of `before` alone are marked -, those of `after` alone +.
    void show(const std::string& before, const std::string& after);

signals:
    void lineRequested(int line); ///< of `after`

protected:
    void changeEvent(QEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void fill();

    std::string m_before, m_after;
    QList<int> m_lines; ///< of `after`, per block
};

} // namespace rankscope::ui
