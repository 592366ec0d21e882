// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ui {

struct DiffLine {
    enum class Kind { Same, Removed, Added } kind = Kind::Same;
    int oldLine = 0, newLine = 0; ///< from 1; 0: not in that text
    std::string text;             ///< without its end
    bool operator==(const DiffLine&) const = default;
};

/// Which lines the texts do not share: as few as possible (Myers), or plain blocks where that would take too long.
std::vector<DiffLine> lineDiff(std::string_view before, std::string_view after);

/// Only what differs, with `context` lines around it; a line of kind Same with both numbers 0 stands for what is left
/// out.
std::vector<DiffLine> hunks(const std::vector<DiffLine>& lines, int context);

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
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void fill();

    std::string m_before, m_after;
    QList<int> m_lines; ///< of `after`, per block
};

} // namespace rankscope::ui
