// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/rank_board.h"

#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/review/board/tile_painter.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

using diagnosis::RankState;

namespace {

bool isCalm(RankState state) {
    return state == RankState::Computing || state == RankState::Finished || state == RankState::Unknown ||
           state == RankState::Starting;
}

} // namespace

QString stateText(RankState state) {
    static constexpr const char* kWords[] = {
        // in the order of RankState
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "starting"),
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "computing"),
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "waiting"),
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "holding up others"),
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "stopped"),
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "dead"),
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "finished"),
        QT_TRANSLATE_NOOP("rankscope::ui::RankBoard", "ended"),
    };
    return RankBoard::tr(kWords[static_cast<std::size_t>(state)]);
}

RankBoard::RankBoard(QWidget* parent) : TileList(parent) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Rank board"));
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_cellPictures.clear();
        viewport()->update();
    });
    relayout();
    onLanguageChange(this, [this] { setAccessibleName(tr("Rank board")); });
}

/// Returns whether two tiles are painted alike.
static bool looksLike(const RankTile& a, const RankTile& b) {
    return a.rank == b.rank && a.step == b.step && a.status.state == b.status.state && a.status.words == b.status.words;
}

void RankBoard::setView(const RunView& view) {
    const auto before = std::exchange(m_tiles, view.ranks);
    const auto figures = [](const store::RankSummary& s) { return std::pair(s.waitedNs, s.heldNs); };
    const bool ended = !launch::isLive(view.info.state) && view.info.worldSize > 1;
    const bool others = std::exchange(m_hasEnded, ended) != ended ||
                        (ended && !std::ranges::equal(m_summaries, view.summaries, {}, figures, figures));
    m_summaries = view.summaries;
    if (others && !m_isHeat)
        viewport()->update();
    if (before.size() != m_tiles.size()) {
        relayout();
        viewport()->update();
        return;
    }
    bool changed = false;
    for (std::size_t i = 0; i < m_tiles.size(); ++i) {
        if (looksLike(before[i], m_tiles[i]))
            continue;
        changed = true;
        if (!m_isHeat)
            viewport()->update(tileRect(static_cast<int>(i)).adjusted(-1, -1, 1, 1));
    }
    if (changed && m_isHeat) // the sums above the cells change too
        viewport()->update();
}

void RankBoard::setChoice(const RankChoice& choice) {
    m_choice = choice;
    viewport()->update();
}

void RankBoard::relayout() {
    const int n = static_cast<int>(m_tiles.size());
    m_layout = BoardLayout::of(n, width());
    m_isHeat = m_layout.rows() > BoardLayout::kVisibleRows;
    if (m_isHeat) {
        m_heat = HeatLayout::of(n, width());
        if (m_heat.contentHeight() > m_heat.visibleHeight())
            m_heat = HeatLayout::of(n, width() - verticalScrollBar()->sizeHint().width());
        m_cellPictures.clear();
    }
    if (height() != visibleHeight())
        setFixedHeight(visibleHeight());
    const int content = m_isHeat ? m_heat.contentHeight() : m_layout.contentHeight();
    verticalScrollBar()->setRange(0, std::max(0, content - visibleHeight()));
    verticalScrollBar()->setSingleStep(m_isHeat ? m_heat.cell : BoardLayout::kHeight + BoardLayout::kGap);
    verticalScrollBar()->setPageStep(visibleHeight());
    m_current = std::clamp(m_current, 0, std::max(0, n - 1));
}

void RankBoard::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    relayout();
}

QRect RankBoard::tileRect(int index) const {
    return (m_isHeat ? m_heat.at(index) : m_layout.tile(index)).translated(0, -verticalScrollBar()->value());
}

int RankBoard::indexAt(QPoint point) const {
    if (m_isHeat && point.y() < HeatLayout::kHeader)
        return -1; // the sums cover the cells that were scrolled up
    point += QPoint(0, verticalScrollBar()->value());
    return m_isHeat ? m_heat.indexAt(point) : m_layout.indexAt(point);
}

void RankBoard::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), Theme::instance().palette().window);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_isHeat)
        return paintHeat(painter, event->rect());
    for (int i = 0; i < m_layout.tiles; ++i)
        if (tileRect(i).intersects(viewport()->rect()))
            drawTile(painter, i);
}

void RankBoard::drawTile(QPainter& painter, int index) const {
    const RankTile& tile = m_tiles[static_cast<std::size_t>(index)];
    TilePainter::TileLook look;
    look.hovered = index == m_hovered;
    look.current = m_ring && hasFocus() && index == m_current;
    look.shown = m_choice.shows(tile.rank);
    look.solo = m_choice.solo == tile.rank;
    look.pinned = m_choice.pinned.contains(tile.rank);
    if (m_hasEnded)
        look.waits = waitTexts(tile.rank);
    TilePainter(painter, font()).draw(tileRect(index), tile, look);
}

/// Returns the picture of a state, painted once, so that a thousand cells cost a thousand copies of it.
const QPixmap& RankBoard::cellPicture(RankState state) {
    auto [it, isNew] = m_cellPictures.try_emplace(static_cast<int>(state));
    if (!isNew)
        return it->second;
    const int side = m_heat.cell - 2;
    const qreal scale = devicePixelRatioF();
    QPixmap picture(QSize(side, side) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isCalm(state) ? QPen(Qt::NoPen) : QPen(stateColor(state), 1));
    if (state == RankState::Waiting)
        painter.setBrush(hatchBrush(withAlpha(stateColor(state), 0.5F)));
    else
        painter.setBrush(withAlpha(stateColor(state), isCalm(state) ? 0.22F : 0.34F));
    painter.drawRoundedRect(QRectF(0.5, 0.5, side - 1, side - 1), 2, 2);
    const double mark = side * 0.78;
    drawStateMark(painter, QRectF((side - mark) / 2, (side - mark) / 2, mark, mark), state, stateColor(state));
    it->second = picture;
    return it->second;
}

QString RankBoard::sums() const {
    std::map<RankState, int> counts;
    for (const auto& tile : m_tiles)
        ++counts[tile.status.state];
    QStringList parts;
    for (const RankState state : {RankState::Dead, RankState::Stopped, RankState::Holder, RankState::Waiting,
                                  RankState::Computing, RankState::Starting, RankState::Finished, RankState::Unknown})
        if (counts.contains(state))
            parts << tr("%1 %2", "count, state: 12 waiting").arg(countText(counts[state]), stateText(state));
    return tr("%1 ranks: %2").arg(countText(static_cast<qint64>(m_tiles.size())), parts.join(QStringLiteral(", ")));
}

void RankBoard::paintHeat(QPainter& painter, const QRect& exposed) {
    const auto& palette = Theme::instance().palette();
    const int scrolled = verticalScrollBar()->value();
    QFont small = font();
    small.setPointSizeF(9);
    painter.setFont(small);
    painter.setPen(palette.secondary);
    const QFontMetrics metrics(small);
    const int stride = std::max(1, (metrics.height() + m_heat.cell - 1) / m_heat.cell);
    for (int row = 0; row < m_heat.rows(); row += stride) {
        const int first = row * m_heat.columns;
        const QRect cell = m_heat.at(first).translated(0, -scrolled);
        painter.drawText(QRect(HeatLayout::kPad, cell.center().y() - 8, HeatLayout::kLabel - 8, 17),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(m_tiles[static_cast<std::size_t>(first)].rank));
    }
    const int first = std::max(0, (exposed.top() + scrolled - HeatLayout::kHeader) / m_heat.cell) * m_heat.columns;
    for (int i = first; i < m_heat.cells; ++i) {
        const QRect cell = m_heat.at(i).translated(0, -scrolled);
        if (cell.top() > exposed.bottom())
            break;
        const RankTile& tile = m_tiles[static_cast<std::size_t>(i)];
        painter.setOpacity(m_choice.shows(tile.rank) ? 1 : 0.35);
        painter.drawPixmap(cell.topLeft(), cellPicture(tile.status.state));
        painter.setOpacity(1);
        const bool current = m_ring && hasFocus() && i == m_current;
        const bool ringed = m_choice.solo == tile.rank || m_choice.pinned.contains(tile.rank) || i == m_hovered;
        if (!current && !ringed)
            continue;
        painter.setPen(QPen(current || m_choice.solo == tile.rank ? palette.accent : palette.text, current ? 2 : 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(cell), 2, 2);
    }
    painter.fillRect(QRect(0, 0, viewport()->width(), HeatLayout::kHeader), palette.window);
    painter.setPen(palette.text);
    painter.drawText(QRect(HeatLayout::kPad, 0, viewport()->width() - 2 * HeatLayout::kPad, HeatLayout::kHeader),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(sums(), Qt::ElideRight, viewport()->width() - 2 * HeatLayout::kPad));
}

/// Returns what a rank does, in a few lines.
static QStringList statusLines(const RankTile& tile) {
    QStringList lines;
    lines << RankBoard::tr("rank %1: %2").arg(tile.rank).arg(stateText(tile.status.state))
          << toQString(tile.status.words.text(currentLanguage()));
    if (tile.step >= 0)
        lines << RankBoard::tr("step %1").arg(countText(tile.step));
    return lines;
}

/// Returns the texts longest first; the shortest has only the larger of the two values.
QStringList RankBoard::waitTexts(int rank) const {
    const auto any = [](const store::RankSummary& s) { return s.waitedNs > 0 || s.heldNs > 0; };
    const auto found = std::ranges::find(m_summaries, rank, &store::RankSummary::rank);
    if (found == m_summaries.end() || std::ranges::none_of(m_summaries, any))
        return {};
    const QString waited = durationText(found->waitedNs), held = durationText(found->heldNs);
    return {tr("waited %1, held others %2").arg(waited, held), tr("waited %1, held %2").arg(waited, held),
            found->heldNs > found->waitedNs ? tr("held %1").arg(held) : tr("waited %1").arg(waited)};
}

QString RankBoard::spoken(int index) const {
    const RankTile& tile = m_tiles[static_cast<std::size_t>(index)];
    QStringList lines = statusLines(tile);
    if (m_hasEnded)
        lines += waitTexts(tile.rank).mid(0, 1);
    return lines.join(QStringLiteral(", "));
}

QString RankBoard::tooltip(int index) const {
    const RankTile& tile = m_tiles[static_cast<std::size_t>(index)];
    QStringList lines = statusLines(tile);
    for (const auto& s : m_summaries) {
        if (s.rank != tile.rank)
            continue;
        if (!s.device.empty())
            lines << tr("%1 on %2", "device on host").arg(toQString(s.device), toQString(s.host));
        lines << tr("waited %1, held others %2").arg(durationText(s.waitedNs), durationText(s.heldNs));
    }
    if (m_choice.pinned.contains(tile.rank))
        lines << tr("pinned: always drawn as a line");
    lines << QString() << tr("Click to show it alone, Ctrl+click to mute it.");
    return lines.join(u'\n');
}

bool RankBoard::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int index = indexAt(help->pos());
        if (index >= 0)
            QToolTip::showText(help->globalPos(), plainToolTip(tooltip(index)), viewport(), tileRect(index));
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::Leave && m_hovered >= 0) {
        m_hovered = -1;
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void RankBoard::mouseMoveEvent(QMouseEvent* event) {
    const int index = indexAt(event->position().toPoint());
    if (index == m_hovered)
        return;
    m_hovered = index;
    viewport()->setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void RankBoard::mousePressEvent(QMouseEvent* event) {
    const int index = indexAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || index < 0)
        return;
    m_current = index;
    const int rank = m_tiles[static_cast<std::size_t>(index)].rank;
    if (event->modifiers() & Qt::ControlModifier)
        emit muteClicked(rank);
    else
        emit soloClicked(rank);
}

void RankBoard::contextMenuEvent(QContextMenuEvent* event) {
    const bool keyboard = event->reason() == QContextMenuEvent::Keyboard;
    const int index = keyboard ? m_current : indexAt(event->pos());
    if (index < 0 || index >= static_cast<int>(m_tiles.size()))
        return;
    const int rank = m_tiles[static_cast<std::size_t>(index)].rank;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(m_choice.solo == rank ? tr("Show all ranks") : tr("Show rank %1 alone").arg(rank), this,
                    [this, rank] { emit soloClicked(rank); });
    menu->addAction(m_choice.muted.contains(rank) ? tr("Unmute rank %1").arg(rank) : tr("Mute rank %1").arg(rank), this,
                    [this, rank] { emit muteClicked(rank); });
    menu->addAction(m_choice.pinned.contains(rank) ? tr("Unpin rank %1").arg(rank)
                                                   : tr("Pin rank %1: always draw it as a line").arg(rank),
                    this, [this, rank] { emit pinClicked(rank); });
    menu->addSeparator();
    menu->addAction(tr("Show its log"), this, [this, rank] { emit logRequested(rank); });
    menu->popup(keyboard ? viewport()->mapToGlobal(tileRect(index).center()) : event->globalPos());
}

void RankBoard::setCurrent(int index) {
    m_ring = true;
    m_current = std::clamp(index, 0, std::max(0, static_cast<int>(m_tiles.size()) - 1));
    const QRect tile = m_isHeat ? m_heat.at(m_current) : m_layout.tile(m_current);
    const int above = m_isHeat ? HeatLayout::kHeader : BoardLayout::kGap;
    auto* bar = verticalScrollBar();
    bar->setValue(
        std::clamp(bar->value(), tile.bottom() + BoardLayout::kGap - visibleHeight(), std::max(0, tile.top() - above)));
    viewport()->update();
    if (!hasFocus())
        return;
    QAccessibleEvent event(this, QAccessible::Focus);
    event.setChild(current());
    QAccessible::updateAccessibility(&event);
}

void RankBoard::keyPressEvent(QKeyEvent* event) {
    if (m_tiles.empty())
        return QAbstractScrollArea::keyPressEvent(event);
    const int rank = m_tiles[static_cast<std::size_t>(m_current)].rank;
    switch (event->key()) {
    case Qt::Key_Left:
        return setCurrent(m_current - 1);
    case Qt::Key_Right:
        return setCurrent(m_current + 1);
    case Qt::Key_Up:
        return setCurrent(m_current - (m_isHeat ? m_heat.columns : m_layout.columns));
    case Qt::Key_Down:
        return setCurrent(m_current + (m_isHeat ? m_heat.columns : m_layout.columns));
    case Qt::Key_Home:
        return setCurrent(0);
    case Qt::Key_End:
        return setCurrent(static_cast<int>(m_tiles.size()) - 1);
    case Qt::Key_P:
        return emit pinClicked(rank);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return emit soloClicked(rank);
    case Qt::Key_Space:
        return emit muteClicked(rank);
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void RankBoard::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    m_ring = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    viewport()->update();
}

void RankBoard::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace rankscope::ui
