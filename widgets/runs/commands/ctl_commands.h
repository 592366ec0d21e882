// SPDX-License-Identifier: GPL-3.0-or-later
// Runs rankscopectl in a child process; the window never changes a run itself.
#pragma once

#include "core/base/text/message.h"

#include <QObject>
#include <QStringList>

#include <functional>

namespace rankscope::ui {

struct CommandReply {
    bool started = false; ///< false: rankscopectl is missing or did not start
    int exitCode = -1;
    QByteArray output;
    QString error;   ///< one message in the window's language; empty when exitCode is 0
    Message message; ///< the same for any language
};

class CtlCommands final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Runs `rankscopectl ARGUMENTS…` without a shell. Calls back once, in this object's thread, even if it could not
    /// be started.
    void run(const QStringList& arguments, const QString& workingDir,
             const std::function<void(const CommandReply&)>& done);
    void stop(const QString& runDir, bool now);
    /// Returns the text that stop() shows immediately.
    static QString stoppingText(const QString& runDir, bool now);

signals:
    void message(const QString& text);
    void stopRefused(const QString& runDir, const QString& problem);
};

} // namespace rankscope::ui
