// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between two texts of the recipe, line by line: unsaved edits against the disk, the disk against mine.
#pragma once

#include <QPlainTextEdit>

#include <string>

namespace rankscope::ui {

class ChangesView final : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ChangesView(QWidget* parent = nullptr);
    /// Lines of `before` alone are marked -, those of `after` alone +.
    void show(const std::string& before, const std::string& after);
    int removed() const { return m_removed; }
    int added() const { return m_added; }

signals:
    void lineRequested(int line); ///< of `after`

protected:
    void changeEvent(QEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void fill();

    std::string m_before, m_after;
    QList<int> m_lines; ///< of `after`, per block
    int m_removed = 0, m_added = 0;
};

} // namespace rankscope::ui
