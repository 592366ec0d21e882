// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tables/check_model.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace rankscope::ui {

using telemetry::CheckStatus;

struct Checks {
    Q_DECLARE_TR_FUNCTIONS(Checks)
};

QString checkTitle(const std::string& name) {
    static constexpr std::pair<const char*, const char*> kTitles[] = {
        {"configuration", QT_TRANSLATE_NOOP("Checks", "Configuration")},
        {"settings", QT_TRANSLATE_NOOP("Checks", "Effective settings")},
        {"loader", QT_TRANSLATE_NOOP("Checks", "Loader")},
        {"dataset", QT_TRANSLATE_NOOP("Checks", "Data")},
        {"batches_per_epoch", QT_TRANSLATE_NOOP("Checks", "Batches per epoch")},
        {"model", QT_TRANSLATE_NOOP("Checks", "Model")},
        {"devices", QT_TRANSLATE_NOOP("Checks", "Devices")},
        {"processes", QT_TRANSLATE_NOOP("Checks", "Processes")},
        {"shards", QT_TRANSLATE_NOOP("Checks", "Data shards")},
        {"initial_weights", QT_TRANSLATE_NOOP("Checks", "Initial weights")},
        {"resume", QT_TRANSLATE_NOOP("Checks", "Step to resume from")},
        {"effective_values", QT_TRANSLATE_NOOP("Checks", "Requested and effective")},
        {"first_batch", QT_TRANSLATE_NOOP("Checks", "First batch")},
        {"batch_lengths", QT_TRANSLATE_NOOP("Checks", "Lengths in the first batch")},
        {"finite_input", QT_TRANSLATE_NOOP("Checks", "Finite input")}};
    const auto* found =
        std::find_if(std::begin(kTitles), std::end(kTitles), [&](const auto& t) { return name == t.first; });
    return found == std::end(kTitles) ? toQString(name) : Checks::tr(found->second);
}

QString checkStatusText(CheckStatus status) {
    switch (status) {
    case CheckStatus::Passed:
        return Checks::tr("passed");
    case CheckStatus::Failed:
        return Checks::tr("failed");
    case CheckStatus::Skipped:
    case CheckStatus::Count:
        break;
    }
    return Checks::tr("skipped");
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
