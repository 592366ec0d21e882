// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <optional>

namespace rankscope::ui {

class RunsPanel;

/// Folds the list of runs to icons in a narrow window, unless the user chose otherwise at this width.
class SidebarFold final : public QObject {
    Q_OBJECT
public:
    /// The panel owns the object.
    explicit SidebarFold(RunsPanel* panel);

    void setWindowWidth(int width);
    void unfold(); ///< as if the user had done it

private:
    void choose(bool folded);
    void apply();

    RunsPanel* m_panel;
    std::optional<bool> m_chosen; ///< the user's own choice at this width
    bool m_narrow = false;
};

} // namespace rankscope::ui
