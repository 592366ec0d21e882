// SPDX-License-Identifier: GPL-3.0-or-later
// One rankscopectl that writes something new: beside its place under a name of its own, and put there when it is whole.
// What is called off or fails leaves nothing behind.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

namespace rankscope::ui {

class ChildTask final : public QObject {
    Q_OBJECT
public:
    explicit ChildTask(QObject* parent = nullptr);
    ~ChildTask() override;

    /// `arguments`: of rankscopectl. What it writes at `draft` becomes `target` when it is done; `target` is replaced
    /// when it is there already, a folder file by file. An empty `target`: what `draft` holds is left to done().
    void start(const QStringList& arguments, const QString& draft, const QString& target);
    void cancel();
    bool isRunning() const { return m_process != nullptr; }

signals:
    void progress(qint64 bytes, qint64 ms); ///< written so far
    /// Once after each start(). `error`: empty when all went well; `calledOff`: by cancel().
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

/// A name beside a target that nothing has yet: ".NAME.part-4f2a".
QString draftBeside(const QString& target);

} // namespace rankscope::ui
