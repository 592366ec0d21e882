// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/desktop_notifier.h"

#include "core/diagnosis/evidence/incident_sentence.h"
#include "widgets/models/text/text_format.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QVariantMap>
#include <QWidget>

#include <algorithm>

namespace rankscope::ui {

static const QString kNotifications = QStringLiteral("org.freedesktop.Notifications");
static const QString kNotificationsPath = QStringLiteral("/org/freedesktop/Notifications");
static const QString kDefaultAction = QStringLiteral("default"); ///< a click on the text itself

Notifier::Notifier(QWidget* window) : QObject(window), m_window(window) {}

void Notifier::see(const QString& dir, const QString& name, const std::vector<diagnosis::Incident>& incidents,
                   qint64 nowNs) {
    const bool first = !m_newest.contains(dir);
    qint64& newest = m_newest[dir];
    const qint64 before = newest;
    const diagnosis::Incident* fresh = nullptr;
    for (const auto& incident : incidents) {
        newest = std::max<qint64>(newest, incident.id);
        if (!first && incident.id > before && incident.closed == diagnosis::CloseReason::Open)
            fresh = &incident;
    }
    if (!fresh || !m_enabled || m_window->isActiveWindow())
        return;
    notify(dir, name,
           toQString(diagnosis::sentence(*fresh, std::max<qint64>(nowNs, fresh->detectedNs)).text(currentLanguage())));
}

/// Follows the desktop notifications specification; without a notification service, the window's entry in the task bar
/// flashes.
void Notifier::notify(const QString& dir, const QString& title, const QString& text) {
    QApplication::alert(m_window);
    static constexpr int kAsTheDesktopLikes = -1;
    auto message =
        QDBusMessage::createMethodCall(kNotifications, kNotificationsPath, kNotifications, QStringLiteral("Notify"));
    message << QStringLiteral("Rankscope") << 0u << QStringLiteral("rankscope") << title << text.toHtmlEscaped()
            << QStringList{kDefaultAction, tr("Open the run")} << QVariantMap{} << kAsTheDesktopLikes;
    if (auto bus = QDBusConnection::sessionBus(); bus.isConnected()) {
        if (!std::exchange(m_listening, true)) {
            bus.connect(kNotifications, kNotificationsPath, kNotifications, QStringLiteral("ActionInvoked"), this,
                        SLOT(actionInvoked(uint, QString)));
            bus.connect(kNotifications, kNotificationsPath, kNotifications, QStringLiteral("NotificationClosed"), this,
                        SLOT(closed(uint, uint)));
        }
        auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(message), this);
        connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer, dir] {
            if (const QDBusPendingReply<uint> reply = *answer; reply.isValid())
                m_shown.insert(reply.value(), dir);
            answer->deleteLater();
        });
    }
    emit notified(title, text);
}

void Notifier::actionInvoked(uint id, const QString& action) {
    if (const auto run = m_shown.constFind(id); run != m_shown.constEnd() && action == kDefaultAction)
        emit openRequested(QString(*run));
}

void Notifier::closed(uint id, uint) {
    m_shown.remove(id);
}

} // namespace rankscope::ui
