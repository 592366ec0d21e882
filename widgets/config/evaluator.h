// SPDX-License-Identifier: GPL-3.0-or-later
// config::evaluate() on a thread of its own; only the newest text is worth an answer.
#pragma once

#include "core/config/rules.h"

#include <QObject>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <memory>

namespace rankscope::ui {

/// What is known of a recipe's text alone.
struct Evaluated : config::Effective {
    std::vector<config::Risk> risks; ///< of the rules that need nothing but the recipe
};
using Evaluation = std::shared_ptr<const Evaluated>;
/// Blocks: not for the window's own thread with a long text.
Evaluation evaluated(const std::string& text, const std::string& fileName,
                     const std::vector<std::string>& overrides = {});

class Evaluator final : public QObject {
    Q_OBJECT
public:
    explicit Evaluator(QObject* parent = nullptr);
    ~Evaluator() override;

    /// Answered by evaluated() unless a newer request comes first; waits until typing pauses for `delayMs`.
    void request(const std::string& text, const QString& fileName, const QStringList& overrides, int delayMs = 150);
    bool isBusy() const { return m_busy; }

signals:
    void evaluated(const rankscope::ui::Evaluation& result, const std::string& text);

private:
    void send();

    struct Job {
        std::string text, fileName;
        std::vector<std::string> overrides;
        quint64 number = 0;
    };
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    QTimer m_delay;
    Job m_next;
    std::atomic<quint64> m_newest{0};
    bool m_busy = false;
};

} // namespace rankscope::ui
