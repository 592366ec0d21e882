// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one incident: its sentence, who waited for whom, the evidence, and the remedy.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/store/tables/stack_and_usage_rows.h"

#include <QScrollArea>

#include <filesystem>

class QBoxLayout;
class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace rankscope::ui {

class IncidentPicture;
struct EvidenceRow;
struct RunView;

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
    /// Adds what the ranks did meanwhile, as lanes, to the incident that is shown. Without this call, there are none.
    void showPicture(const RunView& run, const std::filesystem::path& store);
    /// Call it when the store has more rows.
    void storeChanged();
    void clear();
    void retranslate();

signals:
    void timelineRequested(qint64 incidentId);
    void remedyRequested(const QString& key, const QString& value);
    void jumpRequested(qint64 step);
    void playRequested(const QString& file); ///< the recording that the holder was reading

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QBoxLayout* makeColumns();
    QLayout* makeButtons();
    QString readFile() const; ///< path that the holder was reading; empty: not known
    void fillFacts(const diagnosis::Incident& incident);
    QLayout* makeStacks();
    void fillStacks();
    void addFact(QFormLayout* to, const EvidenceRow& row);

    diagnosis::Incident m_incident;
    std::vector<std::string> m_faults;
    bool m_watched = false;
    QString m_state;
    QString m_facts; ///< the form's content, which is not rebuilt while only the clock moves
    QLabel *m_title, *m_sentence, *m_remedyText;
    QPushButton *m_remedy, *m_jump, *m_toTimeline, *m_play, *m_copyPath;
    IncidentPicture* m_picture;
    QBoxLayout* m_columns;                ///< the facts, and the picture next to or above them
    QFormLayout *m_mainRows, *m_moreRows; ///< what explains the incident; all other facts, folded at first
    QToolButton* m_moreFold;
    QWidget* m_more;
    std::vector<store::StackRow> m_stackRows;
    QToolButton* m_fold;
    QPushButton* m_copy;
    QPlainTextEdit* m_stacks;
};

} // namespace rankscope::ui
