// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/launch/target_machine_dialog.h"

#include "core/plan/cost/target_machine.h"

#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

MachineDialog::MachineDialog(const QString& machine, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Plan for another machine"));
    const auto given = plan::targetFromText(machine.toStdString());
    const auto target = given ? *given : plan::targetFromText("gpus=8,memory=80G").value_or(plan::TargetMachine{});
    const auto giga = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; };
    auto* form = new QFormLayout;
    m_gpus = addCount(form, "gpus", tr("GPUs per node"), target.node.gpus, 64);
    m_nodes = addCount(form, "nodes", tr("Nodes"), std::max(1, target.nodes), 4096);
    m_memory = addSize(form, "memory", tr("Memory per GPU"), tr("GB"), giga(target.node.gpuMemoryBytes), 10000);
    m_cores = addCount(form, "cores", tr("CPU cores per node"), target.node.cores, 4096);
    m_ram = addSize(form, "ram", tr("RAM per node"), tr("GB"), giga(target.node.memoryBytes), 100000);
    m_teraflops =
        addSize(form, "tflops", tr("Half-precision peak per GPU"), tr("Tflop/s"), target.halfFlops * 1e-12, 100000);
    m_teraflops->setMinimum(0);
    m_teraflops->setValue(target.halfFlops * 1e-12);
    m_teraflops->setSpecialValueText(tr("not known"));
    m_teraflops->setToolTip(tr("From the data sheet, without sparsity. If it is not given, no time is estimated."));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Plan"));
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit chosen(text());
        accept();
    });
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(buttons);
}

QSpinBox* MachineDialog::addCount(QFormLayout* form, const char* name, const QString& label, int value, int most) {
    auto* box = new QSpinBox(this);
    box->setObjectName(QLatin1String(name));
    box->setRange(1, most);
    box->setValue(value);
    form->addRow(label, box);
    return box;
}

QDoubleSpinBox* MachineDialog::addSize(QFormLayout* form, const char* name, const QString& label, const QString& unit,
                                       double value, double most) {
    auto* box = new QDoubleSpinBox(this);
    box->setObjectName(QLatin1String(name));
    box->setDecimals(0);
    box->setRange(1, most);
    box->setSuffix(QLatin1Char(' ') + unit);
    box->setValue(value);
    form->addRow(label, box);
    return box;
}

QString MachineDialog::text() const {
    const auto whole = [](const QDoubleSpinBox* box) { return QString::number(box->value(), 'f', 0); };
    QString text = QStringLiteral("gpus=%1,memory=%2G,cores=%3,ram=%4G")
                       .arg(m_gpus->value())
                       .arg(whole(m_memory))
                       .arg(m_cores->value())
                       .arg(whole(m_ram));
    if (m_nodes->value() > 1)
        text += QStringLiteral(",nodes=%1").arg(m_nodes->value());
    if (m_teraflops->value() > 0)
        text += QStringLiteral(",tflops=%1").arg(whole(m_teraflops));
    return text;
}

} // namespace rankscope::ui
