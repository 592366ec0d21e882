// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/run_names.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/runs/panel/run_delegate.h"

#include <QAbstractItemView>
#include <QDateTime>
#include <QHash>
#include <QHelpEvent>
#include <QSet>
#include <QStylePainter>
#include <QToolTip>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr qsizetype kShortest = 4; ///< characters of an id's end
const QString kBetween = QStringLiteral(" · ");

QString idOf(const RunRow& run) {
    return QString::fromStdString(run.paths.dir.filename().string());
}

/// Returns, by id, the number of characters that its end needs to be unique.
QHash<QString, qsizetype> tellingLengths(const QStringList& ids) {
    QStringList reversed;
    for (QString id : ids) {
        std::reverse(id.begin(), id.end());
        reversed << id;
    }
    reversed.sort();
    QHash<QString, qsizetype> lengths;
    for (qsizetype i = 0; i < reversed.size(); ++i) {
        qsizetype length = kShortest;
        for (const qsizetype other : {i - 1, i + 1}) { // the most similar ids are neighbours
            if (other < 0 || other >= reversed.size())
                continue;
            const QString &a = reversed[i], &b = reversed[other];
            const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
            length = std::max<qsizetype>(length, end - a.begin() + 1);
        }
        QString id = reversed[i];
        std::reverse(id.begin(), id.end());
        lengths.insert(id, length);
    }
    return lengths;
}

/// Returns, by name, the run that the others of that name are compared with.
QHash<QString, const RunRow*> originsOf(const QList<RunRow>& runs) {
    QHash<QString, const RunRow*> origins;
    for (const RunRow& run : runs) {
        const RunRow*& origin = origins[run.name()];
        if (!origin || (origin != &runs.front() && run.info.startRealtimeNs < origin->info.startRealtimeNs))
            origin = &run;
    }
    return origins;
}

RunName nameBeside(const RunRow& run, const RunRow& origin) {
    RunChanges changes;
    if (run.settings && origin.settings)
        changes = changesOf(origin, run);
    else if (run.changes)
        changes = *run.changes;
    if (changes.empty())
        return {run.name(), {}};
    return {run.name() + kBetween + changesText(changes), changesText(changes, ChangeOrder::ValueFirst)};
}

/// Returns suffixes for runs of the same name: their start times as in the table or with seconds, or the ends of their
/// ids.
QStringList endsOf(const QList<RunRow>& alike) {
    for (const char* format : {"yyyy-MM-dd HH:mm", "yyyy-MM-dd HH:mm:ss"}) {
        QStringList times;
        for (const RunRow& run : alike)
            times
                << QDateTime::fromMSecsSinceEpoch(run.info.startRealtimeNs / 1'000'000).toString(QLatin1String(format));
        if (QSet<QString>(times.begin(), times.end()).size() == times.size())
            return times;
    }
    QStringList ids;
    for (const RunRow& run : alike)
        ids << idOf(run);
    const auto lengths = tellingLengths(ids);
    for (QString& id : ids)
        id = id.right(lengths.value(id));
    return ids;
}

} // namespace

QString runTip(const RunRow& run) {
    QStringList lines;
    for (const QString& line : {run.name(), run.changesTip(), idOf(run)})
        if (!line.isEmpty() && !lines.contains(line))
            lines << line;
    return lines.join(QLatin1Char('\n'));
}

QList<RunName> distinctNames(const QList<RunRow>& runs) {
    const auto origins = originsOf(runs);
    QList<RunName> names;
    QHash<QString, QList<qsizetype>> called; // runs by the name that they have so far
    for (const RunRow& run : runs) {
        const RunRow* origin = origins.value(run.name());
        names << (origin == &run ? RunName{run.name(), {}} : nameBeside(run, *origin));
        called[names.back().whole] << names.size() - 1;
    }
    for (const auto& alike : std::as_const(called)) {
        if (alike.size() < 2)
            continue;
        QList<RunRow> those;
        for (const qsizetype at : alike)
            those << runs[at];
        const QStringList ends = endsOf(those);
        for (qsizetype i = 0; i < alike.size(); ++i)
            for (QString* name : {&names[alike[i]].whole, &names[alike[i]].brief})
                if (!name->isEmpty())
                    *name += kBetween + ends[i];
    }
    return names;
}

QString elidedName(const RunName& name, const QFontMetrics& metrics, int width) {
    if (metrics.horizontalAdvance(name.whole) <= width || !name.brief.isEmpty())
        return fittingText(metrics, name.whole, name.brief, width);
    const auto at = name.whole.lastIndexOf(kBetween);
    const QString end = at < 0 ? QString() : name.whole.mid(at);
    const int left = width - metrics.horizontalAdvance(end);
    if (end.isEmpty() || left < metrics.horizontalAdvance(QStringLiteral("mm…")))
        return metrics.elidedText(name.whole, Qt::ElideMiddle, width);
    return metrics.elidedText(name.whole.left(at), Qt::ElideMiddle, left) + end;
}

RunCombo::RunCombo(QWidget* parent) : QComboBox(parent) {
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    view()->setTextElideMode(Qt::ElideMiddle);
}

QString RunCombo::shownText() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    return elidedName({currentText(), currentData(kBriefRole).toString()}, fontMetrics(), field.width() - 8);
}

void RunCombo::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText = shownText();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

/// Shows the chosen run's whole name in the tool tip.
bool RunCombo::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && currentIndex() >= 0) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = currentData(kTipRole).toString();
        QToolTip::showText(help->globalPos(),
                           tip.isEmpty() ? toolTip() : plainToolTip(tip + QStringLiteral("\n\n") + toolTip()), this);
        return true;
    }
    return QComboBox::event(event);
}

} // namespace rankscope::ui
