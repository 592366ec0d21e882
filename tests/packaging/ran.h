// SPDX-License-Identifier: Apache-2.0
// Runs a program as a user would and collects its output.
#pragma once

#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QString>
#include <QStringList>

namespace rankscope::test {

struct Ran {
    int code = -1; ///< -1: it did not start, crashed, or did not end in time
    QString out, err;
};

inline Ran ran(const QString& program, const QStringList& arguments,
               const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment(),
               const QString& folder = {}) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder);
    process.start(program, arguments);
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
        return {-1, {}, process.errorString()};
    }
    const int code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return {code, QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

/// Returns why a test that needs the tool cannot run; empty: it can.
inline QString missing(const char* tool) {
    return QStandardPaths::findExecutable(QString::fromLatin1(tool)).isEmpty()
               ? QStringLiteral("%1 is not installed; packaging/setup.sh installs it").arg(QLatin1String(tool))
               : QString();
}

} // namespace rankscope::test
