// SPDX-License-Identifier: GPL-3.0-or-later
#include "walker.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QThread>

namespace rankscope::test {

namespace {

constexpr int kPatienceMs = 15'000;
constexpr int kLookAgainMs = 30;

QString nameOf(const QWidget* widget) {
    return QStringLiteral("%1 \"%2\"").arg(QLatin1String(widget->metaObject()->className()), widget->objectName());
}

/// Returns the text as a menu item or button shows it, without mnemonics.
QString shown(QString text) {
    return text.remove(QLatin1Char('&'));
}

/// Returns the entries from the menu bar down to `action`; empty: it is in no menu.
QList<QAction*> pathTo(const QList<QAction*>& entries, const QAction* action) {
    for (QAction* entry : entries) {
        if (entry == action)
            return {entry};
        if (!entry->menu())
            continue;
        const auto rest = pathTo(entry->menu()->actions(), action);
        if (!rest.isEmpty())
            return QList<QAction*>{entry} + rest;
    }
    return {};
}

/// Scrolls the widget into view, as a wheel would.
void scrollTo(QWidget* widget) {
    for (QWidget* up = widget->parentWidget(); up; up = up->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(up))
            area->ensureWidgetVisible(widget);
}

} // namespace

bool Walker::until(const std::function<bool()>& condition, int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    for (;;) {
        if (inWindow(condition))
            return true;
        if (timer.elapsed() > milliseconds)
            return false;
        QThread::msleep(kLookAgainMs);
    }
}

Walker::Spot Walker::spotOf(QWidget* widget, std::optional<QPoint> at) {
    if (!widget)
        return {{}, QStringLiteral("it is not there")};
    if (!widget->isVisible() || !widget->isEnabled())
        return {{},
                nameOf(widget) + (widget->isVisible() ? QStringLiteral(" is greyed") : QStringLiteral(" is hidden"))};
    scrollTo(widget);
    const QRect seen = widget->visibleRegion().boundingRect();
    if (seen.isEmpty())
        return {{}, nameOf(widget) + QStringLiteral(" is covered or out of view")};
    const QPoint spot = widget->mapToGlobal(at.value_or(seen.center()));
    const QWidget* hit = QApplication::widgetAt(spot);
    if (hit != widget && !(hit && widget->isAncestorOf(hit)))
        return {{}, nameOf(widget) + QStringLiteral(" is behind ") + (hit ? nameOf(hit) : QStringLiteral("nothing"))};
    return {spot, {}};
}

Walker::Spot Walker::awaitSpot(const Find& find, std::optional<QPoint> at) {
    QElapsedTimer timer;
    timer.start();
    for (;;) {
        const Spot before = inWindow([&] { return spotOf(find(), at); });
        QThread::msleep(kLookAgainMs);
        // waits until it no longer moves, because the layout may still be changing
        const Spot now = inWindow([&] { return spotOf(find(), at); });
        if ((now.problem.isEmpty() && before.at == now.at) || timer.elapsed() > kPatienceMs)
            return now;
    }
}

QString Walker::click(const Find& find, std::optional<QPoint> at) {
    const Spot spot = awaitSpot(find, at);
    if (spot.problem.isEmpty())
        m_hand.click(spot.at.x(), spot.at.y());
    return spot.problem;
}

QString Walker::doubleClick(const Find& find) {
    const Spot spot = awaitSpot(find, std::nullopt);
    if (spot.problem.isEmpty())
        m_hand.doubleClick(spot.at.x(), spot.at.y());
    return spot.problem;
}

QString Walker::clickButton(const QString& text) {
    const QString problem = click([&]() -> QWidget* {
        QWidget* any = nullptr;
        for (QWidget* widget : QApplication::allWidgets()) {
            const auto* button = qobject_cast<QAbstractButton*>(widget);
            if (!button || !button->isVisible() || (shown(button->text()) != text && button->accessibleName() != text))
                continue;
            any = widget;
            if (button->isEnabled())
                return widget;
        }
        return any;
    });
    return problem.isEmpty() ? problem : QStringLiteral("button \"%1\": %2").arg(text, problem);
}

QString Walker::choose(QAction* action) {
    const auto path = inWindow([&] { return pathTo(m_window->menuBar()->actions(), action); });
    if (path.isEmpty())
        return inWindow([&] { return QStringLiteral("\"%1\" is in no menu").arg(action->text()); });
    QWidget* from = m_window->menuBar();
    for (QAction* entry : path) {
        const auto place = [from, entry] {
            const auto* menu = qobject_cast<QMenu*>(from);
            return (menu ? menu->actionGeometry(entry) : qobject_cast<QMenuBar*>(from)->actionGeometry(entry)).center();
        };
        if (!until([&] { return from->isVisible() && entry->isEnabled() && entry->isVisible(); }, kPatienceMs))
            return inWindow([&] { return QStringLiteral("menu entry \"%1\" cannot be chosen").arg(entry->text()); });
        if (const QString problem = click([from] { return from; }, inWindow(place)); !problem.isEmpty())
            return problem;
        from = inWindow([entry]() -> QWidget* { return entry->menu(); });
    }
    return {};
}

QString Walker::clickRow(const std::function<QAbstractItemView*()>& view, const QString& text, int column) {
    std::optional<QPoint> at;
    const bool found = until(
        [&] {
            QAbstractItemView* list = view();
            if (!list || !list->model())
                return false;
            for (int row = 0; row < list->model()->rowCount(list->rootIndex()); ++row) {
                const QModelIndex index = list->model()->index(row, column, list->rootIndex());
                if (!index.data().toString().contains(text))
                    continue;
                list->scrollTo(index);
                at = list->visualRect(index).center();
                return list->viewport()->rect().contains(*at);
            }
            return false;
        },
        kPatienceMs);
    if (!found)
        return QStringLiteral("no row \"%1\"").arg(text);
    return click([&]() -> QWidget* { return view()->viewport(); }, at);
}

QString Walker::press(const char* keys) {
    return m_hand.press(keys) ? QString() : QStringLiteral("no key %1").arg(QLatin1String(keys));
}

QString Walker::type(const QString& text) {
    return m_hand.type(text.toStdString()) ? QString() : QStringLiteral("cannot be typed: %1").arg(text);
}

} // namespace rankscope::test
