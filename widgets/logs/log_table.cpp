// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_table.h"

#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/plain_table.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/logs/log_feed.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QHeaderView>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kMostShown = 4'000;  ///< characters of a line that can be scrolled to
constexpr int kPaintSteps = 5'000; ///< match steps of a pattern on one line, so that painting stays fast
constexpr int kMarkPx = 14;        ///< room for a line's mark, before its text
constexpr int kTextMargins = 12;   ///< left and right of a cell's text
constexpr int kWrap = Qt::AlignLeft | Qt::AlignTop | Qt::TextWrapAnywhere;

QColor levelColour(telemetry::NoteSeverity level, const Palette& palette) {
    switch (level) {
    case telemetry::NoteSeverity::Error:
        return palette.dead;
    case telemetry::NoteSeverity::Warning:
        return palette.caution;
    case telemetry::NoteSeverity::Debug:
        return palette.secondary;
    default:
        return palette.text;
    }
}

/// Marks a warning or an error: its row is tinted, and its text begins with a triangle or a cross.
void paintMark(QPainter* painter, const QRectF& row, telemetry::NoteSeverity level, bool isText, bool selected) {
    if (level != telemetry::NoteSeverity::Warning && level != telemetry::NoteSeverity::Error)
        return;
    const auto& palette = Theme::instance().palette();
    const QColor colour = levelColour(level, palette);
    if (!selected)
        painter->fillRect(row, withAlpha(colour, palette.dark ? 0.16F : 0.08F));
    if (isText)
        drawStateMark(*painter, QRectF(row.left() + 4, row.top() + (row.height() - 10) / 2, 10, 10),
                      level == telemetry::NoteSeverity::Error ? diagnosis::RankState::Dead
                                                              : diagnosis::RankState::Holder,
                      colour); // the selection is pale: the mark keeps its colour on it
}

} // namespace

/// Paints rows of the log: the rank with its colour, the level by mark and colour, the filter's matches marked.
class LogDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setPattern(const QRegularExpression& pattern) { m_pattern = pattern; }
    void setWrap(bool wrap) { m_wrap = wrap; }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QFontMetricsF metrics(option.font);
        double height = metrics.height();
        const auto* view = qobject_cast<const QTableView*>(option.widget);
        if (m_wrap && view && index.column() == LogModel::TextColumn) {
            const QRectF room(0, 0, view->columnWidth(index.column()) - kTextMargins - kMarkPx, 1e6);
            height = metrics.boundingRect(room, kWrap, index.data().toString()).height();
        }
        return {option.rect.width(), static_cast<int>(height) + 4};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto& palette = Theme::instance().palette();
        const bool selected = option.state & QStyle::State_Selected;
        const auto group = option.state & QStyle::State_Active ? QPalette::Active : QPalette::Inactive;
        painter->save();
        if (selected)
            painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
        painter->setFont(option.font);
        const QFontMetricsF metrics(option.font);
        const QString text = index.data().toString();
        const auto level = static_cast<telemetry::NoteSeverity>(index.data(LogModel::LevelRole).toInt());
        const QRectF row = option.rect;
        const bool isText = index.column() == LogModel::TextColumn;
        QRectF box = row.adjusted(isText ? 8 + kMarkPx : 8, 0, -4, 0);
        paintMark(painter, row, level, isText, selected);
        QColor ink = palette.secondary;
        if (index.column() == LogModel::RankColumn) {
            const int rank = index.data(LogModel::RankRole).toInt();
            const QColor colour = rank < 0 ? palette.secondary : Theme::instance().rankPen(rank).color();
            painter->fillRect(QRectF(row.left(), row.top() + 2, 3, row.height() - 4), colour);
            ink = palette.text;
        } else if (index.column() != LogModel::TimeColumn) {
            ink = levelColour(level, palette);
        }
        const bool wrapped = m_wrap && isText && row.height() > 1.5 * metrics.height() + 4;
        if (isText && !wrapped && drawMatches(painter, box, text, metrics))
            ink = palette.text; // the level's colour could not be read on them
        painter->setPen(selected ? option.palette.color(QPalette::HighlightedText) : ink);
        if (wrapped)
            painter->drawText(box.adjusted(0, 2, 0, 0), kWrap, text);
        else
            painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                              metrics.elidedText(text, Qt::ElideRight, box.width()));
        painter->restore();
    }

private:
    /// Draws the grounds of the matches. Returns whether there is one.
    bool drawMatches(QPainter* painter, const QRectF& box, const QString& text, const QFontMetricsF& metrics) const {
        if (m_pattern.pattern().isEmpty() || !m_pattern.isValid())
            return false;
        bool any = false;
        const QColor mark = Theme::instance().palette().searchHit();
        auto matches = m_pattern.globalMatch(text.left(2000));
        while (matches.hasNext()) {
            const auto match = matches.next();
            if (match.capturedLength() == 0)
                continue;
            const double from = metrics.horizontalAdvance(text.left(match.capturedStart()));
            const double to = metrics.horizontalAdvance(text.left(match.capturedEnd()));
            const QRectF hit(box.left() + from, box.center().y() - metrics.height() / 2, to - from, metrics.height());
            painter->fillRect(hit & box, mark);
            any = true;
        }
        return any;
    }

    QRegularExpression m_pattern;
    bool m_wrap = false;
};

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
    header->setStretchLastSection(true); // wider if a line in view is, see fitText()
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
    if (line.source == LogLine::LogOrigin::Note)
        place.timeMs = line.timeMs;
    else
        place.line = LogMatch{line.timeMs, line.offset, sourceOf(line.rank)};
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

/// Sets the heights of the rows in view only; the others get theirs when they come into view.
void LogTable::fitRows() {
    if (!m_wrap)
        return;
    for (int row = std::max(0, topRow()), y = 0; row < m_lines->rowCount() && y < viewport()->height(); ++row) {
        resizeRowToContents(row);
        y += rowHeight(row);
    }
}

/// Makes the text column as wide as the longest line in view, so that it can be scrolled to its end, but never narrower
/// than the rest of the page.
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
        wanted = std::max(wanted, metrics.horizontalAdvance(m_lines->line(row).text.left(kMostShown)) + kTextMargins +
                                      kMarkPx + 4);
    header->setMinimumSectionSize(16);
    header->setStretchLastSection(false); // otherwise it would keep the width of a line that is no longer in view
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
            if (const QString cell = m_lines->index(row.row(), c).data(Qt::AccessibleTextRole).toString();
                !cell.isEmpty())
                cells << cell;
        lines << cells.join(QStringLiteral("  "));
    }
    copyText(lines.join(u'\n'), this);
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
    viewport()->update();
}

void LogTable::retranslate() {
    setAccessibleName(tr("Log lines"));
    m_lines->retranslate();
    applyTheme();
}

} // namespace rankscope::ui
