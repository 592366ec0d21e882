// SPDX-License-Identifier: GPL-3.0-or-later
// A rankscopectl process that writes a draft next to the target and moves it there when it is complete. Nothing remains
// if it is cancelled or fails.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

namespace rankscope::ui {

class ExportProcess final : public QObject {
    Q_OBJECT
public:
    explicit ExportProcess(QObject* parent = nullptr);
    ~ExportProcess() override;

    /// Starts rankscopectl with `arguments`. Its output at `draft` becomes `target` when it is done; an existing
    /// `target` is replaced, a folder file by file. If `target` is empty, the receiver of done() handles `draft`.
    void start(const QStringList& arguments, const QString& draft, const QString& target);
    void cancel();
    bool isRunning() const { return m_process != nullptr; }

signals:
    void progress(qint64 bytes, qint64 ms); ///< bytes written and time spent so far
    /// Emitted once after each start(). `error` is empty on success; `calledOff`: cancel() was called.
    void done(const QByteArray& output, const QString& remarks, const QString& error, bool calledOff);

private:
    void finished(int code, QProcess::ExitStatus status);
    void end(const QByteArray& output, const QString& remarks, const QString& error);
    QString putInPlace() const;
    void removeDraft() const;

    QProcess* m_process = nullptr;
    QString m_draft, m_target;
    QTimer m_poll, m_kill;
    QElapsedTimer m_since;
    bool m_calledOff = false;
};

/// Returns an unused name next to the target: ".NAME.part-4f2a".
QString draftBeside(const QString& target);

} // namespace rankscope::ui
