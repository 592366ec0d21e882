// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/evaluation.h"

#include <QWidget>

#include <array>
#include <vector>

class QToolButton;

namespace rankscope::ui {

class SyncCard;
class PlanRequest;
struct ProblemRow;

/// Shows the cards of the three decisive settings next to each other, with the button that folds them to title, value
/// and cost.
class SyncCardRow final : public QWidget {
    Q_OBJECT
public:
    explicit SyncCardRow(QWidget* parent = nullptr);

    SyncCard* card(int which) const { return m_cards[static_cast<std::size_t>(which)]; }
    /// Shows an evaluation; null: no recipe is open. `readable`: false while the text is not valid YAML.
    void setEvaluation(const Evaluation& evaluation, bool readable);
    void setPlan(const PlanRequest& run, const PlanRequest& other); ///< see SyncCard
    /// Shows at each card how many of the listed problems are its setting's.
    void setProblems(const std::vector<ProblemRow>& problems);
    void setCompact(bool on);
    void setFolded(bool on); ///< by the user
    bool isFolded() const { return m_folded; }
    /// Folds the cards while there is little height; the user can still unfold them. What the user chose before applies
    /// again as soon as there is more height.
    void setLow(bool on);
    void retranslate();

signals:
    void editRequested(const QString& key, const QString& yaml);
    void removeRequested(const QString& key);
    void revealRequested(const QString& key);
    void arranged();        ///< folded or opened
    void targetRequested(); ///< the user wants to plan for the larger machine
    void problemsRequested(const QString& key);

private:
    void arrange();
    std::array<SyncCard*, 3> m_cards{};
    QToolButton* m_fold;
    bool m_folded = false;
    bool m_low = false, m_foldedLow = true;
    bool m_timed = false; ///< the length sync has a timeout and cannot hang
};

} // namespace rankscope::ui
