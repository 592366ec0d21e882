// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/evaluation.h"

#include <QObject>
#include <QString>

#include <optional>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

struct Comparison {
    QString title, path; ///< the column's heading, and where the text was read from
    Evaluation evaluation;
    std::unordered_map<std::string, const config::KeyRow*> rows; ///< of `evaluation`, by key

    void setEvaluation(Evaluation fresh);
    /// Returns the other recipe's value of the key; none if it has no such key.
    std::optional<config::ValueText> value(const std::string& key) const;
};

/// Returns the effective value, or the written one if it is unresolved.
std::optional<config::ValueText> shownValue(const config::KeyRow& row);
bool sameShownValue(const std::optional<config::ValueText>& a, const std::optional<config::ValueText>& b);

/// Holds the recipes that the open one is compared with: files, past runs, or the version on disk. Two at most.
class Comparisons final : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 2;
    explicit Comparisons(QObject* parent = nullptr);

    /// Reads and evaluates a recipe file on a separate thread. Emits changed() when it is ready, failed() if it cannot
    /// be read. A third recipe replaces the second; a path that is already compared is read again.
    void addFile(const QString& path, const QString& title);
    void addRun(const QString& runDir); ///< including the run's own overrides: its effective.yaml
    void remove(const QString& path);
    void clear();
    const std::vector<Comparison>& all() const { return m_all; }
    bool isBusy() const { return m_reading > 0; }

signals:
    void changed();
    void failed(const QString& message);

private:
    enum class ComparisonSource { File, Run };
    void add(const QString& path, const QString& title, ComparisonSource of);
    void put(Comparison fresh);

    std::vector<Comparison> m_all;
    int m_reading = 0;
    quint64 m_generation = 0; ///< answers requested before clear() are dropped
};

} // namespace rankscope::ui
