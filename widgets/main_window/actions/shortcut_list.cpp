// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/shortcut_list.h"

#include "widgets/theme/theme.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

namespace {

struct PageKeys {
    Q_DECLARE_TR_FUNCTIONS(PageKeys)
};

QString q(const char* keys) {
    return QString::fromUtf8(keys);
}

QFont keyFont() {
    QFont font = monoFont(9);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

QList<KeySection> pageKeys() {
    return {{PageKeys::tr("Configure, in the tree"),
             {{q("Enter  F2"), PageKeys::tr("Edit the value; open or close a section")},
              {q("Space"), PageKeys::tr("Switch between true and false")},
              {q("Insert"), PageKeys::tr("Add a key to the section")},
              {q("Del"), PageKeys::tr("Remove the key from your file")},
              {q("Alt+↑  Alt+↓"), PageKeys::tr("Move the key or section")},
              {q("Ctrl+I"), PageKeys::tr("Explain the key")},
              {q("Ctrl+J"), PageKeys::tr("Go to the line in the text, and back")},
              {q("F3  Shift+F3"), PageKeys::tr("In the text: next and previous match")},
              {q("Ctrl+]  Ctrl+["), PageKeys::tr("In the text: indent, outdent")},
              {q("Esc  Tab"), PageKeys::tr("Leave the text")}}},
            {PageKeys::tr("Review"),
             {{q("←  →"), PageKeys::tr("Move the view, in a plot or the strip")},
              {q("Alt+↑  Alt+↓"), PageKeys::tr("Move the plot among the others")},
              {q("Ctrl+↑  Ctrl+↓"), PageKeys::tr("Zoom the y axis")},
              {q("Ctrl+Home"), PageKeys::tr("Fit the y axis again")},
              {q("Del"), PageKeys::tr("Remove the plot")},
              {q("↑  ↓"), PageKeys::tr("In the strip: zoom in and out")},
              {q("Enter  Space"), PageKeys::tr("On the board: this rank alone; mute it")},
              {q("P"), PageKeys::tr("On the board: pin the rank")}}},
            {PageKeys::tr("Timeline"),
             {{q("+  −  W  S"), PageKeys::tr("Zoom at the centre")},
              {q("0  Home  End"), PageKeys::tr("Whole run; its end")},
              {q("←  →  A  D"), PageKeys::tr("Move (with Ctrl: further)")},
              {q("↑  ↓"), PageKeys::tr("Other lanes (PgUp, PgDown: a page)")},
              {q("←  →  ↑  ↓"), PageKeys::tr("From a selected span: to its neighbours")},
              {q("Enter"), PageKeys::tr("Details; zoom to the selection")},
              {q("C"), PageKeys::tr("From a wait to its cause")},
              {q("Esc"), PageKeys::tr("Clear the selection")},
              {q("Ctrl+C"), PageKeys::tr("Copy the details")},
              {q("[  ]"), PageKeys::tr("Previous and next incident")},
              {q("F"), PageKeys::tr("Follow a live run")}}},
            {PageKeys::tr("Logs"),
             {{q("Enter  F3"), PageKeys::tr("Next match")},
              {q("Shift+F3"), PageKeys::tr("Previous match")},
              {q("Ctrl+G"), PageKeys::tr("Go to a line, step or time")},
              {q("Ctrl+C"), PageKeys::tr("Copy the selected lines")}}},
            {PageKeys::tr("Runs"),
             {{q("Enter"), PageKeys::tr("Open the run")},
              {q("Space"), PageKeys::tr("Toggle favourite")},
              {q("T  N"), PageKeys::tr("Edit the tags, the note")},
              {q("B  D"), PageKeys::tr("Pin as the baseline, show differences to it")},
              {q("F2"), PageKeys::tr("Rename")},
              {q("Del"), PageKeys::tr("Move to the trash")},
              {q("Ctrl+A"), PageKeys::tr("Select all runs, to compare them")},
              {q("Ctrl+C"), PageKeys::tr("Copy the selected rows")},
              {q("Ctrl+Space"), PageKeys::tr("In the filter: suggestions")}}}};
}

static constexpr int kColumnGap = 28, kKeyGap = 12, kSectionGap = 10, kLeastText = 150, kMostColumns = 5;
static constexpr int kWordFlags = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap;

/// Measures the rows for this column width; a text that is longer is wrapped.
void KeyList::measure(const QList<KeySection>& sections, int columnWidth) {
    const QFontMetrics keys(keyFont()), words(bodyFont());
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
            block.rows << ShortcutRow{line.key, line.text, tall > words.lineSpacing() + 2 ? tall + 6 : kRow};
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

/// Returns the lowest height at which this number of columns is enough.
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
        for (const ShortcutRow& line : block.rows) {
            row = QRect(row.left(), row.bottom() + 1, m_columnWidth, line.height);
            painter.setFont(keyFont());
            painter.setPen(p.text);
            painter.drawText(QRect(row.left(), row.top(), m_keyWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                             line.key);
            painter.setFont(bodyFont());
            painter.setPen(p.text);
            painter.drawText(row.adjusted(m_keyWidth + kKeyGap, 0, 0, 0), kWordFlags, line.text);
        }
    }
}

} // namespace rankscope::ui
