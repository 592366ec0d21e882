// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/tile_area.h"

#include <QAccessibleWidget>
#include <QPointer>

#include <vector>

namespace rankscope::ui {

namespace {

/// One tile. It has no object of its own: the area paints it.
class TileAccess final : public QAccessibleInterface {
public:
    TileAccess(TileArea* area, int index) : m_area(area), m_index(index) {}

    bool isValid() const override { return m_area && m_index < m_area->count(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_area); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Name && isValid() ? m_area->spoken(m_index) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        return isValid() ? m_area->tileRect(m_index).translated(m_area->viewport()->mapToGlobal(QPoint())) : QRect();
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (state.invalid)
            return state;
        state.focusable = true;
        state.focused = m_area->hasFocus() && m_area->current() == m_index;
        state.invisible = !m_area->isVisible();
        state.offscreen = !m_area->viewport()->rect().intersects(m_area->tileRect(m_index));
        return state;
    }

private:
    QPointer<TileArea> m_area;
    int m_index;
};

class AreaAccess final : public QAccessibleWidget {
public:
    explicit AreaAccess(TileArea* area) : QAccessibleWidget(area, QAccessible::List) {}
    ~AreaAccess() override {
        for (const QAccessible::Id id : m_ids)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return area()->count(); }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount())
            return nullptr;
        while (m_ids.size() <= static_cast<std::size_t>(index))
            m_ids.push_back(
                QAccessible::registerAccessibleInterface(new TileAccess(area(), static_cast<int>(m_ids.size()))));
        return QAccessible::accessibleInterface(m_ids[static_cast<std::size_t>(index)]);
    }
    int indexOfChild(const QAccessibleInterface* wanted) const override {
        for (std::size_t i = 0; i < m_ids.size(); ++i)
            if (QAccessible::accessibleInterface(m_ids[i]) == wanted)
                return static_cast<int>(i);
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        const QPoint point = area()->viewport()->mapFromGlobal(QPoint(x, y));
        for (int i = 0; i < childCount(); ++i)
            if (area()->tileRect(i).contains(point))
                return child(i);
        return nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        return area()->hasFocus() ? child(area()->current()) : nullptr;
    }

private:
    TileArea* area() const { return static_cast<TileArea*>(object()); }
    mutable std::vector<QAccessible::Id> m_ids; ///< of the tiles that were asked for
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
    auto* area = qobject_cast<TileArea*>(object);
    return area ? new AreaAccess(area) : nullptr;
}

} // namespace

TileArea::TileArea(QWidget* parent) : QAbstractScrollArea(parent) {
    static const bool installed = (QAccessible::installFactory(interfaceOf), true);
    Q_UNUSED(installed)
}

void TileArea::tellCurrentTile() {
    if (!hasFocus())
        return;
    QAccessibleEvent event(this, QAccessible::Focus);
    event.setChild(current());
    QAccessible::updateAccessibility(&event);
}

} // namespace rankscope::ui
