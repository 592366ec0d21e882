// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QMap>
#include <QObject>

#include <array>

class QMenu;
class QMenuBar;

namespace rankscope::ui {

enum class ActionId {
    // file
    Open,
    OpenRun,
    ExplainLog,
    CloseRun,
    Save,
    SaveAs,
    Export,
    ExportRun,
    ExportWeights,
    ImportRun,
    Quit,
    // edit
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    SelectAll,
    Search,
    // run
    Launch,
    Watch,
    Stop,
    StopNow,
    Resume,
    Relaunch,
    // view
    PageConfigure,
    PageReview,
    PageTimeline,
    PageIncidents,
    PageLogs,
    PageRuns,
    PageExplain,
    ShowRuns,
    ShowCards,
    ShowText,
    ShowLaunch,
    ShowEnding,
    ShowCheckpoints,
    ShowAnnotations,
    ShowStatus,
    Notify,
    ThemeSystem,
    ThemeLight,
    ThemeDark,
    LanguageEnglish,
    LanguageChinese,
    // plots
    Follow,
    LogScale,
    Smoothing,
    NextAxis,
    StepAxis,
    TimeAxis,
    SampleAxis,
    ZoomIn,
    ZoomOut,
    ZoomAll,
    PreviousIncident,
    NextIncident,
    AllRanks,
    ViewBack,
    ViewForward,
    Annotate,
    Solo0,
    Solo1,
    Solo2,
    Solo3,
    Solo4,
    Solo5,
    Solo6,
    Solo7,
    Solo8,
    Solo9,
    // help
    Guide,
    Commands,
    Shortcuts,
    Tour,
    Welcome,
    About,
    Count
};

enum class ActionGroup { File, Edit, Run, View, Plots, Help };

/// The window's actions, triggered by menu or by key. Menus, the command palette and the list of shortcuts are built
/// from one table.
class Actions final : public QObject {
    Q_OBJECT
public:
    explicit Actions(QObject* parent);
    QAction* operator[](ActionId act) const { return m_actions[static_cast<std::size_t>(act)]; }
    QAction* solo(int rank) const { return (*this)[static_cast<ActionId>(static_cast<int>(ActionId::Solo0) + rank)]; }
    /// Calls `slot` with `context` as its receiver whenever the action is triggered.
    template <typename Receiver, typename Slot> void on(ActionId act, Receiver* context, Slot slot) const {
        QObject::connect((*this)[act], &QAction::triggered, context, slot);
    }
    static ActionGroup group(ActionId act);
    static QString groupTitle(ActionGroup group);
    /// Returns the heading above the action and its alternatives in their menu; empty if they have none.
    static QString heading(ActionId act);
    static QString tip(const QAction* action, ActionId act); ///< the tool tip, with the action's key
    static QString text(ActionId act);                       ///< the menu entry's text; "&" marks its mnemonic
    /// Adds a menu for each group, `recent` after "Open run folder", and adds the actions without a menu to the window.
    void fillMenuBar(QMenuBar* bar, QMenu* recent) const;
    void retranslate();

private:
    struct Row;
    static const QList<Row>& table();
    static QString hint(ActionId act); ///< text for its tool tip

    std::array<QAction*, static_cast<std::size_t>(ActionId::Count)> m_actions{};
    QMap<ActionId, QAction*> m_headings; ///< by the first action below
};

/// Returns a menu's text without its mnemonic, as for a button: from "&Save…" or "保存(&S)…".
QString plainText(const QString& menuText);

/// Returns an action's key as it is shown to the user: "Ctrl+O", "+". This includes the actions that use the focused
/// widget's own keys.
QString keyText(const QAction* action);

} // namespace rankscope::ui
