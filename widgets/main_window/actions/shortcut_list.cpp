// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/shortcut_list.h"

#include "widgets/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kColumnGap = 28, kKeyGap = 12, kSectionGap = 10, kLeastText = 150, kMostColumns = 5;
static constexpr int kWordFlags = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap;

/// Rows of a column that is this wide: a text that is longer takes another line.
void KeyList::measure(const QList<KeySection>& sections, int columnWidth) {
    const QFontMetrics keys(monoFont(9)), words(bodyFont());
    int longest = kLeastText;
    m_keyWidth = 0;
    for (const KeySection& section : sections)
        for (const KeyLine& line : section.lines) {
            m_keyWidth = std::max(m_keyWidth, keys.horizontalAdvance(line.key) + 1);
            longest = std::max(longest, words.horizontalAdvance(line.text) + 1);
        }
    m_textWidth = std::clamp(columnWidth - m_keyWidth - kKeyGap, kLeastText, longest);
    m_columnWidth = m_keyWidth + kKeyGap + m_textWidth;
    m_blocks.clear();
    for (const KeySection& section : sections) {
        Block block{section.title, {}, {}, kRow + kSectionGap};
        for (const KeyLine& line : section.lines) {
            const int tall = words.boundingRect(QRect(0, 0, m_textWidth, 1000), kWordFlags, line.text).height();
            block.rows << Row{line.key, line.text, tall > words.lineSpacing() + 2 ? tall + 6 : kRow};
            block.height += block.rows.back().height;
        }
        m_blocks << block;
    }
}

bool KeyList::fits(int height, int columns) {
    int column = 0, y = 0;
    for (Block& block : m_blocks) {
        if (y > 0 && y + block.height > height + kSectionGap) {
            ++column;
            y = 0;
        }
        block.at = QPoint(column * (m_columnWidth + kColumnGap), y);
        y += block.height;
    }
    return column < columns;
}

/// The lowest height at which the columns are enough.
int KeyList::heightWith(int columns) {
    int all = 0, tallest = kRow;
    for (const Block& block : std::as_const(m_blocks)) {
        all += block.height;
        tallest = std::max(tallest, block.height);
    }
    int height = std::max(tallest, all / columns);
    while (!fits(height, columns))
        height += kRow / 2;
    return height;
}

QSize KeyList::arrange(const QList<KeySection>& sections, int width) {
    const auto with = [&](int columns) {
        measure(sections, (width + kColumnGap) / columns - kColumnGap);
        return heightWith(columns);
    };
    int best = 1, lowest = with(1);
    const int most = static_cast<int>(std::min<qsizetype>(kMostColumns, sections.size()));
    for (int columns = 2; columns <= most; ++columns) {
        const int height = with(columns);
        if (columns * (m_columnWidth + kColumnGap) - kColumnGap > width)
            break;
        if (height < lowest) {
            best = columns;
            lowest = height;
        }
    }
    resize(QSize(0, with(best)));
    resize(best * (m_columnWidth + kColumnGap) - kColumnGap, height());
    update();
    return size();
}

void KeyList::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    for (const Block& block : m_blocks) {
        QRect row(block.at, QSize(m_columnWidth, kRow));
        painter.setFont(headingFont());
        painter.setPen(p.secondary);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, block.title);
        for (const Row& line : block.rows) {
            row = QRect(row.left(), row.bottom() + 1, m_columnWidth, line.height);
            painter.setFont(monoFont(9));
            painter.setPen(p.accent);
            painter.drawText(QRect(row.left(), row.top(), m_keyWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                             line.key);
            painter.setFont(bodyFont());
            painter.setPen(p.text);
            painter.drawText(row.adjusted(m_keyWidth + kKeyGap, 0, 0, 0), kWordFlags, line.text);
        }
    }
}

} // namespace rankscope::ui
