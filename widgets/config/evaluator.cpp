// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/evaluator.h"

namespace rankscope::ui {

Evaluation evaluated(const std::string& text, const std::string& fileName, const std::vector<std::string>& overrides) {
    auto result = std::make_shared<Evaluated>();
    static_cast<config::Effective&>(*result) = config::evaluate(text, fileName, overrides, config::builtinFacts());
    result->risks = config::risksOf(*result);
    return result;
}

Evaluator::Evaluator(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("evaluate"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
    m_delay.setSingleShot(true);
    connect(&m_delay, &QTimer::timeout, this, &Evaluator::send);
}

Evaluator::~Evaluator() {
    m_newest = 0; // nothing that waits is worth doing
    m_thread.quit();
    m_thread.wait();
}

void Evaluator::request(const std::string& text, const QString& fileName, const QStringList& overrides, int delayMs) {
    m_next.text = text;
    m_next.fileName = fileName.toStdString();
    m_next.overrides.clear();
    for (const QString& one : overrides)
        m_next.overrides.push_back(one.toStdString());
    m_next.number = ++m_newest;
    m_busy = true;
    m_delay.start(delayMs);
}

void Evaluator::send() {
    QMetaObject::invokeMethod(m_worker, [this, job = m_next] {
        if (job.number != m_newest)
            return;
        const Evaluation result = rankscope::ui::evaluated(job.text, job.fileName, job.overrides);
        QMetaObject::invokeMethod(this, [this, job, result] {
            if (job.number != m_newest)
                return;
            m_busy = false;
            emit evaluated(result, job.text);
        });
    });
}

} // namespace rankscope::ui
