// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/labels/severity_marks.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace rankscope::ui {

class ClampedLabel;
class SyncValueBox;
class PlanRequest;
struct CollectiveCost;

/// Shows one of the three decisive settings: its four values, an editor, its cost in each step of this recipe, and its
/// effect on the ranks.
class SyncCard final : public QFrame {
    Q_OBJECT
public:
    SyncCard(int which, QWidget* parent = nullptr);
    void setRow(const config::KeyRow* row); ///< null: the recipe does not have the key
    void setUnread(bool on);                ///< the text cannot be parsed: the card explains why it has no values
    /// Shows the plan. `timed`: the length sync has a timeout and cannot hang. `other`: the plan of a larger machine,
    /// for a run with a single rank, where no waiting occurs and the effect cannot be seen.
    void setPlan(const PlanRequest& run, const PlanRequest& other, bool timed);
    /// Links to the setting's problems in the list, which has their sentences; the card then states only the effect of
    /// the setting. `worst`: the most severe one, which also marks the cost. `count` 0: none.
    void setProblems(int count, MarkSeverity worst);
    void setCompact(bool on); ///< for little height: the value next to the title, without the other files' values
    void setFolded(bool on);  ///< only title, value and cost
    void retranslate();
    QString key() const;
    SyncValueBox* editor() const { return m_editor; }

signals:
    void editRequested(const QString& key, const QString& yaml);
    void removeRequested(const QString& key);
    void revealRequested(const QString& key);
    void targetRequested(); ///< the user wants to plan for the larger machine
    void problemsRequested(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    void fillEditor();
    void showValues();
    void showEffect();
    void showMark();
    void showProblemLink();
    void showRemove();
    void arrange();
    QString effect() const;
    CollectiveCost costOf(const PlanRequest& run) const;
    void showAlone(const PlanRequest& other, bool timed);
    int effectLines() const;

    int m_which;
    bool m_compact = false, m_folded = false;
    bool m_alone = false; ///< planned with one rank: no other rank waits for it
    bool m_unread = false;
    bool m_canHang = false; ///< as planned
    bool m_free = false;    ///< planned with several ranks: the setting adds no collective
    int m_problems = 0;
    MarkSeverity m_worst = MarkSeverity::Caution;
    QString m_elsewhere; ///< in that case: the cost on the larger machine; empty: not known
    QHBoxLayout* m_head;
    QHBoxLayout* m_edit;
    QHBoxLayout* m_costRow;
    config::KeyRow m_row;
    bool m_known = false;
    QLabel* m_title;
    QLabel* m_keyName;
    QLabel* m_yours;
    QLabel* m_captions[3];
    QLabel* m_values[3];
    QLabel* m_costMark;
    ClampedLabel* m_cost;
    QLabel* m_target;
    ClampedLabel* m_effect;
    QToolButton* m_problemLink;
    SyncValueBox* m_editor;
    QToolButton* m_remove;
};

} // namespace rankscope::ui
