// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/launch/machine_choice.h"

#include "core/plan/cost/target_machine.h"
#include "widgets/config/launch/target_machine_dialog.h"
#include "widgets/controls/box_layout.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>

#include <utility>

namespace rankscope::ui {

MachineChoice::MachineChoice(QWidget* parent)
    : QWidget(parent), m_label(new QLabel(this)), m_list(new QComboBox(this)) {
    m_label->setFont(secondaryFont());
    m_label->setForegroundRole(QPalette::PlaceholderText);
    m_label->setBuddy(m_list);
    m_list->setObjectName(QStringLiteral("machine"));
    m_list->setFont(secondaryFont());
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(16);
    setLayout(rowOf({m_label, m_list}, 6));
    connect(m_list, &QComboBox::activated, this, [this](int at) {
        if (at == m_list->count() - 1)
            return askForOther();
        m_at = at;
        emit changed();
    });
}

void MachineChoice::retranslate() {
    m_label->setText(tr("Plan for"));
    m_list->setToolTip(tr("Memory, risks, speed and commands are shown for the chosen machine; Launch always starts "
                          "the run on this one"));
    fill();
}

QString MachineChoice::usualTarget() {
    return QStringLiteral("8xH100");
}

QString MachineChoice::machine() const {
    return m_list->currentData().toString();
}

void MachineChoice::fill() {
    const QString chosen = machine();
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    m_list->addItem(tr("this machine"), QString());
    for (const char* one : {"8xH100", "8xA100", "4xA100", "8xH200", "2x8xH100", "4xL40S"})
        if (const auto target = plan::targetFromText(one))
            m_list->addItem(QString::fromStdString(target->name), QString::fromStdString(target->text));
    m_list->addItem(tr("other…"));
    setMachine(chosen);
}

void MachineChoice::setMachine(const QString& text) {
    int at = m_list->findData(text);
    if (at < 0 || at == m_list->count() - 1) {
        const auto target = plan::targetFromText(text.toStdString());
        at = target ? m_list->count() - 1 : 0; // 0: saved by an older version and no longer known
        if (target)
            m_list->insertItem(at, QString::fromStdString(target->name), text);
    }
    m_list->setCurrentIndex(at);
    if (std::exchange(m_at, at) != at)
        emit changed();
}

void MachineChoice::askForOther() {
    m_list->setCurrentIndex(m_at);
    auto* dialog = new MachineDialog(machine(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &MachineDialog::chosen, this, &MachineChoice::setMachine);
    dialog->open();
}

} // namespace rankscope::ui
