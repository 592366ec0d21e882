// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/run_names.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/runs_page/filter/run_fields.h"

#include <QAbstractItemView>
#include <QHash>
#include <QHelpEvent>
#include <QSet>
#include <QStylePainter>
#include <QToolTip>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr qsizetype kShortest = 4; ///< of an id's end
const QString kBetween = QStringLiteral(" · ");

QString idOf(const RunRow& run) {
    return QString::fromStdString(run.paths.dir.filename().string());
}

/// By id: characters that its end needs to be nobody else's.
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
        for (const qsizetype other : {i - 1, i + 1}) { // the most alike are neighbours
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

} // namespace

QString runTip(const RunRow& run) {
    QStringList lines;
    for (const QString& line : {run.name(), run.changesLine(), idOf(run)})
        if (!line.isEmpty() && !lines.contains(line))
            lines << line;
    return lines.join(QLatin1Char('\n'));
}

QStringList distinctNames(const QList<RunRow>& runs) {
    // by what was changed where names are alike, by the id only where that does not tell them apart either
    QHash<QString, int> called;
    for (const RunRow& run : runs)
        ++called[run.name()];
    const auto telling = [&called](const RunRow& run) {
        const QString changes = called.value(run.name()) > 1 ? run.changesLine() : QString();
        return changes.isEmpty() ? run.name() : run.name() + kBetween + changes;
    };
    QHash<QString, QStringList> ids;
    for (const RunRow& run : runs)
        ids[telling(run)] << idOf(run);
    QHash<QString, qsizetype> lengths; // by id
    for (const QStringList& alike : std::as_const(ids))
        if (alike.size() > 1)
            lengths.insert(tellingLengths(alike));
    QStringList names;
    for (const RunRow& run : runs) {
        const auto length = lengths.constFind(idOf(run));
        const QString name = telling(run);
        names << (length == lengths.constEnd() ? name : name + kBetween + idOf(run).right(*length));
    }
    return names;
}

QString elidedName(const QString& name, const QFontMetrics& metrics, int width) {
    if (metrics.horizontalAdvance(name) <= width)
        return name;
    const auto at = name.lastIndexOf(kBetween);
    const QString end = at < 0 ? QString() : name.mid(at);
    const int left = width - metrics.horizontalAdvance(end);
    if (end.isEmpty() || left < metrics.horizontalAdvance(QStringLiteral("mm…")))
        return metrics.elidedText(name, Qt::ElideMiddle, width);
    return metrics.elidedText(name.left(at), Qt::ElideMiddle, left) + end;
}

RunCombo::RunCombo(QWidget* parent) : QComboBox(parent) {
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    view()->setTextElideMode(Qt::ElideMiddle);
}

QString RunCombo::shownText() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    return elidedName(currentText(), fontMetrics(), field.width() - 8);
}

void RunCombo::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText = shownText();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

/// The tool tip names what is chosen.
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
