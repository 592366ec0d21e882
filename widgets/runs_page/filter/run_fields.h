// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a run in the table of runs: figures and facts by name, and every setting by its key. Columns, sorting,
// filter and comparison share this list.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace rankscope::ui {

enum class FieldId {
    Favourite,
    State,
    Name,
    Changes,
    Recipe,
    Started,
    Duration,
    Steps,
    Ranks,
    Loss,
    BestLoss,
    Validation,
    BestValidation,
    Rate,
    SampleRate,
    Waited,
    Holder,
    Incidents,
    Memory,
    Tags,
    Note,
    Host,
    Cause,
    Id,
    Archived,
    AtStep, ///< the value of a loss at a step: "loss@500" or "val@500"
    Setting
};

enum class FieldKind {
    Text,
    Number,
    Count,
    Seconds,
    Bytes,
    Moment, ///< seconds since 1970
    Tags,
    State,
    Flag
};

struct RunField {
    FieldId id = FieldId::Name;
    std::string key; ///< "loss", "model.optim.lr": its name in filters and in the saved settings

    bool isSetting() const { return id == FieldId::Setting; }
    std::int64_t step() const; ///< of an AtStep field
    bool isValidation() const; ///< of an AtStep field: the validation loss, not the training loss
    FieldKind kind() const;
    bool isNumber() const; ///< right-aligned, compared as a number; a setting may be either
    QString title() const;
    QString hint() const; ///< describes the field, with its unit
    friend bool operator==(const RunField&, const RunField&) = default;
};

/// Returns all fields except settings, in the order of the column chooser.
const QList<RunField>& builtinFields();
/// Returns a figure or fact by name; none if there is no such field.
std::optional<RunField> builtinField(const QString& name);
RunField settingField(const QString& key);
/// Returns the field for the training loss of rank 0 at a step, or for the newest validation loss up to it.
RunField stepField(bool validation, std::int64_t step);
/// Returns the built-in field of this name, or the loss at a step if it has the form of one, otherwise the setting with
/// this key.
RunField fieldOf(const QString& key);

struct Cell {
    QString text;                                             ///< empty: the run has none
    double number = std::numeric_limits<double>::quiet_NaN(); ///< to compare by; NaN: none, or not a number
    double order = std::numeric_limits<double>::quiet_NaN();  ///< to sort by; NaN: by its text

    bool isMissing() const { return text.isEmpty(); }
};
/// Returns the run's value of a field. `nowNs` is wall clock time, for the duration of a live run.
Cell cellOf(const RunRow& row, const RunField& field, qint64 nowNs);
/// Returns the text of a cell for a tool tip: if its figure is that of several runs, of which each was resumed from the
/// one before, "41.1 s in 3 parts".
QString withParts(const QString& text, const RunRow& row, FieldId id);
/// Returns a cell with a figure of the kind Number; it is missing if the figure is not finite.
Cell figureCell(FieldId id, double value);
/// Returns a figure of the kind Number as the table shows it: with the same decimals for a whole column, except for
/// very small and very large values.
QString figureText(FieldId id, double value);
/// Returns a YAML value as a number; none if it is not a plain number.
std::optional<double> numberOf(const std::string& yaml);
/// Returns all text that the words of a filter are searched in.
QString searchTextOf(const RunRow& row);

/// Returns whether `a` sorts before `b`: smaller values first, missing ones last in either direction. Texts are sorted
/// by the user's locale, numbers in them by value.
bool sortsBefore(const Cell& a, const Cell& b, bool descending);

} // namespace rankscope::ui
