// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the table's columns and their order: tick boxes, dragging, and a search over figures and all settings.
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace rankscope::ui {

class ColumnChooser final : public QFrame {
    Q_OBJECT
public:
    explicit ColumnChooser(QWidget* parent = nullptr);
    /// Opens under a button. `shown` are the columns in their order, `settings` the keys that runs have.
    void open(QWidget* under, const QList<RunField>& shown, const QStringList& settings);

signals:
    void chosen(const QList<rankscope::ui::RunField>& columns); ///< with each change
    void defaultsWanted();

private:
    void retranslate();
    void fill(const QList<RunField>& shown, const QStringList& settings);
    void addItem(const RunField& field, bool on);
    void filter(const QString& words);
    void tell();
    void addAtStep();

    QLineEdit* m_search;
    QListWidget* m_list;
    QLabel* m_hint;
    QPushButton* m_defaults;
    QComboBox* m_loss; ///< training or validation, of a value at a step
    QLineEdit* m_step;
    QPushButton* m_addStep;
    bool m_filling = false;
};

} // namespace rankscope::ui
