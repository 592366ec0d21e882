// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/text/changes_view.h"

#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QMouseEvent>
#include <QTextBlock>

#include <algorithm>

namespace rankscope::ui {

namespace {

using DiffKind = DiffLine::DiffLineKind;
using TextLines = std::vector<std::string_view>;

constexpr std::size_t toIndex(int i) {
    return static_cast<std::size_t>(i);
}

TextLines linesOf(std::string_view text) {
    TextLines lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        lines.push_back(line);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

/// Above this many differences the middle is shown as one block removed and one added.
constexpr int kMostEdits = 1500;

/// Returns the furthest positions of every diagonal for each number of edits; empty if there are too many edits.
std::vector<std::vector<int>> furthest(const TextLines& a, const TextLines& b) {
    const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
    const int most = std::min(n + m, kMostEdits);
    std::vector<int> v(toIndex(2 * most + 3), 0);
    const auto at = [&](int diagonal) -> int& { return v[toIndex(diagonal + most + 1)]; };
    std::vector<std::vector<int>> trace;
    for (int d = 0; d <= most; ++d) {
        trace.emplace_back(v.begin() + (most + 1 - d), v.begin() + (most + 2 + d));
        for (int k = -d; k <= d; k += 2) {
            int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
            while (x < n && x - k < m && a[toIndex(x)] == b[toIndex(x - k)])
                ++x;
            at(k) = x;
            if (x >= n && x - k >= m)
                return trace;
        }
    }
    return {};
}

struct DiffStep {
    DiffKind kind;
    int x, y; ///< lines of a and b before this one
};

std::vector<DiffStep> path(const TextLines& a, const TextLines& b) {
    const auto trace = furthest(a, b);
    std::vector<DiffStep> steps;
    int x = static_cast<int>(a.size()), y = static_cast<int>(b.size());
    if (trace.empty()) {
        for (int i = 0; i < x; ++i)
            steps.push_back({DiffKind::Removed, i, 0});
        for (int j = 0; j < y; ++j)
            steps.push_back({DiffKind::Added, x, j});
        return steps;
    }
    for (int d = static_cast<int>(trace.size()) - 1; d > 0; --d) {
        const auto before = [&](int diagonal) { return trace[toIndex(d)][toIndex(diagonal + d)]; };
        const int k = x - y;
        const bool down = k == -d || (k != d && before(k - 1) < before(k + 1));
        const int fromX = down ? before(k + 1) : before(k - 1), fromY = fromX - (down ? k + 1 : k - 1);
        while (x > fromX + (down ? 0 : 1) && y > fromY + (down ? 1 : 0))
            steps.push_back({DiffKind::Same, --x, --y});
        steps.push_back({down ? DiffKind::Added : DiffKind::Removed, fromX, fromY});
        x = fromX;
        y = fromY;
    }
    while (x > 0 && y > 0)
        steps.push_back({DiffKind::Same, --x, --y});
    std::reverse(steps.begin(), steps.end());
    return steps;
}

} // namespace

std::vector<DiffLine> lineDiff(std::string_view before, std::string_view after) {
    TextLines a = linesOf(before), b = linesOf(after);
    std::size_t head = 0, tail = 0;
    while (head < std::min(a.size(), b.size()) && a[head] == b[head])
        ++head;
    while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    std::vector<DiffLine> out;
    const auto line = [&](DiffKind kind, std::size_t x, std::size_t y) {
        const int oldLine = kind == DiffKind::Added ? 0 : static_cast<int>(x) + 1;
        const int newLine = kind == DiffKind::Removed ? 0 : static_cast<int>(y) + 1;
        out.push_back({kind, oldLine, newLine, std::string(kind == DiffKind::Added ? b[y] : a[x])});
    };
    for (std::size_t i = 0; i < head; ++i)
        line(DiffKind::Same, i, i);
    const auto part = [](const TextLines& all, std::size_t from, std::size_t drop) {
        return TextLines(all.begin() + static_cast<std::ptrdiff_t>(from),
                         all.end() - static_cast<std::ptrdiff_t>(drop));
    };
    for (const DiffStep& step : path(part(a, head, tail), part(b, head, tail)))
        line(step.kind, head + toIndex(step.x), head + toIndex(step.y));
    for (std::size_t i = tail; i > 0; --i)
        line(DiffKind::Same, a.size() - i, b.size() - i);
    return out;
}

std::vector<DiffLine> hunks(const std::vector<DiffLine>& lines, int context) {
    const int count = static_cast<int>(lines.size());
    std::vector<char> wanted(lines.size(), 0);
    for (int i = 0; i < count; ++i)
        if (lines[toIndex(i)].kind != DiffKind::Same)
            for (int j = std::max(0, i - context); j <= std::min(count - 1, i + context); ++j)
                wanted[toIndex(j)] = 1;
    std::vector<DiffLine> out;
    bool left = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!wanted[i]) {
            left = true;
            continue;
        }
        if (left && !out.empty())
            out.push_back({});
        left = false;
        out.push_back(lines[i]);
    }
    return out;
}

ChangesView::ChangesView(QWidget* parent) : QPlainTextEdit(parent) {
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setLineWrapMode(NoWrap);
    setFrameShape(NoFrame);
    setFont(monoFont(9));
    document()->setDocumentMargin(6);
    connect(&Theme::instance(), &Theme::changed, this, &ChangesView::fill);
    onLanguageChange(this, [this] { fill(); });
    fill();
}

void ChangesView::show(const std::string& before, const std::string& after) {
    if (before == m_before && after == m_after)
        return;
    m_before = before;
    m_after = after;
    fill();
}

void ChangesView::fill() {
    const Palette& p = Theme::instance().palette();
    setPlaceholderText(tr("No unsaved edits."));
    clear();
    m_lines.clear();
    const auto lines = hunks(lineDiff(m_before, m_after), 2);
    QTextCursor cursor(document());
    for (const DiffLine& line : lines) {
        QTextBlockFormat block;
        QTextCharFormat ink;
        QString text = QString::fromStdString(line.text);
        if (line.kind == DiffLine::DiffLineKind::Removed) {
            block.setBackground(blend(p.panel, p.dead, 0.14));
            text.prepend(QStringLiteral("- "));
        } else if (line.kind == DiffLine::DiffLineKind::Added) {
            block.setBackground(blend(p.panel, p.good, 0.16));
            text.prepend(QStringLiteral("+ "));
        } else if (line.oldLine == 0) {
            ink.setForeground(p.secondary);
            text = QStringLiteral("  …");
        } else {
            ink.setForeground(p.secondary);
            text.prepend(QStringLiteral("  "));
        }
        if (!m_lines.isEmpty())
            cursor.insertBlock();
        cursor.setBlockFormat(block);
        cursor.insertText(text, ink);
        m_lines << line.newLine;
    }
    moveCursor(QTextCursor::Start);
}

void ChangesView::mouseDoubleClickEvent(QMouseEvent* event) {
    const int block = cursorForPosition(event->pos()).blockNumber();
    if (const int line = m_lines.value(block); line > 0)
        emit lineRequested(line);
}

} // namespace rankscope::ui
