// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/marks.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPixmapCache>

namespace rankscope::ui {

using config::RiskSeverity;
using diagnosis::RankState;
using Severity = config::Problem::Severity;

namespace {
struct MarkLabels {
    Q_DECLARE_TR_FUNCTIONS(Marks)
};
} // namespace

Mark markOf(Severity severity) {
    const Palette& colours = Theme::instance().palette();
    switch (severity) {
    case Severity::Error:
        return {RankState::Dead, colours.dead};
    case Severity::Warning:
        return {RankState::Holder, colours.waiting};
    case Severity::Info:
        break;
    }
    return {RankState::Starting, colours.secondary};
}

Mark markOf(RiskSeverity severity) {
    const Palette& colours = Theme::instance().palette();
    switch (severity) {
    case RiskSeverity::Danger:
        return {RankState::Holder, colours.holder};
    case RiskSeverity::Caution:
        return {RankState::Waiting, colours.waiting};
    case RiskSeverity::Info:
        break;
    }
    return {RankState::Starting, colours.secondary};
}

QPixmap markPixmap(const Mark& mark) {
    // a list asks for one with each of its rows
    const QString name =
        QStringLiteral("rankscope-mark-%1-%2").arg(static_cast<int>(mark.first)).arg(mark.second.rgba());
    QPixmap pixmap;
    if (QPixmapCache::find(name, &pixmap))
        return pixmap;
    pixmap = QPixmap(32, 32);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    Theme::drawStateMark(painter, QRectF(1, 1, 14, 14), mark.first, mark.second);
    painter.end();
    QPixmapCache::insert(name, pixmap);
    return pixmap;
}

QString severityWord(Severity severity) {
    switch (severity) {
    case Severity::Error:
        return MarkLabels::tr("Error");
    case Severity::Warning:
        return MarkLabels::tr("Warning");
    case Severity::Info:
        break;
    }
    return MarkLabels::tr("Note");
}

QString severityWord(RiskSeverity severity) {
    switch (severity) {
    case RiskSeverity::Danger:
        return MarkLabels::tr("Danger");
    case RiskSeverity::Caution:
        return MarkLabels::tr("Caution");
    case RiskSeverity::Info:
        break;
    }
    return MarkLabels::tr("For your information");
}

} // namespace rankscope::ui
