// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong or risky in the recipe, errors first.
#pragma once

#include "widgets/config/evaluator.h"

#include <QAbstractListModel>

namespace rankscope::ui {

class ProblemModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { SeverityRole = Qt::UserRole + 1, KeyRole, LineRole, TextRole };
    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    void setProblems(const std::vector<config::Problem>& problems);
    const std::vector<config::Problem>& problems() const { return m_problems; }
    int errorCount() const;

private:
    std::vector<config::Problem> m_problems;
};

} // namespace rankscope::ui
