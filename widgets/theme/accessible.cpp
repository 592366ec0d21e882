// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/accessible.h"

#include <QAccessibleWidget>
#include <QWidget>

namespace rankscope::ui {

namespace {

constexpr const char* kRole = "rankscopeRole";
constexpr const char* kDescribe = "rankscopeDescribe";
using Describe = std::function<QString()>;

class PaintedAccess final : public QAccessibleWidget {
public:
    using QAccessibleWidget::QAccessibleWidget;
    QString text(QAccessible::Text kind) const override {
        const auto describe =
            kind == QAccessible::Description ? widget()->property(kDescribe).value<Describe>() : Describe();
        return describe ? describe() : QAccessibleWidget::text(kind);
    }
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    const QVariant role = widget ? widget->property(kRole) : QVariant();
    return role.isValid() ? new PaintedAccess(widget, static_cast<QAccessible::Role>(role.toInt())) : nullptr;
}

} // namespace

void setAccessibleRole(QWidget* widget, QAccessible::Role role) {
    static const bool installed = (QAccessible::installFactory(interfaceOf), true);
    Q_UNUSED(installed)
    widget->setProperty(kRole, static_cast<int>(role));
}

void setAccessibleRole(QWidget* widget, QAccessible::Role role, const std::function<QString()>& describe) {
    setAccessibleRole(widget, role);
    widget->setProperty(kDescribe, QVariant::fromValue(describe));
}

void announce(QWidget* from, const QString& text) {
    from->setAccessibleDescription(text);
    QAccessibleEvent event(from, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

} // namespace rankscope::ui
