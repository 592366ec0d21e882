// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_table.h"

#include "widgets/controls/plain_table.h"
#include "widgets/logs/log_delegate.h"
#include "widgets/models/logs/log_feed.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHeaderView>
#include <QScrollBar>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kMostShown = 4'000;  ///< characters of a line that can be scrolled to
constexpr int kPaintSteps = 5'000; ///< of a pattern on one line: what is painted may not be waited for
} // namespace

LogTable::LogTable(QWidget* parent)
    : QTableView(parent), m_lines(new LogModel(LogFeed::kMaxLines, this)), m_delegate(new LogDelegate(this)) {
    setModel(m_lines);
    setItemDelegate(m_delegate);
    setPlainTableLook(this);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    verticalHeader()->setMinimumSectionSize(16);
    auto* header = horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(true); // and wider where a line in view is: see fitText()
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &LogTable::scrolled);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &LogTable::fitRows);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &LogTable::fitText);
    connect(header, &QHeaderView::sectionResized, this, &LogTable::fitRows);
    connect(header, &QHeaderView::geometriesChanged, this, &LogTable::fitText);
    connect(&Theme::instance(), &Theme::changed, this, &LogTable::applyTheme);
}

std::optional<LogPlace> LogTable::placeOf(int row) const {
    if (row < 0 || row >= m_lines->rowCount())
        return {};
    const LogLine& line = m_lines->line(row);
    LogPlace place;
    if (line.source == LogLine::Source::Note)
        place.timeMs = line.timeMs;
    else
        place.line = LogMatch{line.timeMs, line.offset, line.rank + 1};
    return place;
}

void LogTable::setPattern(const QRegularExpression& pattern) {
    m_delegate->setPattern(boundedPattern(pattern, kPaintSteps));
}

void LogTable::setWrap(bool on) {
    m_wrap = on;
    m_delegate->setWrap(on);
    fitText();
    verticalHeader()->setDefaultSectionSize(QFontMetrics(font()).height() + 4);
    fitRows();
    viewport()->update();
}

void LogTable::showLevels() {
    setColumnHidden(LogModel::LevelColumn, !m_lines->hasLevels());
}

/// Of the rows in view alone: the others have their height when they come into view.
void LogTable::fitRows() {
    if (!m_wrap)
        return;
    for (int row = std::max(0, topRow()), y = 0; row < m_lines->rowCount() && y < viewport()->height(); ++row) {
        resizeRowToContents(row);
        y += rowHeight(row);
    }
}

/// As wide as the longest line in view, but never narrower than what is left of the page, so that it can be scrolled
/// to its end.
void LogTable::fitText() {
    if (m_fitting)
        return;
    m_fitting = true;
    auto* header = horizontalHeader();
    const QFontMetrics metrics(font());
    int wanted = 0;
    const int first = std::max(0, topRow()), last = rowAt(viewport()->height() - 1);
    const int end = last < 0 ? m_lines->rowCount() - 1 : last;
    for (int row = first; row <= end && !m_wrap; ++row)
        wanted = std::max(wanted, metrics.horizontalAdvance(m_lines->line(row).text.left(kMostShown)) + 16);
    header->setMinimumSectionSize(16);
    header->setStretchLastSection(false); // it would keep the width of a line that is not in view any more
    const int left = viewport()->width() - header->sectionPosition(LogModel::TextColumn);
    header->resizeSection(LogModel::TextColumn, std::max(wanted, left));
    m_fitting = false;
}

void LogTable::copySelection() const {
    QStringList lines;
    auto rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    for (const auto& row : rows) {
        QStringList cells;
        for (int c = 0; c < LogModel::ColumnCount; ++c)
            if (const QString cell = m_lines->index(row.row(), c).data().toString(); !cell.isEmpty())
                cells << cell;
        lines << cells.join(QStringLiteral("  "));
    }
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

void LogTable::applyTheme() {
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(9);
    setFont(mono);
    const QFontMetrics metrics(mono);
    verticalHeader()->setDefaultSectionSize(metrics.height() + 4);
    auto* header = horizontalHeader();
    QFont plain = QApplication::font();
    plain.setPointSizeF(9);
    header->setFont(plain);
    const auto wide = [&](const QString& text) { return metrics.horizontalAdvance(text) + 24; };
    header->resizeSection(LogModel::RankColumn, wide(tr("supervisor")));
    header->resizeSection(LogModel::TimeColumn, wide(QStringLiteral("00:00:00.000")));
    header->resizeSection(LogModel::LevelColumn, wide(tr("Warning")));
    viewport()->update();
}

void LogTable::retranslate() {
    setAccessibleName(tr("Log lines"));
    m_lines->retranslate();
    applyTheme();
}

} // namespace rankscope::ui
