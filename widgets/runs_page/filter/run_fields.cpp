// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/filter/run_fields.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/view/run_status.h"

#include <QCollator>
#include <QCoreApplication>
#include <QDateTime>
#include <QRegularExpression>

#include <charconv>
#include <cmath>

namespace rankscope::ui {

namespace {

struct FieldLabels {
    Q_DECLARE_TR_FUNCTIONS(RunField)
};

constexpr std::string_view kLossAt = "loss@", kValidationAt = "val@";

struct FieldRow {
    FieldId id;
    const char* name;
    FieldKind kind;
    const char* title;
    const char* hint;
};

// clang-format off
constexpr FieldRow kRows[] = {
    {FieldId::Favourite, "favourite", FieldKind::Flag, QT_TRANSLATE_NOOP("RunField", "Favourite"), QT_TRANSLATE_NOOP("RunField", "Starred runs come first; Space toggles it")},
    {FieldId::State, "state", FieldKind::State, QT_TRANSLATE_NOOP("RunField", "State"), QT_TRANSLATE_NOOP("RunField", "Whether the run is active, or how it ended")},
    {FieldId::Name, "name", FieldKind::Text, QT_TRANSLATE_NOOP("RunField", "Name"), QT_TRANSLATE_NOOP("RunField", "Your name for the run, or else the one that it was started with; F2 renames")},
    {FieldId::Changes, "changes", FieldKind::Text, QT_TRANSLATE_NOOP("RunField", "Changes"), QT_TRANSLATE_NOOP("RunField", "Settings that differ from the run that it repeats, or else from the oldest run of the same name")},
    {FieldId::Recipe, "recipe", FieldKind::Text, QT_TRANSLATE_NOOP("RunField", "Recipe"), QT_TRANSLATE_NOOP("RunField", "Name in the recipe")},
    {FieldId::Started, "started", FieldKind::Moment, QT_TRANSLATE_NOOP("RunField", "Started"), QT_TRANSLATE_NOOP("RunField", "Local time")},
    {FieldId::Duration, "duration", FieldKind::Seconds, QT_TRANSLATE_NOOP("RunField", "Duration"), QT_TRANSLATE_NOOP("RunField", "From the start to the end, or until now, with the runs that it was resumed from")},
    {FieldId::Steps, "steps", FieldKind::Count, QT_TRANSLATE_NOOP("RunField", "Steps"), QT_TRANSLATE_NOOP("RunField", "Finished by all ranks, of those planned")},
    {FieldId::Ranks, "ranks", FieldKind::Count, QT_TRANSLATE_NOOP("RunField", "Ranks"), QT_TRANSLATE_NOOP("RunField", "World size")},
    {FieldId::Loss, "loss", FieldKind::Number, QT_TRANSLATE_NOOP("RunField", "Loss"), QT_TRANSLATE_NOOP("RunField", "Last training loss of rank 0")},
    {FieldId::BestLoss, "best_loss", FieldKind::Number, QT_TRANSLATE_NOOP("RunField", "Best loss"), QT_TRANSLATE_NOOP("RunField", "Smallest training loss of rank 0 at a single step")},
    {FieldId::Validation, "val", FieldKind::Number, QT_TRANSLATE_NOOP("RunField", "Validation"), QT_TRANSLATE_NOOP("RunField", "Last validation loss, as rank 0 logs it (val_loss)")},
    {FieldId::BestValidation, "best_val", FieldKind::Number, QT_TRANSLATE_NOOP("RunField", "Best validation"), QT_TRANSLATE_NOOP("RunField", "Smallest validation loss, as rank 0 logs it (val_loss)")},
    {FieldId::Rate, "rate", FieldKind::Number, QT_TRANSLATE_NOOP("RunField", "Steps/s"), QT_TRANSLATE_NOOP("RunField", "Steps per second of step time, over the whole run")},
    {FieldId::SampleRate, "samples", FieldKind::Number, QT_TRANSLATE_NOOP("RunField", "Samples/s"), QT_TRANSLATE_NOOP("RunField", "Utterances per second of step time, over all ranks")},
    {FieldId::Waited, "waited", FieldKind::Seconds, QT_TRANSLATE_NOOP("RunField", "Total wait"), QT_TRANSLATE_NOOP("RunField", "Total time that all ranks spent waiting in collectives, with the runs that it was resumed from")},
    {FieldId::Holder, "holder", FieldKind::Count, QT_TRANSLATE_NOOP("RunField", "Slowest rank"), QT_TRANSLATE_NOOP("RunField", "Rank that the others waited for longest, and how long, with the runs that it was resumed from")},
    {FieldId::Incidents, "incidents", FieldKind::Count, QT_TRANSLATE_NOOP("RunField", "Incidents"), QT_TRANSLATE_NOOP("RunField", "Number of incidents found, with those of the runs that it was resumed from")},
    {FieldId::Memory, "memory", FieldKind::Bytes, QT_TRANSLATE_NOOP("RunField", "Peak memory"), QT_TRANSLATE_NOOP("RunField", "Largest memory of any rank's process")},
    {FieldId::Tags, "tag", FieldKind::Tags, QT_TRANSLATE_NOOP("RunField", "Tags"), QT_TRANSLATE_NOOP("RunField", "The recipe's tags and yours; F2 edits yours")},
    {FieldId::Note, "note", FieldKind::Text, QT_TRANSLATE_NOOP("RunField", "Note"), QT_TRANSLATE_NOOP("RunField", "Your note; N edits it")},
    {FieldId::Host, "host", FieldKind::Text, QT_TRANSLATE_NOOP("RunField", "Host"), QT_TRANSLATE_NOOP("RunField", "Machine that the supervisor runs on")},
    {FieldId::Cause, "cause", FieldKind::Text, QT_TRANSLATE_NOOP("RunField", "Exit cause"), QT_TRANSLATE_NOOP("RunField", "Why the run ended, or why it cannot be read")},
    {FieldId::Id, "id", FieldKind::Text, QT_TRANSLATE_NOOP("RunField", "Folder"), QT_TRANSLATE_NOOP("RunField", "Name of the run's folder: its id")},
    {FieldId::Archived, "archived", FieldKind::Flag, QT_TRANSLATE_NOOP("RunField", "Archived"), QT_TRANSLATE_NOOP("RunField", "Hidden unless archived runs are shown")},
};
// clang-format on

const FieldRow* rowOf(FieldId id) {
    for (const FieldRow& row : kRows)
        if (row.id == id)
            return &row;
    return nullptr;
}

Cell numeric(double value, QString text) {
    Cell cell;
    if (!std::isfinite(value))
        return cell;
    cell.number = cell.order = value;
    cell.text = std::move(text);
    return cell;
}

Cell counted(std::int64_t value) {
    return numeric(static_cast<double>(value), countText(value));
}

Cell lasting(std::int64_t ns) {
    return numeric(static_cast<double>(ns) * 1e-9, durationText(ns));
}

Cell words(const QString& text) {
    Cell cell;
    cell.text = text;
    return cell;
}

Cell flag(bool set, const QString& text) {
    Cell cell = words(set ? text : QString());
    cell.number = set ? 1 : 0;
    cell.order = set ? 0 : std::numeric_limits<double>::quiet_NaN();
    return cell;
}

/// Returns the time of the whole chain, as the steps are those of the whole chain.
Cell durationOf(const RunRow& row, qint64 nowNs) {
    const std::int64_t lasted = row.lastedNs(nowNs);
    return lasted < 0 ? Cell() : lasting(lasted + row.earlier.lastedNs);
}

Cell startedOf(const RunRow& row) {
    if (row.info.startRealtimeNs <= 0)
        return {};
    const auto at = QDateTime::fromMSecsSinceEpoch(row.info.startRealtimeNs / 1'000'000);
    return numeric(static_cast<double>(row.info.startRealtimeNs) * 1e-9,
                   at.toString(QStringLiteral("yyyy-MM-dd HH:mm")));
}

Cell stepsOf(const RunRow& row) {
    if (row.lastStep < 0)
        return {};
    Cell cell = counted(row.lastStep + 1);
    if (row.info.totalSteps > 0)
        cell.text = FieldLabels::tr("%1 of %2", "steps").arg(cell.text, countText(row.info.totalSteps));
    return cell;
}

/// Returns "41.1 s", or "41.1 s (sum)" if an older version added up waits that overlap.
QString waitText(const RunTotals& totals, std::int64_t ns) {
    return totals.waitsAreSums ? FieldLabels::tr("%1 (sum)").arg(durationText(ns)) : durationText(ns);
}

Cell waitedOf(const RunTotals& totals) {
    return totals.waitedNs < 0
               ? Cell()
               : numeric(static_cast<double>(totals.waitedNs) * 1e-9, waitText(totals, totals.waitedNs));
}

Cell holderOf(const RunTotals& totals) {
    const HeldTime slowest = slowestOf(totals.held);
    if (slowest.rank < 0)
        return {};
    Cell cell;
    cell.number = slowest.rank;
    cell.order = static_cast<double>(slowest.ns);
    cell.text = FieldLabels::tr("rank %1, %2").arg(slowest.rank).arg(waitText(totals, slowest.ns));
    return cell;
}

/// Returns a figure of the whole chain.
Cell ofTotals(const RunTotals& totals, FieldId id) {
    switch (id) {
    case FieldId::Waited:
        return waitedOf(totals);
    case FieldId::Holder:
        return holderOf(totals);
    default:
        return counted(totals.incidents);
    }
}

Cell ofFigures(const RunFigures& figures, FieldId id) {
    switch (id) {
    case FieldId::BestLoss:
        return figureCell(FieldId::BestLoss, figures.bestLoss);
    case FieldId::Validation:
        return figureCell(FieldId::Validation, figures.lastValidation);
    case FieldId::BestValidation:
        return figureCell(FieldId::BestValidation, figures.bestValidation);
    case FieldId::Rate:
        return figureCell(FieldId::Rate, figures.stepsPerSecond);
    case FieldId::SampleRate:
        return figureCell(FieldId::SampleRate, figures.samplesPerSecond);
    case FieldId::Memory:
        return figures.memoryBytes < 0 ? Cell()
                                       : numeric(static_cast<double>(figures.memoryBytes),
                                                 QString::fromStdString(formatBytes(figures.memoryBytes)));
    default:
        return {};
    }
}

Cell settingOf(const RunRow& row, const std::string& key) {
    const std::string* value = row.settings ? row.settings->find(key) : nullptr;
    if (!value)
        return {};
    Cell cell = words(QString::fromStdString(*value));
    if (const auto number = numberOf(*value))
        cell.number = cell.order = *number;
    return cell;
}

} // namespace

FieldKind RunField::kind() const {
    const FieldRow* row = rowOf(id);
    return row ? row->kind : id == FieldId::AtStep ? FieldKind::Number : FieldKind::Text;
}

std::int64_t RunField::step() const {
    std::int64_t step = 0;
    const std::size_t at = key.find('@') + 1; // npos + 1 is 0
    std::from_chars(key.data() + at, key.data() + key.size(), step);
    return step;
}

bool RunField::isValidation() const {
    return key.starts_with(kValidationAt);
}

bool RunField::isNumber() const {
    const FieldKind k = kind();
    return k == FieldKind::Number || k == FieldKind::Count || k == FieldKind::Seconds || k == FieldKind::Bytes ||
           k == FieldKind::Moment;
}

QString RunField::title() const {
    if (id == FieldId::AtStep)
        return (isValidation() ? FieldLabels::tr("Validation at %1", "a step")
                               : FieldLabels::tr("Loss at %1", "a step"))
            .arg(countText(step()));
    const FieldRow* row = rowOf(id);
    return row ? FieldLabels::tr(row->title) : QString::fromStdString(key);
}

QString RunField::hint() const {
    if (id == FieldId::AtStep)
        return (isValidation() ? FieldLabels::tr("Newest validation loss up to step %1, as rank 0 logs it (val_loss)")
                               : FieldLabels::tr("Training loss of rank 0 at step %1"))
            .arg(countText(step()));
    const FieldRow* row = rowOf(id);
    return row ? FieldLabels::tr(row->hint) : FieldLabels::tr("Setting of the effective configuration");
}

const QList<RunField>& builtinFields() {
    static const QList<RunField> all = [] {
        QList<RunField> list;
        for (const FieldRow& row : kRows)
            list << RunField{row.id, row.name};
        return list;
    }();
    return all;
}

std::optional<RunField> builtinField(const QString& name) {
    for (const RunField& field : builtinFields())
        if (name.compare(QLatin1String(field.key.c_str()), Qt::CaseInsensitive) == 0)
            return field;
    return std::nullopt;
}

RunField settingField(const QString& key) {
    return {FieldId::Setting, key.toStdString()};
}

RunField stepField(bool validation, std::int64_t step) {
    return {FieldId::AtStep, std::string(validation ? kValidationAt : kLossAt) + std::to_string(step)};
}

RunField fieldOf(const QString& key) {
    static const QRegularExpression atStep(QStringLiteral("^(loss|val)@([0-9]{1,15})$"));
    if (const auto match = atStep.match(key); match.hasMatch())
        return stepField(match.captured(1) == QLatin1String("val"), match.captured(2).toLongLong());
    return builtinField(key).value_or(settingField(key));
}

Cell cellOf(const RunRow& row, const RunField& field, qint64 nowNs) {
    const auto& info = row.info;
    switch (field.id) {
    case FieldId::Setting:
        return settingOf(row, field.key);
    case FieldId::Favourite:
        return flag(row.marks.favourite, QStringLiteral("★"));
    case FieldId::Archived:
        return flag(row.marks.archived, FieldLabels::tr("archived"));
    case FieldId::State:
        return words(row.problem.isEmpty() ? row.now().words(monotonicNs()) : FieldLabels::tr("damaged"));
    case FieldId::Name:
        return words(row.name());
    case FieldId::Changes:
        return words(row.changesLine());
    case FieldId::Recipe:
        return info.hasRecipe() ? words(QString::fromStdString(info.name)) : Cell();
    case FieldId::Started:
        return startedOf(row);
    case FieldId::Duration:
        return durationOf(row, nowNs);
    case FieldId::Steps:
        return stepsOf(row);
    case FieldId::Waited:
    case FieldId::Holder:
    case FieldId::Incidents:
        return row.figures ? ofTotals(row.totals(nowNs), field.id) : Cell();
    case FieldId::Ranks:
        return info.worldSize > 0 ? counted(info.worldSize) : Cell();
    case FieldId::Loss:
        return figureCell(FieldId::Loss, row.lastLoss);
    case FieldId::Tags: {
        QStringList tags;
        for (const auto& tag : row.tags())
            tags << QString::fromStdString(tag);
        return words(tags.join(QStringLiteral(", ")));
    }
    case FieldId::Note:
        return words(QString::fromStdString(row.marks.note));
    case FieldId::Host:
        return words(QString::fromStdString(info.host));
    case FieldId::Cause:
        return words(row.problem.isEmpty() ? messageText(info.cause) : row.problem);
    case FieldId::Id:
        return words(QString::fromStdString(row.paths.dir.filename().string()));
    default:
        return row.figures ? ofFigures(*row.figures, field.id) : Cell();
    }
}

QString withParts(const QString& text, const RunRow& row, FieldId id) {
    const bool fromStores = id == FieldId::Waited || id == FieldId::Holder || id == FieldId::Incidents;
    const RunTotals& earlier = row.earlier;
    if (earlier.runs == 0 || !(fromStores || id == FieldId::Duration || id == FieldId::Steps))
        return text;
    const QString parts = countText(earlier.runs + 1);
    return fromStores && earlier.unread > 0 ? FieldLabels::tr("%1 in %2 parts, %3 of them without figures")
                                                  .arg(text, parts, countText(earlier.unread))
                                            : FieldLabels::tr("%1 in %2 parts", "a figure").arg(text, parts);
}

Cell figureCell(FieldId id, double value) {
    return numeric(value, figureText(id, value));
}

QString figureText(FieldId id, double value) {
    const double size = std::abs(value);
    if (size >= 1e6 || (size < 1e-3 && size > 0))
        return QString::number(value, 'e', 3);
    return QString::number(value, 'f', id == FieldId::Rate ? 3 : id == FieldId::SampleRate ? 1 : 4);
}

std::optional<double> numberOf(const std::string& yaml) {
    double value = 0;
    const char* end = yaml.data() + yaml.size();
    const char* begin = yaml.data() + (!yaml.empty() && yaml.front() == '+' ? 1 : 0);
    const auto read = std::from_chars(begin, end, value);
    return read.ec == std::errc() && read.ptr == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

QString searchTextOf(const RunRow& row) {
    QStringList parts{row.name(),
                      QString::fromStdString(row.info.name),
                      row.changesLine(),
                      QString::fromStdString(row.paths.dir.filename().string()),
                      row.problem.isEmpty() ? row.now().words(monotonicNs()) : FieldLabels::tr("damaged"),
                      QString::fromStdString(row.info.host),
                      messageText(row.info.cause),
                      QString::fromStdString(row.marks.note)};
    for (const auto& tag : row.tags())
        parts << QString::fromStdString(tag);
    return parts.join(QLatin1Char('\n'));
}

bool sortsBefore(const Cell& a, const Cell& b, bool descending) {
    if (a.isMissing() || b.isMissing())
        return !a.isMissing() && b.isMissing();
    const bool numberA = !std::isnan(a.order), numberB = !std::isnan(b.order);
    if (numberA != numberB)
        return numberA; // numbers before words, in either direction
    if (numberA)
        return descending ? b.order < a.order : a.order < b.order;
    static const QCollator collator = [] {
        const QLocale locale; // the C locale does not sort alphabetically
        QCollator c(locale.language() == QLocale::C ? QLocale(QLocale::English) : locale);
        c.setNumericMode(true);
        c.setCaseSensitivity(Qt::CaseInsensitive);
        return c;
    }();
    const int order = collator.compare(a.text, b.text);
    return descending ? order > 0 : order < 0;
}

} // namespace rankscope::ui
