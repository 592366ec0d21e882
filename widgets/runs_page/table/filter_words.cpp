// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/filter_words.h"

#include "widgets/runs_page/table/run_table_model.h"

#include <QSet>

namespace rankscope::ui {

QStringList filterNames(const RunTableModel& table) {
    QStringList names{QStringLiteral("and"), QStringLiteral("or"), QStringLiteral("not")};
    for (const RunField& field : builtinFields())
        names << QString::fromStdString(field.key);
    return names + table.settings();
}

QStringList filterValues(const RunTableModel& table, const RunField& field) {
    QStringList values;
    if (field.kind() == FieldKind::Tags)
        return table.allTags();
    if (field.kind() == FieldKind::State)
        for (int i = 0; i <= static_cast<int>(launch::RunState::Imported); ++i)
            values << QString::fromStdString(std::string(launch::runStateName(static_cast<launch::RunState>(i))));
    if (field.kind() == FieldKind::State)
        return values << QStringLiteral("live") << QStringLiteral("stalled") << QStringLiteral("damaged");
    if (field.kind() == FieldKind::Flag)
        return {QStringLiteral("yes"), QStringLiteral("no")};
    if (field.isNumber())
        return {};
    QSet<QString> seen;
    for (const RunRow& row : table.rows()) {
        if (seen.size() >= 500)
            break;
        if (const Cell cell = cellOf(row, field, table.now()); !cell.isMissing())
            seen.insert(cell.text);
    }
    values = QStringList(seen.begin(), seen.end());
    values.sort();
    return values;
}

} // namespace rankscope::ui
