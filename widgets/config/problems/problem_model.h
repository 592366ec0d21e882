// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/labels/risk_remedies.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/recipe/evaluation.h"

#include <QAbstractListModel>

#include <array>

namespace rankscope::ui {

/// What prevents a launch, according to its plan; see plan::Blocker.
struct LaunchBlocker {
    bool refused = true;
    QString kind, key;
    Message text;
};

struct ProblemRow {
    MarkSeverity severity = MarkSeverity::Error;
    QString key, text, detail; ///< detail: why, and what to do
    int line = 0, column = 0;  ///< 0: nowhere in the file
    KeySettings remedy;
    bool choosesManifest = false;
    bool operator==(const ProblemRow&) const = default;
};

/// Lists what is wrong or risky in the recipe and what prevents its launch, most severe first: problems of the text,
/// risks from `rankscopectl plan`, and findings of the dry run.
class ProblemModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum ProblemRole {
        KeyRole = Qt::UserRole + 1,
        LineRole,
        ColumnRole,
        RemedyRole,   ///< KeySettings
        ActionRole,   ///< label of the row's button; empty: it has none
        ManifestRole, ///< its button chooses a manifest
    };
    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    /// Shows the problems; `evaluation` may be null: nothing is open.
    void show(const Evaluation& evaluation, const std::vector<config::Risk>& risks,
              const QList<LaunchBlocker>& obstacles);
    void retranslate();
    const std::vector<ProblemRow>& rows() const { return m_rows; }
    int count(MarkSeverity severity) const;

signals:
    void countsChanged();

private:
    void take(std::vector<ProblemRow> rows);

    Evaluation m_evaluation;
    std::vector<config::Risk> m_risks;
    QList<LaunchBlocker> m_obstacles;
    std::vector<ProblemRow> m_rows;
};

/// Returns whether the key's value is the path of a manifest.
bool isManifestKey(const QString& key);

} // namespace rankscope::ui
