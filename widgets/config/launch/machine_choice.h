// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;

namespace rankscope::ui {

/// Chooses the machine to plan for: this one, one of a list, or one that the user describes.
class MachineChoice final : public QWidget {
    Q_OBJECT
public:
    explicit MachineChoice(QWidget* parent = nullptr);
    /// Returns the machine as `rankscopectl plan --machine` takes it; empty: this machine.
    QString machine() const;
    void setMachine(const QString& text); ///< this machine, if the text names none
    static QString usualTarget();         ///< the usual machine for training such models: 8 x H100
    void retranslate();

signals:
    void changed();

private:
    void fill();
    void askForOther();

    QLabel* m_label;
    QComboBox* m_list;
    int m_at = 0; ///< index of the chosen machine, before "other…" was picked
};

} // namespace rankscope::ui
