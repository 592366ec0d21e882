// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that the window can do, by menu and by key; the list of keys is made from the same table.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>

#include <array>

namespace rankscope::ui {

enum class Act {
    // file
    Open,
    OpenRun,
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
    ShowRuns,
    ShowCards,
    ShowText,
    ShowLaunch,
    ShowEnding,
    ShowCheckpoints,
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

enum class Group { File, Edit, Run, View, Plots, Help };

class Actions final : public QObject {
    Q_OBJECT
public:
    explicit Actions(QObject* parent);
    QAction* operator[](Act act) const { return m_actions[static_cast<std::size_t>(act)]; }
    QAction* solo(int rank) const { return (*this)[static_cast<Act>(static_cast<int>(Act::Solo0) + rank)]; }
    static Group group(Act act);
    static QString groupTitle(Group group);
    /// What stands in the menu; "&" marks its mnemonic.
    static QString text(Act act);
    static QString hint(Act act); ///< for tool tips and the status bar; may be empty
    void retranslate();

private:
    std::array<QAction*, static_cast<std::size_t>(Act::Count)> m_actions{};
};

/// A menu's text without its mnemonic: "&Save…" and "保存(&S)…" as they stand on a button.
QString plainText(const QString& menuText);

/// A key as it is written for people: "Ctrl+O", "+". Also of the actions that act by the focused widget's own keys.
QString keyText(const QAction* action);

} // namespace rankscope::ui
