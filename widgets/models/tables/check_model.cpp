// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tables/check_model.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <algorithm>

namespace rankscope::ui {

using telemetry::CheckStatus;

QString checkTitle(const std::string& name) {
    return messageText(store::checkTitle(name));
}

QString checkStatusText(CheckStatus status) {
    return messageText(store::checkStatusTitle(status));
}

static bool same(const store::CheckSummary& a, const store::CheckSummary& b) {
    return a.name == b.name && a.status == b.status && a.stops == b.stops && a.text == b.text;
}

void CheckModel::setChecks(const std::vector<store::CheckSummary>& checks) {
    replaceRows(checks, same);
}

int CheckModel::count(CheckStatus status) const {
    return static_cast<int>(
        std::count_if(m_rows.begin(), m_rows.end(), [=](const auto& check) { return check.status == status; }));
}

QString CheckModel::text(const store::CheckSummary& check, int column) const {
    switch (column) {
    case ResultColumn:
        return check.stops ? tr("failed, ended the run") : checkStatusText(check.status);
    case CheckColumn:
        return checkTitle(check.name);
    default:
        return toQString(check.text);
    }
}

QVariant CheckModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const auto& check = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(check, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(QStringLiteral("%1: %2").arg(toQString(check.name), toQString(check.text)));
    case StatusRole:
        return static_cast<int>(check.status);
    default:
        return {};
    }
}

std::span<const TableModel::Title> CheckModel::titles() const {
    static constexpr Title kTitles[] = {{QT_TR_NOOP("Result")}, {QT_TR_NOOP("Check")}, {QT_TR_NOOP("Found")}};
    return kTitles;
}

} // namespace rankscope::ui
