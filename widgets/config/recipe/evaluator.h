// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/evaluation.h"

#include <QObject>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <memory>

namespace rankscope::ui {

struct RecipeTree;

/// Evaluates the recipe's text in a worker thread. Only the newest text gets an answer; if a text differs little from
/// the previous one, only the changed part is parsed.
class Evaluator final : public QObject {
    Q_OBJECT
public:
    explicit Evaluator(QObject* parent = nullptr);
    ~Evaluator() override;

    /// Requests an evaluation, which starts when typing pauses for `delayMs`. evaluated() answers unless a newer
    /// request comes first. `document`: of this text, if it has already been parsed.
    void request(const std::string& text, const QString& fileName, const QStringList& overrides, int delayMs = 150,
                 std::shared_ptr<const config::Document> document = nullptr);
    bool isBusy() const { return m_busy; }
    int lastMs() const { return m_lastMs; } ///< time the last answer took

signals:
    /// `tree`: of the result, if its keys differ from those of the previous result.
    void evaluated(const rankscope::ui::Evaluation& result, const std::string& text,
                   const std::shared_ptr<rankscope::ui::RecipeTree>& tree);

private:
    struct EvaluationJob {
        std::string text, fileName;
        std::vector<std::string> overrides;
        std::shared_ptr<const config::Document> document;
        quint64 number = 0;
    };
    void send();
    void work(const EvaluationJob& job); ///< in m_thread
    std::shared_ptr<const config::Document> read(const EvaluationJob& job) const;

    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    QTimer m_delay;
    EvaluationJob m_next;
    std::atomic<quint64> m_newest{0};
    int m_lastMs = 0;
    bool m_busy = false;
    Evaluation m_before; ///< previous result; used only in m_thread
};

} // namespace rankscope::ui
