// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ui {

struct DiffLine {
    enum class DiffLineKind { Same, Removed, Added } kind = DiffLineKind::Same;
    int oldLine = 0, newLine = 0; ///< from 1; 0: not in that text
    std::string text;             ///< without its line end
    bool operator==(const DiffLine&) const = default;
};

/// Returns the lines that differ: as few as possible (Myers), or plain blocks if that would take too long.
std::vector<DiffLine> lineDiff(std::string_view before, std::string_view after);

/// Returns only the differing lines, with `context` lines around them; a line of kind Same with both numbers 0 marks
/// omitted lines.
std::vector<DiffLine> hunks(const std::vector<DiffLine>& lines, int context);

/// Shows the differences between two texts of the recipe, line by line.
class ChangesView final : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ChangesView(QWidget* parent = nullptr);
    /// Marks lines that only `before` has with -, those that only `after` has with +.
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
