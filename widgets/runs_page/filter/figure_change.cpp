// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/filter/figure_change.h"

#include "widgets/theme/theme.h"

#include <QCoreApplication>

#include <cmath>

namespace rankscope::ui {

namespace {

struct ChangeLabels {
    Q_DECLARE_TR_FUNCTIONS(FigureChange)
};

} // namespace

std::optional<double> changeOf(double value, double baseline) {
    if (!std::isfinite(value) || !std::isfinite(baseline) || baseline == 0)
        return std::nullopt;
    return (value - baseline) / std::abs(baseline);
}

int betterWhenMore(FieldId id) {
    switch (id) {
    case FieldId::Rate:
    case FieldId::SampleRate:
        return 1;
    case FieldId::Loss:
    case FieldId::BestLoss:
    case FieldId::Validation:
    case FieldId::BestValidation:
    case FieldId::AtStep:
    case FieldId::Waited:
    case FieldId::Incidents:
    case FieldId::Memory:
        return -1;
    default:
        return 0;
    }
}

QString changeText(double share) {
    if (share >= 9)
        return QStringLiteral("×%1").arg(share + 1, 0, share >= 1e6 ? 'g' : 'f', share >= 1e6 ? 3 : 0);
    const double percent = std::abs(100 * share);
    const QString size = QString::number(percent, 'f', percent < 0.95 ? 1 : 0);
    if (size == QLatin1String("0.0"))
        return QStringLiteral("0 %");
    return QStringLiteral("%1%2 %").arg(share < 0 ? QStringLiteral("−") : QStringLiteral("+"), size);
}

FigureChange figureChange(FieldId id, const Cell& value, const Cell& baseline) {
    FigureChange change;
    if (id == FieldId::Holder || id == FieldId::Started || value.text == baseline.text)
        return change;
    change.share = changeOf(value.number, baseline.number);
    if (!change.share)
        return change;
    const QString text = changeText(*change.share);
    if (text == changeText(0))
        return change;
    change.text = text;
    change.text.prepend(*change.share > 0 ? QStringLiteral("▲ ") : QStringLiteral("▼ "));
    if (const int more = betterWhenMore(id); more != 0) {
        const bool better = (*change.share > 0) == (more > 0);
        change.verdict = better ? Verdict::Better : Verdict::Worse;
        change.text = better ? ChangeLabels::tr("%1 better", "a change").arg(change.text)
                             : ChangeLabels::tr("%1 worse", "a change").arg(change.text);
    }
    return change;
}

QColor changeColour(Verdict verdict) {
    const Palette& p = Theme::instance().palette();
    return verdict == Verdict::Better ? p.good : verdict == Verdict::Worse ? p.dead : p.secondary;
}

} // namespace rankscope::ui
