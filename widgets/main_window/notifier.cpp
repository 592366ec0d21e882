// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/notifier.h"

#include "widgets/models/words.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QVariantMap>
#include <QWidget>

#include <algorithm>

namespace rankscope::ui {

Notifier::Notifier(QWidget* window) : QObject(window), m_window(window) {}

void Notifier::see(const RunView& view) {
    if (view.storeVersion == 0)
        return; // nothing was read yet
    const bool first = m_newest < 0;
    const std::int64_t before = std::exchange(m_newest, std::max<std::int64_t>(m_newest, 0));
    const diagnosis::Incident* fresh = nullptr;
    for (const auto& incident : view.incidents) {
        m_newest = std::max(m_newest, incident.id);
        if (!first && incident.id > before && incident.closed == diagnosis::CloseReason::Open)
            fresh = &incident;
    }
    if (!fresh || !m_enabled || m_window->isActiveWindow())
        return;
    notify(toQString(view.info.name),
           toQString(diagnosis::sentence(*fresh, std::max(view.knownNs, fresh->detectedNs), currentLanguage())));
}

/// As the desktop's specification says; without a desktop that takes it, the window's entry in the task bar flashes.
void Notifier::notify(const QString& title, const QString& text) {
    QApplication::alert(m_window);
    static constexpr int kAsTheDesktopLikes = -1;
    auto message = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("/org/freedesktop/Notifications"),
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
    message << QStringLiteral("Rankscope") << 0u << QStringLiteral("rankscope") << title << text.toHtmlEscaped()
            << QStringList{} << QVariantMap{} << kAsTheDesktopLikes;
    if (auto bus = QDBusConnection::sessionBus(); bus.isConnected())
        bus.asyncCall(message);
    emit notified(title, text);
}

} // namespace rankscope::ui
