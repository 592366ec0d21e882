// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one incident: its sentence, who waited for whom, the evidence, and the remedy.
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
    /// Shows an incident; `state` is the text in the list.
    void show(const diagnosis::Incident& incident, std::int64_t nowNs, const QString& state);
    /// Sets the faults that the run was asked to inject: an incident caused by one says so. Call it before show().
    void setFaults(const std::vector<std::string>& faults) { m_faults = faults; }
    /// Sets whether the run is a program of the user's: what is offered then is an override for its command.
    void setWatched(bool watched) { m_watched = watched; }
    /// Sets the stacks of the incident that is shown; an empty list hides the block.
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
    bool m_watched = false;
    QString m_state;
    QString m_facts; ///< the form's content, which is not rebuilt while only the clock moves
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
