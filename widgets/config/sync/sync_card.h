// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/labels/severity_marks.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace rankscope::ui {

class ClampedLabel;
class DecisiveBox;
class DryRun;
struct CollectiveCost;

/// One of the three decisive settings: its four values, an editor, what it costs in each step of this recipe, and
/// its effect on the ranks.
class DecisiveCard final : public QFrame {
    Q_OBJECT
public:
    DecisiveCard(int which, QWidget* parent = nullptr);
    void setRow(const config::KeyRow* row); ///< null: the recipe says nothing
    void setUnread();                       ///< the text cannot be read: the card says why it has no values
    /// `timed`: the length sync gives up after a time and cannot hang. `other`: of a larger machine, for a run that has
    /// a single rank, where nobody waits and the effect cannot be seen.
    void setPlan(const DryRun& run, const DryRun& other, bool timed);
    void setCompact(bool on); ///< the value beside the title, without the other files' values: for little height
    void setFolded(bool on);  ///< title, value and cost alone
    void retranslate();
    QString key() const;
    DecisiveBox* editor() const { return m_editor; }

signals:
    void editRequested(const QString& key, const QString& yaml);
    void removeRequested(const QString& key);
    void revealRequested(const QString& key);
    void targetRequested(); ///< the larger machine is to be planned for

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    void fillEditor();
    void showValues();
    void showEffect();
    void showRemove();
    void arrange();
    Severity worstAt(const DryRun& run) const;
    CollectiveCost costOf(const DryRun& run) const;
    void showAlone(const DryRun& other, bool timed);
    int effectLines() const;

    int m_which;
    bool m_compact = false, m_folded = false;
    bool m_alone = false; ///< planned with one rank: nobody waits for it
    QString m_elsewhere;  ///< then: what it costs on the larger machine; empty: not known
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
    DecisiveBox* m_editor;
    QToolButton* m_remove;
};

} // namespace rankscope::ui
