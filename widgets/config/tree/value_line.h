// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/effective/effective.h"

#include <QLineEdit>
#include <QPointer>

class QLabel;

namespace rankscope::ui {

enum class ValueKind { Text, Switch, Choice, Number, Path, Folder, List };

/// Returns how the value of this key is edited.
ValueKind valueKind(const config::KeyRow& row);
/// Returns the unit given by the key's name: "s", "ms", "MB", "Hz" …; empty: none.
QString unitOf(const QString& key);
/// Returns the range of the key's values: "0 … 4096", "> 0", "≥ 1"; empty: any.
QString rangeOf(const config::KeySpec* spec);
/// Returns what is wrong with this YAML as the key's value, in the window's language; empty: nothing. `breaks`: it is
/// not valid YAML at all and cannot be written.
QString valueProblem(const config::KeySpec* spec, const QString& yaml, bool* breaks = nullptr);

/// Returns a path as one YAML value, quoted if necessary.
QString quotedPath(const QString& path);

/// The line in which a value is typed. It shows what is wrong with the value and its range and unit, and has a button
/// to browse for a path or to edit a list item by item.
class ValueLine final : public QLineEdit {
    Q_OBJECT
public:
    ValueLine(const config::KeyRow& row, QWidget* parent);
    ~ValueLine() override;
    QString problem() const { return m_problem; } ///< the text of the message below the line
    bool canCommit() const { return !m_breaks; }
    ValueKind kind() const { return m_kind; }

signals:
    void extraRequested(rankscope::ui::ValueKind kind);

protected:
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void moveEvent(QMoveEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void check();
    void placeMessage();
    bool stepBy(int steps);

    const config::KeySpec* m_spec;
    ValueKind m_kind;
    QString m_hint, m_problem;
    QPointer<QLabel> m_message; ///< below the line in the same parent, not inside it
    bool m_breaks = false;
};

} // namespace rankscope::ui
