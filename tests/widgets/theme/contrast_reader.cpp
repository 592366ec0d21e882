// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/theme/contrast_reader.h"

#include "widgets/theme/palette.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QItemSelection>
#include <QMenu>
#include <QMenuBar>
#include <QSignalBlocker>
#include <QToolTip>

namespace rankscope::test {

namespace {

constexpr double kText = 4.5, kLargeOrDisabled = 3;

/// Returns whether what is at a place of a widget is disabled.
bool isDisabledAt(const QWidget& widget, const QPoint& at) {
    if (!widget.isEnabled())
        return true;
    const QAction* action = nullptr;
    if (const auto* menu = qobject_cast<const QMenu*>(&widget))
        action = menu->actionAt(at);
    else if (const auto* bar = qobject_cast<const QMenuBar*>(&widget))
        action = bar->actionAt(at);
    if (action)
        return !action->isEnabled();
    const auto* view = qobject_cast<const QAbstractItemView*>(widget.parentWidget());
    if (!view || view->viewport() != &widget)
        return false;
    const QModelIndex index = view->indexAt(at);
    return index.isValid() && !(index.flags() & Qt::ItemIsEnabled);
}

QRect placeInWindow(const QWidget& widget) {
    return {widget.mapTo(widget.window(), QPoint()), widget.size()};
}

QString pathOf(const QWidget* widget) {
    QStringList path;
    for (const QWidget* w = widget; w && path.size() < 6; w = w->parentWidget())
        path << QStringLiteral("%1#%2").arg(QString::fromLatin1(w->metaObject()->className()), w->objectName());
    return path.join(QStringLiteral(" < "));
}

} // namespace

void ContrastReader::read(QWidget* root) {
    QList<QWidget*> widgets{root};
    for (auto* widget : root->findChildren<QWidget*>())
        if (widget->isVisible() && widget->window() == root->window())
            widgets << widget;
    const QImage picture = root->window()->grab().toImage();
    for (QWidget* widget : widgets) {
        judge(widget, picture.copy(placeInWindow(*widget)), QString());
        if (auto* button = qobject_cast<QAbstractButton*>(widget); button && button->isEnabled())
            readInEachState(button);
        else if (auto* view = qobject_cast<QAbstractItemView*>(widget))
            readSelected(view);
    }
}

void ContrastReader::readToolTips(QWidget* window) {
    QSet<QString> seen;
    for (auto* widget : window->findChildren<QWidget*>()) {
        const QString tip = widget->toolTip();
        if (tip.isEmpty() || !widget->isVisible() || seen.contains(tip))
            continue;
        seen << tip;
        QToolTip::showText(window->mapToGlobal(QPoint(20, 20)), tip, widget);
        for (QWidget* top : QApplication::topLevelWidgets())
            if (top->isVisible() && top->inherits("QTipLabel"))
                read(top);
    }
    QToolTip::hideText();
}

void ContrastReader::readInEachState(QAbstractButton* button) {
    button->setAttribute(Qt::WA_UnderMouse);
    judgeAlone(button, QStringLiteral("hovered "));
    button->setDown(true); // a checked button looks the same
    judgeAlone(button, QStringLiteral("pressed "));
    button->setDown(false);
    button->setAttribute(Qt::WA_UnderMouse, false);
}

void ContrastReader::readSelected(QAbstractItemView* view) {
    QItemSelectionModel* model = view->selectionModel();
    if (!model || view->selectionMode() == QAbstractItemView::NoSelection || !view->viewport()->isVisible())
        return;
    QItemSelection rows;
    constexpr int kLessThanARow = 8;
    for (int y = 0; y < view->viewport()->height(); y += kLessThanARow)
        if (const QModelIndex index = view->indexAt(QPoint(kLessThanARow, y)); index.isValid())
            rows.merge(QItemSelection(index, index), QItemSelectionModel::Select);
    const QItemSelection before = model->selection();
    const QSignalBlocker unnoticed(model); // only the paint event sees it
    model->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    judgeAlone(view->viewport(), QStringLiteral("selected "));
    model->select(before, QItemSelectionModel::ClearAndSelect);
}

/// Judges a widget as it is now, which the window's picture does not show.
void ContrastReader::judgeAlone(QWidget* widget, const QString& state) {
    judge(widget, widget->window()->grab(placeInWindow(*widget)).toImage(), state);
}

void ContrastReader::judge(QWidget* widget, const QImage& picture, const QString& state) {
    for (const DrawnText& drawn : drawnTexts(*widget)) {
        ++m_textCount;
        const bool disabled = isDisabledAt(*widget, drawn.box.center());
        const double wanted = disabled || isLarge(drawn.font) ? kLargeOrDisabled : kText;
        for (const QColor& ground : groundsOf(drawn, picture))
            if (const QColor ink = inkOn(drawn, ground); ui::contrast(ink, ground) < wanted)
                add((disabled ? QStringLiteral("disabled ") : state) + pathOf(widget), drawn, ink, ground);
    }
}

/// Adds a fault, once for all texts in these colours at the same place.
void ContrastReader::add(const QString& where, const DrawnText& drawn, const QColor& ink, const QColor& ground) {
    const QString key = where + ink.name() + ground.name();
    if (m_seen.contains(key))
        return;
    m_seen << key;
    m_faults << QStringLiteral("%1: \"%2\" in %3 on %4 has %5 to 1")
                    .arg(where, drawn.text.left(60), ink.name(), ground.name(),
                         QString::number(ui::contrast(ink, ground), 'f', 2));
}

} // namespace rankscope::test
