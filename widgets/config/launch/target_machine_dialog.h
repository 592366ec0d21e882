// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;

namespace rankscope::ui {

/// Asks for the GPUs, nodes, memory and cores of a machine to plan for that is not in the list.
class MachineDialog final : public QDialog {
    Q_OBJECT
public:
    /// Starts with this machine, as plan::targetFromText() reads it, or with 8 GPUs of 80 GB if it names none.
    explicit MachineDialog(const QString& machine, QWidget* parent = nullptr);
    QString text() const; ///< as plan::targetFromText() reads it

signals:
    void chosen(const QString& machine);

private:
    QSpinBox* addCount(QFormLayout* form, const char* name, const QString& label, int value, int most);
    QDoubleSpinBox* addSize(QFormLayout* form, const char* name, const QString& label, const QString& unit,
                            double value, double most);

    QSpinBox* m_gpus;
    QSpinBox* m_nodes;
    QSpinBox* m_cores;
    QDoubleSpinBox* m_memory;
    QDoubleSpinBox* m_ram;
    QDoubleSpinBox* m_teraflops;
};

} // namespace rankscope::ui
