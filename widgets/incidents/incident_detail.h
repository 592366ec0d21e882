// SPDX-License-Identifier: GPL-3.0-or-later
// One incident: its sentence, who waited for whom, the evidence, and what cures it.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/store/tables/stack_and_usage_rows.h"

#include <QScrollArea>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace rankscope::ui {

class IncidentDetail final : public QScrollArea {
    Q_OBJECT
public:
    explicit IncidentDetail(QWidget* parent = nullptr);
    /// `state`: as the list has it.
    void show(const diagnosis::Incident& incident, std::int64_t nowNs, const QString& state);
    /// That the run was asked for: an incident that is one of them says so. Before show().
    void setFaults(const std::vector<std::string>& faults) { m_faults = faults; }
    /// Of the incident that is shown; none hides the block.
    void setStacks(const std::vector<store::StackRow>& stacks);
    void clear();
    void retranslate();

signals:
    void remedyRequested(const QString& key, const QString& value);
    void jumpRequested(qint64 step);

private:
    void fillFacts(const diagnosis::Incident& incident);
    QLayout* makeStacks();
    void fillStacks();
    void addFact(const QString& label, const QString& value, bool block);

    diagnosis::Incident m_incident;
    std::vector<std::string> m_faults;
    QString m_state;
    QString m_facts; ///< what the form shows, to leave it alone while only the clock moved
    QLabel *m_title, *m_sentence, *m_remedyText;
    QPushButton *m_remedy, *m_jump;
    QWidget* m_form;
    std::vector<store::StackRow> m_stackRows;
    QToolButton* m_fold;
    QPushButton* m_copy;
    QPlainTextEdit* m_stacks;
    QFormLayout* m_rows;
};

} // namespace rankscope::ui
