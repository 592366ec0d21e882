// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the checks before and at the start of a run, one row each, in the order they were made.
#pragma once

#include "core/store/report/check_summary.h"
#include "widgets/models/base/table_model.h"

#include <vector>

namespace rankscope::ui {

/// Returns "Configuration", "Data shards" and so on in the user's language; an unknown name is returned
/// unchanged.
QString checkTitle(const std::string& name);
QString checkStatusText(telemetry::CheckStatus status); ///< "passed"

class CheckModel final : public TableOf<std::vector<store::CheckSummary>> {
    Q_OBJECT
public:
    enum CheckTableColumn { ResultColumn, CheckColumn, FoundColumn, ColumnCount };
    enum CheckRole { StatusRole = Qt::UserRole };

    using TableOf::TableOf;

    /// Sets the checks. They are made once, one after the other: rows are appended, and change if a result is replaced.
    void setChecks(const std::vector<store::CheckSummary>& checks);
    int count(telemetry::CheckStatus status) const;

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QString text(const store::CheckSummary& check, int column) const;
};

} // namespace rankscope::ui
