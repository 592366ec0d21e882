// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/rank_board.h"

#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QAccessibleWidget>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <QPointer>
#include <QTextLayout>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

using diagnosis::RankState;

namespace {

constexpr int kPad = 8;
constexpr int kMark = 14;
constexpr double kHiddenOpacity = 0.45; ///< of the marks of ranks that are not shown

bool isAlarming(RankState state) {
    return state == RankState::Holder || state == RankState::Stopped || state == RankState::Dead;
}

bool isCalm(RankState state) {
    return state == RankState::Computing || state == RankState::Finished || state == RankState::Unknown ||
           state == RankState::Starting;
}

/// Draws at most `most` lines of text; the last one is elided.
void drawWrapped(QPainter& painter, const QRectF& box, const QString& text, int most) {
    QTextLayout layout(text, painter.font());
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    const QFontMetricsF metrics(painter.font());
    double y = box.top();
    for (int i = 0; i < most; ++i) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(box.width());
        const bool last = i == most - 1;
        const QString part = last ? text.mid(line.textStart()) : text.mid(line.textStart(), line.textLength());
        painter.drawText(QRectF(box.left(), y, box.width(), metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(part.trimmed(), Qt::ElideRight, box.width()));
        y += metrics.height();
    }
    layout.endLayout();
}

/// Returns the first of the texts that fits into the width; the last one if none does.
QString fitting(const QFontMetricsF& metrics, const QStringList& texts, double width) {
    const auto fits =
        std::ranges::find_if(texts, [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; });
    return fits == texts.end() ? texts.back() : *fits;
}

/// One tile. It has no widget, because the board paints it.
class TileAccess final : public QAccessibleInterface {
public:
    TileAccess(RankBoard* board, int index) : m_board(board), m_index(index) {}

    bool isValid() const override { return m_board && m_index < m_board->count(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_board); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Name && isValid() ? m_board->spoken(m_index) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        return isValid() ? m_board->tileRect(m_index).translated(m_board->viewport()->mapToGlobal(QPoint())) : QRect();
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (state.invalid)
            return state;
        state.focusable = true;
        state.focused = m_board->hasFocus() && m_board->current() == m_index;
        state.invisible = !m_board->isVisible();
        state.offscreen = !m_board->viewport()->rect().intersects(m_board->tileRect(m_index));
        return state;
    }

private:
    QPointer<RankBoard> m_board;
    int m_index;
};

class BoardAccess final : public QAccessibleWidget {
public:
    explicit BoardAccess(RankBoard* board) : QAccessibleWidget(board, QAccessible::List) {}
    ~BoardAccess() override {
        for (const QAccessible::Id id : m_ids)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return board()->count(); }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount())
            return nullptr;
        while (m_ids.size() <= static_cast<std::size_t>(index))
            m_ids.push_back(
                QAccessible::registerAccessibleInterface(new TileAccess(board(), static_cast<int>(m_ids.size()))));
        return QAccessible::accessibleInterface(m_ids[static_cast<std::size_t>(index)]);
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override {
        for (std::size_t i = 0; i < m_ids.size(); ++i)
            if (QAccessible::accessibleInterface(m_ids[i]) == wanted)
                return static_cast<int>(i);
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        const QPoint point = board()->viewport()->mapFromGlobal(QPoint(x, y));
        for (int i = 0; i < childCount(); ++i)
            if (board()->tileRect(i).contains(point))
                return child(i);
        return nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        return board()->hasFocus() ? child(board()->current()) : nullptr;
    }

private:
    RankBoard* board() const { return static_cast<RankBoard*>(object()); }
    mutable std::vector<QAccessible::Id> m_ids; ///< of the tiles requested so far
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
    auto* board = qobject_cast<RankBoard*>(object);
    return board ? new BoardAccess(board) : nullptr;
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

RankBoard::RankBoard(QWidget* parent) : QAbstractScrollArea(parent) {
    static const bool installed = (QAccessible::installFactory(interfaceOf), true);
    Q_UNUSED(installed)
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

void RankBoard::drawGround(QPainter& painter, const QRect& box, const RankTile& tile, bool hovered,
                           bool current) const {
    const auto& palette = Theme::instance().palette();
    const QColor state = stateColor(tile.status.state);
    const QRectF frame = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(hovered ? palette.raised : palette.panel);
    painter.drawRoundedRect(frame, 4, 4);
    QColor border = palette.hairline;
    if (isAlarming(tile.status.state)) {
        painter.setBrush(withAlpha(state, palette.dark ? 0.12F : 0.08F));
        painter.drawRoundedRect(frame, 4, 4);
        border = state;
    } else if (tile.status.state == RankState::Waiting) {
        painter.setBrush(hatchBrush(palette.tileHatch()));
        painter.drawRoundedRect(frame, 4, 4);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(
        QPen(m_choice.solo == tile.rank || current ? palette.accent : border, m_choice.solo == tile.rank ? 2 : 1));
    painter.drawRoundedRect(frame, 4, 4);
}

void RankBoard::drawTile(QPainter& painter, int index) const {
    const auto& theme = Theme::instance();
    const auto& palette = theme.palette();
    const RankTile& tile = m_tiles[static_cast<std::size_t>(index)];
    const QRect box = tileRect(index);
    drawGround(painter, box, tile, index == m_hovered, m_ring && hasFocus() && index == m_current);
    // the tile of a hidden rank is pale, but still to be read
    const bool shown = m_choice.shows(tile.rank);
    const QColor ink = shown ? palette.text : palette.secondary;
    painter.save();
    painter.setOpacity(shown ? 1 : kHiddenOpacity);
    const QRectF head(box.left() + kPad, box.top() + 7, box.width() - 2 * kPad, 17);
    drawStateMark(painter, QRectF(head.left() - 1, head.center().y() - kMark / 2.0, kMark, kMark), tile.status.state,
                  stateColor(tile.status.state));
    painter.setOpacity(1);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(ink);
    const QString name = tr("rank %1").arg(tile.rank);
    painter.drawText(head.adjusted(kMark + 4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
    const double used = kMark + 4 + QFontMetricsF(bold).horizontalAdvance(name) + 8;
    QFont small = font();
    small.setPointSizeF(9);
    painter.setFont(small);
    painter.setPen(palette.secondary);
    if (tile.step >= 0) {
        const QFontMetricsF metrics(small);
        const QString longText = tr("step %1").arg(countText(tile.step));
        const bool fits = metrics.horizontalAdvance(longText) <= head.width() - used;
        painter.drawText(head.adjusted(used, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                         fits ? longText : countText(tile.step));
    }
    drawWords(painter, QRectF(box.left() + kPad, box.top() + 26, box.width() - 2 * kPad, 32), tile, ink);
    painter.setOpacity(shown ? 1 : kHiddenOpacity);
    if (m_choice.pinned.contains(tile.rank))
        painter.fillRect(QRectF(box.left() + 1, box.top() + 8, 3, box.height() - 16), palette.accent);
    QPen pen = theme.rankPen(tile.rank);
    pen.setWidthF(2);
    pen.setCapStyle(Qt::FlatCap);
    painter.setPen(pen);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int y = box.bottom() - 6;
    painter.drawLine(box.left() + kPad, y, box.right() - kPad, y);
    painter.restore();
}

/// Draws what the rank does or how it ended. For an ended run, this includes how long it waited and held others, unless
/// the cause of a death takes both lines.
void RankBoard::drawWords(QPainter& painter, const QRectF& box, const RankTile& tile, const QColor& ink) const {
    const auto& palette = Theme::instance().palette();
    const QFontMetricsF metrics(painter.font());
    const QString words = toQString(tile.status.words.text(currentLanguage()));
    const QStringList sums = m_hasEnded ? waitTexts(tile.rank) : QStringList();
    const bool withSums =
        !sums.isEmpty() && (!isAlarming(tile.status.state) || metrics.horizontalAdvance(words) <= box.width());
    painter.setPen(ink);
    drawWrapped(painter, box, words, withSums ? 1 : 2);
    if (!withSums)
        return;
    painter.setPen(palette.secondary);
    painter.drawText(QRectF(box.left(), box.top() + metrics.height(), box.width(), metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, fitting(metrics, sums, box.width()));
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
