// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/review/panes/review_layout.h"

#include <QObject>

#include <array>

class QAction;
class QMenu;
class QWidget;

namespace rankscope::ui {

/// Shows and hides the page's panes, with an entry for each in a menu.
class PanesMenu final : public QObject {
    Q_OBJECT
public:
    using Panes = std::array<QWidget*, ReviewLayout::PaneCount>;
    using Shown = std::array<bool, ReviewLayout::PaneCount>;

    /// Adds the entries to the menu. The panes are in the order of ReviewLayout::ReviewPane; the parent owns them and
    /// the menu.
    PanesMenu(QMenu* menu, const Panes& panes, QObject* parent);

    const Shown& shown() const { return m_shown; }
    bool isShown(ReviewLayout::ReviewPane pane) const { return m_shown[pane]; }
    void setShown(std::size_t pane, bool on);
    void setShown(const Shown& shown);
    void retranslate();

signals:
    void changed(); ///< a pane was shown or hidden

private:
    Panes m_panes;
    std::array<QAction*, ReviewLayout::PaneCount> m_actions;
    Shown m_shown = ReviewLayout{}.shown;
};

} // namespace rankscope::ui
