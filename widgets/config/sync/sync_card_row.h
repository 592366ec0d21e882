// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/evaluation.h"

#include <QWidget>

#include <array>

class QToolButton;

namespace rankscope::ui {

class DecisiveCard;
class DryRun;

/// The cards of the three decisive settings side by side, and the button that folds them to one line.
class SyncCardRow final : public QWidget {
    Q_OBJECT
public:
    explicit SyncCardRow(QWidget* parent = nullptr);

    DecisiveCard* card(int which) const { return m_cards[static_cast<std::size_t>(which)]; }
    /// Null: no recipe is open. `readable`: false while the text is no YAML.
    void setEvaluation(const Evaluation& evaluation, bool readable);
    void setPlan(const DryRun& run);
    void setCompact(bool on);
    void setFolded(bool on);
    bool isFolded() const { return m_folded; }
    void retranslate();

signals:
    void editRequested(const QString& key, const QString& yaml);
    void removeRequested(const QString& key);
    void revealRequested(const QString& key);

private:
    std::array<DecisiveCard*, 3> m_cards{};
    QToolButton* m_fold;
    bool m_folded = false;
    bool m_timed = false; ///< the length sync gives up after a time and cannot hang
};

} // namespace rankscope::ui
