// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/tile_list.h"

#include <QAccessibleWidget>
#include <QPointer>

#include <vector>

namespace rankscope::ui {

namespace {

/// One tile. It has no widget, because the list paints it.
class TileAccess final : public QAccessibleInterface {
public:
    TileAccess(TileList* list, int index) : m_list(list), m_index(index) {}

    bool isValid() const override { return m_list && m_index < m_list->count(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_list); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Name && isValid() ? m_list->spoken(m_index) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        return isValid() ? m_list->tileRect(m_index).translated(m_list->viewport()->mapToGlobal(QPoint())) : QRect();
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (state.invalid)
            return state;
        state.focusable = true;
        state.focused = m_list->hasFocus() && m_list->current() == m_index;
        state.invisible = !m_list->isVisible();
        state.offscreen = !m_list->viewport()->rect().intersects(m_list->tileRect(m_index));
        return state;
    }

private:
    QPointer<TileList> m_list;
    int m_index;
};

class ListAccess final : public QAccessibleWidget {
public:
    explicit ListAccess(TileList* list) : QAccessibleWidget(list, QAccessible::List) {}
    ~ListAccess() override {
        for (const QAccessible::Id id : m_ids)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return list() ? list()->count() : 0; }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount())
            return nullptr;
        while (m_ids.size() <= static_cast<std::size_t>(index))
            m_ids.push_back(
                QAccessible::registerAccessibleInterface(new TileAccess(list(), static_cast<int>(m_ids.size()))));
        return QAccessible::accessibleInterface(m_ids[static_cast<std::size_t>(index)]);
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override {
        for (std::size_t i = 0; i < m_ids.size(); ++i)
            if (QAccessible::accessibleInterface(m_ids[i]) == wanted)
                return static_cast<int>(i);
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        if (childCount() == 0)
            return nullptr;
        const QPoint point = list()->viewport()->mapFromGlobal(QPoint(x, y));
        for (int i = 0; i < childCount(); ++i)
            if (list()->tileRect(i).contains(point))
                return child(i);
        return nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        return list() && list()->hasFocus() ? child(list()->current()) : nullptr;
    }

private:
    TileList* list() const { return qobject_cast<TileList*>(object()); } ///< null: it is being destroyed
    mutable std::vector<QAccessible::Id> m_ids;                          ///< of the tiles requested so far
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
    auto* list = qobject_cast<TileList*>(object);
    return list ? new ListAccess(list) : nullptr;
}

} // namespace

TileList::TileList(QWidget* parent) : QAbstractScrollArea(parent) {
    static const bool installed = (QAccessible::installFactory(interfaceOf), true);
    Q_UNUSED(installed)
}

} // namespace rankscope::ui
