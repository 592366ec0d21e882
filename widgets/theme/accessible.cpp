// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/accessible.h"

#include <QAccessibleWidget>
#include <QWidget>

namespace rankscope::ui {

static constexpr const char* kRole = "rankscopeRole";

static QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    const QVariant role = widget ? widget->property(kRole) : QVariant();
    return role.isValid() ? new QAccessibleWidget(widget, static_cast<QAccessible::Role>(role.toInt())) : nullptr;
}

void setAccessibleRole(QWidget* widget, QAccessible::Role role) {
    static const bool installed = (QAccessible::installFactory(interfaceOf), true);
    Q_UNUSED(installed)
    widget->setProperty(kRole, static_cast<int>(role));
}

void announce(QWidget* from, const QString& text) {
    from->setAccessibleDescription(text);
    QAccessibleEvent event(from, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

} // namespace rankscope::ui
