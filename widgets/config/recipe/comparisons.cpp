// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/comparisons.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "core/launch/run/run_folder.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace rankscope::ui {

std::optional<config::ValueText> shownValue(const config::KeyRow& row) {
    return row.effective ? row.effective : row.yours;
}

bool sameShownValue(const std::optional<config::ValueText>& a, const std::optional<config::ValueText>& b) {
    if (!a || !b)
        return a.has_value() == b.has_value();
    return *a == *b || config::sameValue(config::parseValue(*a), config::parseValue(*b));
}

void Comparison::setEvaluation(Evaluation fresh) {
    evaluation = std::move(fresh);
    rows.clear();
    for (const config::KeyRow& row : evaluation->rows)
        rows.emplace(row.key, &row);
}

std::optional<config::ValueText> Comparison::value(const std::string& key) const {
    const auto row = rows.find(key);
    return row == rows.end() ? std::nullopt : shownValue(*row->second);
}

Comparisons::Comparisons(QObject* parent) : QObject(parent) {}

void Comparisons::addFile(const QString& path, const QString& title) {
    add(path, title, ComparisonSource::File);
}

void Comparisons::add(const QString& path, const QString& title, ComparisonSource of) {
    ++m_reading;
    QThreadPool::globalInstance()->start([self = QPointer<Comparisons>(this), path, title, of, asked = m_generation] {
        Comparison fresh;
        fresh.title = title;
        fresh.path = path;
        std::optional<Error> problem;
        constexpr std::size_t kLargestFile = 16u << 20;
        const std::string file = path.toStdString();
        if (auto text = of == ComparisonSource::Run ? readRunFile(file, kLargestFile) : readFile(file, kLargestFile)) {
            auto effective = evaluated(*text, path.toStdString());
            if (effective->rows.empty() && !effective->ok())
                problem = config::firstError(*effective, path.toStdString());
            fresh.setEvaluation(std::move(effective));
        } else {
            problem = text.error();
        }
        QMetaObject::invokeMethod(qApp, [self, fresh = std::move(fresh), problem, asked]() mutable {
            if (!self)
                return;
            --self->m_reading;
            if (asked != self->m_generation)
                return;
            if (!problem)
                self->put(std::move(fresh));
            else
                emit self->failed(messageText(*problem));
        });
    });
}

void Comparisons::addRun(const QString& runDir) {
    const launch::RunPaths run{runDir.toStdString()};
    add(QString::fromStdString(run.effective().string()), QFileInfo(runDir).fileName(), ComparisonSource::Run);
}

void Comparisons::put(Comparison fresh) {
    const auto same =
        std::find_if(m_all.begin(), m_all.end(), [&](const Comparison& one) { return one.path == fresh.path; });
    if (same != m_all.end())
        *same = std::move(fresh);
    else if (m_all.size() < kMost)
        m_all.push_back(std::move(fresh));
    else
        m_all.back() = std::move(fresh);
    emit changed();
}

void Comparisons::remove(const QString& path) {
    if (std::erase_if(m_all, [&](const Comparison& one) { return one.path == path; }) > 0)
        emit changed();
}

void Comparisons::clear() {
    ++m_generation;
    m_all.clear();
    emit changed();
}

} // namespace rankscope::ui
