// SPDX-License-Identifier: GPL-3.0-or-later
// What the table of runs knows of a run: figures and facts by name, and every setting by its key. One list for columns,
// sorting, filter and comparison.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QString>
#include <QStringList>

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
    std::string key; ///< "loss", "model.optim.lr": as it is written in a filter and kept in the settings

    bool isSetting() const { return id == FieldId::Setting; }
    FieldKind kind() const;
    bool isNumber() const; ///< right-aligned, compared as a number; a setting may be either
    QString title() const;
    QString hint() const; ///< what it is, with its unit
    friend bool operator==(const RunField&, const RunField&) = default;
};

/// All but settings, in the order of the chooser.
const QList<RunField>& builtinFields();
/// A figure or fact by name; none: there is no such one.
std::optional<RunField> builtinField(const QString& name);
RunField settingField(const QString& key);
/// The one or the other.
RunField fieldOf(const QString& key);

struct Cell {
    QString text;                                             ///< empty: the run has none
    double number = std::numeric_limits<double>::quiet_NaN(); ///< to compare by; NaN: it is no number, or there is none
    double order = std::numeric_limits<double>::quiet_NaN();  ///< to sort by; NaN: by its text

    bool isMissing() const { return text.isEmpty(); }
};
/// `nowNs`: wall clock, for how long a live run has lasted.
Cell cellOf(const RunRow& row, const RunField& field, qint64 nowNs);
/// A value of YAML as a number; none: it is no plain number.
std::optional<double> numberOf(const std::string& yaml);
/// Everything that words of a filter look in.
QString searchTextOf(const RunRow& row);

/// Smaller first, missing last in either direction; texts by the user's alphabet, numbers in them by value.
bool sortsBefore(const Cell& a, const Cell& b, bool descending);

} // namespace rankscope::ui
