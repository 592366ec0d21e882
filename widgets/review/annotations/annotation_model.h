// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the annotations of a run and the alerts that were sent, by time.
#pragma once

#include "widgets/models/base/table_model.h"
#include "widgets/models/run/plot_extras_loader.h"

#include <vector>

namespace rankscope::ui {

/// A row of the table.
struct AnnotationItem {
    qint64 id = 0;                              ///< of an annotation; 0: an alert, which cannot be changed
    std::int64_t firstStep = -1, lastStep = -1; ///< -1: not known
    std::int64_t timeNs = 0;                    ///< since the run's start; 0: not known
    QString text;
    std::int64_t madeRealtimeNs = 0;
    friend bool operator==(const AnnotationItem&, const AnnotationItem&) = default;
};

class AnnotationModel final : public TableOf<std::vector<AnnotationItem>> {
    Q_OBJECT
public:
    enum AnnotationColumn { StepColumn, TimeColumn, TextColumn, WrittenColumn, ColumnCount };
    enum AnnotationRole { SortRole = Qt::UserRole };

    using TableOf::TableOf;

    /// Returns whether the rows have changed; the model has been reset then.
    bool setExtras(const ExtrasView& extras);
    int rowOf(qint64 annotation) const; ///< -1: none
    int rowOf(const AnnotationItem& item) const;
    const AnnotationItem& item(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant alignment(int column) const override;
    QString text(const AnnotationItem& row, int column) const;
    static QVariant sortKey(const AnnotationItem& row, int column);
};

} // namespace rankscope::ui
