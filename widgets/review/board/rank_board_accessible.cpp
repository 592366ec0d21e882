// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/rank_board_accessible.h"

#include "widgets/review/board/rank_board.h"

#include <QAccessibleWidget>
#include <QPointer>

#include <vector>

namespace rankscope::ui {

namespace {

/// One rank. It has no object of its own: the board paints it.
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
    mutable std::vector<QAccessible::Id> m_ids; ///< of the tiles that were asked for
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
    auto* board = qobject_cast<RankBoard*>(object);
    return board ? new BoardAccess(board) : nullptr;
}

} // namespace

void installBoardAccess() {
    static const bool installed = (QAccessible::installFactory(interfaceOf), true);
    Q_UNUSED(installed)
}

void tellCurrentTile(RankBoard* board) {
    if (!board->hasFocus())
        return;
    QAccessibleEvent event(board, QAccessible::Focus);
    event.setChild(board->current());
    QAccessible::updateAccessibility(&event);
}

} // namespace rankscope::ui
