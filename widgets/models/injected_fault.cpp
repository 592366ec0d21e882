// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/injected_fault.h"

#include <QRegularExpression>

#include <algorithm>

namespace rankscope::ui {

QString injectedFault(const diagnosis::Incident& incident, const std::vector<std::string>& faults) {
    static const QRegularExpression parts(
        QStringLiteral("^\\w+ on rank (\\d+)(?: at step (\\d+)(?:( and all that follow)| to (\\d+))?)?"));
    for (const std::string& one : faults) {
        const QString text = QString::fromStdString(one);
        const auto match = parts.match(text);
        if (!match.hasMatch())
            continue;
        const auto& holders = incident.holders;
        if (std::find(holders.begin(), holders.end(), match.captured(1).toInt()) == holders.end())
            continue;
        if (match.captured(2).isEmpty()) // of the whole run
            return text;
        const qint64 first = match.captured(2).toLongLong();
        const qint64 last = !match.captured(3).isEmpty()  ? INT64_MAX - 1
                            : match.captured(4).isEmpty() ? first
                                                          : match.captured(4).toLongLong();
        // a rank may be seen late in the step after; a straggler is told at the end of its window
        if (incident.step >= first - 1 && (incident.straggler || incident.step <= last + 1))
            return text;
    }
    return {};
}

} // namespace rankscope::ui
