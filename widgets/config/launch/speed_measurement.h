// SPDX-License-Identifier: GPL-3.0-or-later
// A few steps of the real trainer by `rankscopectl plan --calibrate`, in a process of its own: it trains in a temporary
// folder and removes that itself, when it is called off too.
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QPointer>

#include <memory>

class QProcess;
class QTemporaryFile;

namespace rankscope::ui {

struct DryRunRequest;

class Measurement final : public QObject {
    Q_OBJECT
public:
    static constexpr int kSteps = 20; ///< that count

    explicit Measurement(QObject* parent = nullptr);
    ~Measurement() override;

    void begin(const DryRunRequest& request);
    void cancel(); ///< nothing more is heard of it; what it said before is forgotten

    bool isRunning() const;
    int step() const { return m_step; } ///< done; those that do not count among them
    int of() const { return m_of; }     ///< 0: it has not begun to train
    QString problem() const { return m_problem; }

signals:
    void progressed();
    void ended(const QJsonObject& speed); ///< of the plan; empty: problem() says why

private:
    void hear();
    void finish(int exitCode, bool crashed);
    void fail(const QString& problem);

    QPointer<QProcess> m_process;
    std::unique_ptr<QTemporaryFile> m_copy;
    QString m_recipe; ///< its name, for messages
    QByteArray m_heard, m_line;
    int m_step = 0, m_of = 0;
    QString m_problem;
};

} // namespace rankscope::ui
