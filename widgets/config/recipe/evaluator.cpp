// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/evaluator.h"

#include "core/config/edit/document.h"
#include "core/config/effective/effective.h"
#include "widgets/config/recipe/recipe_node.h"
#include "widgets/config/recipe/text_change.h"

#include <QElapsedTimer>

namespace rankscope::ui {

Evaluator::Evaluator(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("evaluate"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
    m_delay.setSingleShot(true);
    connect(&m_delay, &QTimer::timeout, this, &Evaluator::send);
}

Evaluator::~Evaluator() {
    m_newest = 0; // waiting jobs are dropped
    m_thread.quit();
    m_thread.wait();
}

void Evaluator::request(const std::string& text, const QString& fileName, const QStringList& overrides, int delayMs,
                        std::shared_ptr<const config::Document> document) {
    m_next.text = text;
    m_next.fileName = fileName.toStdString();
    m_next.document = std::move(document);
    m_next.overrides.clear();
    for (const QString& one : overrides)
        m_next.overrides.push_back(one.toStdString());
    m_next.number = ++m_newest;
    m_busy = true;
    m_delay.stop();
    if (delayMs > 0)
        m_delay.start(delayMs);
    else
        send();
}

std::shared_ptr<const config::Document> Evaluator::read(const EvaluationJob& job) const {
    if (job.document && job.document->fileName() == job.fileName)
        return job.document;
    const config::Document* before = m_before ? m_before->document.get() : nullptr;
    if (!before || before->fileName() != job.fileName)
        return std::make_shared<const config::Document>(config::Document::fromText(job.text, job.fileName));
    if (before->text() == job.text)
        return m_before->document;
    const TextChange change = changeBetween(before->text(), job.text);
    return std::make_shared<const config::Document>(
        config::reparsed(*before, job.text, {change.offset, change.offset + change.removed.size()}));
}

void Evaluator::work(const EvaluationJob& job) {
    if (job.number != m_newest)
        return;
    QElapsedTimer clock;
    clock.start();
    const Evaluation result = rankscope::ui::evaluated(read(job), job.overrides);
    // building the tree of a long recipe would block the window's thread
    std::shared_ptr<RecipeTree> tree;
    if (!result->rows.empty() && !(m_before && haveSameKeys(*m_before, *result)))
        tree = keyTree(*result);
    m_before = result;
    const auto ms = static_cast<int>(clock.elapsed());
    QMetaObject::invokeMethod(this, [this, job, result, tree, ms] {
        if (job.number != m_newest)
            return;
        m_busy = false;
        m_lastMs = ms;
        emit evaluated(result, job.text, tree);
    });
}

void Evaluator::send() {
    QMetaObject::invokeMethod(m_worker, [this, job = std::move(m_next)] { work(job); });
    m_next = {};
}

} // namespace rankscope::ui
