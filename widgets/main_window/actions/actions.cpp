// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/actions.h"

#include "widgets/theme/theme.h"

#include <QActionGroup>
#include <QMenuBar>
#include <QRegularExpression>

#include <utility>

namespace rankscope::ui {

namespace {

/// LineAbove: a separator comes before the action in its menu.
enum RowFlag { Checkable = 1, LineAbove = 2 };

/// Keys that line edits, text edits and lists handle themselves; as shortcuts of the window they would not get there.
QKeySequence keyOfWidget(Act act) {
    switch (act) {
    case Act::Cut:
        return QKeySequence::Cut;
    case Act::Copy:
        return QKeySequence::Copy;
    case Act::Paste:
        return QKeySequence::Paste;
    case Act::SelectAll:
        return QKeySequence::SelectAll;
    default:
        return {};
    }
}

} // namespace

struct Actions::Row {
    Act act;
    const char* icon; ///< of resources/icons; may be empty
    const char* text; ///< untranslated
    QList<QKeySequence> keys;
    int flags = 0;
};

const QList<Actions::Row>& Actions::table() {
    using K = QKeySequence;
    static const QList<Row> rows = [] {
        QList<Row> all{
            {Act::Open, "file", QT_TR_NOOP("&Open recipe…"), {K(Qt::CTRL | Qt::Key_O)}},
            {Act::OpenRun, "folder", QT_TR_NOOP("Open &run folder…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_O)}},
            {Act::CloseRun, "close", QT_TR_NOOP("&Close run"), {K(Qt::CTRL | Qt::Key_W)}, LineAbove},
            {Act::Save, "save", QT_TR_NOOP("&Save"), {K(Qt::CTRL | Qt::Key_S)}, LineAbove},
            {Act::SaveAs, "", QT_TR_NOOP("Save &as…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}},
            {Act::Export, "export", QT_TR_NOOP("&Export plots…"), {K(Qt::CTRL | Qt::Key_E)}, LineAbove},
            {Act::ExportRun, "", QT_TR_NOOP("Export ru&n…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}},
            {Act::ExportWeights, "", QT_TR_NOOP("Export &weights…"), {}},
            {Act::ImportRun, "", QT_TR_NOOP("&Import run…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_I)}},
            {Act::Quit, "", QT_TR_NOOP("&Quit"), {K(Qt::CTRL | Qt::Key_Q)}, LineAbove},
            {Act::Undo, "undo", QT_TR_NOOP("&Undo"), {K(Qt::CTRL | Qt::Key_Z)}},
            {Act::Redo, "redo", QT_TR_NOOP("&Redo"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), K(Qt::CTRL | Qt::Key_Y)}},
            {Act::Cut, "", QT_TR_NOOP("Cu&t"), {}, LineAbove},
            {Act::Copy, "copy", QT_TR_NOOP("&Copy"), {}},
            {Act::Paste, "", QT_TR_NOOP("&Paste"), {}},
            {Act::SelectAll, "", QT_TR_NOOP("Select &all"), {}},
            {Act::Search, "search", QT_TR_NOOP("&Search"), {K(Qt::Key_Slash), K(Qt::CTRL | Qt::Key_F)}, LineAbove},
            {Act::Launch, "play", QT_TR_NOOP("&Launch"), {K(Qt::CTRL | Qt::Key_Return), K(Qt::CTRL | Qt::Key_Enter)}},
            {Act::Stop, "stop", QT_TR_NOOP("&Stop"), {K(Qt::CTRL | Qt::Key_Period)}, LineAbove},
            {Act::StopNow,
             "stop-now",
             QT_TR_NOOP("Stop &now"),
             {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Period), K(Qt::CTRL | Qt::Key_Greater)}},
            {Act::Resume, "resume", QT_TR_NOOP("&Resume"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_R)}},
            {Act::Relaunch, "relaunch", QT_TR_NOOP("Relaunch with &changes"), {K(Qt::CTRL | Qt::Key_R)}},
            {Act::PageConfigure, "gear", QT_TR_NOOP("&Configure"), {K(Qt::CTRL | Qt::Key_1)}},
            {Act::PageReview, "plot", QT_TR_NOOP("&Review"), {K(Qt::CTRL | Qt::Key_2)}},
            {Act::PageTimeline, "timeline", QT_TR_NOOP("&Timeline"), {K(Qt::CTRL | Qt::Key_3)}},
            {Act::PageIncidents, "incident", QT_TR_NOOP("&Incidents"), {K(Qt::CTRL | Qt::Key_4)}},
            {Act::PageLogs, "log", QT_TR_NOOP("&Logs"), {K(Qt::CTRL | Qt::Key_5)}},
            {Act::PageRuns, "runs", QT_TR_NOOP("R&uns"), {K(Qt::CTRL | Qt::Key_6)}},
            {Act::ShowRuns, "sidebar", QT_TR_NOOP("List of &runs"), {K(Qt::CTRL | Qt::Key_B)}, Checkable | LineAbove},
            {Act::ShowCards, "", QT_TR_NOOP("&Decisive settings"), {}, Checkable},
            {Act::ShowText, "pane", QT_TR_NOOP("&YAML text"), {K(Qt::CTRL | Qt::Key_T)}, Checkable},
            {Act::ShowLaunch, "", QT_TR_NOOP("Launch &panel"), {}, Checkable},
            {Act::ShowEnding, "", QT_TR_NOOP("How the run &ended"), {}, Checkable},
            {Act::ShowCheckpoints, "", QT_TR_NOOP("Chec&kpoints"), {}, Checkable},
            {Act::ShowStatus, "", QT_TR_NOOP("&Status messages"), {}, Checkable},
            {Act::Notify, "", QT_TR_NOOP("&Notify when an incident opens"), {}, Checkable | LineAbove},
            // no icons: they would replace the check mark of the chosen entry
            {Act::ThemeSystem, "", QT_TR_NOOP("Follow the &system"), {}, Checkable | LineAbove},
            {Act::ThemeLight, "", QT_TR_NOOP("&Light"), {}, Checkable},
            {Act::ThemeDark, "", QT_TR_NOOP("&Dark"), {}, Checkable},
            // each in its own language
            {Act::LanguageEnglish, "", "English", {}, Checkable | LineAbove},
            {Act::LanguageChinese, "", "简体中文", {}, Checkable},
            {Act::Follow, "follow", QT_TR_NOOP("&Follow the newest step"), {K(Qt::Key_F)}, Checkable},
            {Act::LogScale, "", QT_TR_NOOP("&Logarithmic scale"), {K(Qt::Key_L)}, Checkable},
            {Act::Smoothing, "", QT_TR_NOOP("&Smoothing"), {K(Qt::Key_S)}, Checkable},
            {Act::NextAxis, "", QT_TR_NOOP("Next &x axis: steps, time, samples"), {K(Qt::Key_X)}},
            {Act::StepAxis, "", QT_TR_NOOP("X axis in st&eps"), {}, Checkable},
            {Act::TimeAxis, "", QT_TR_NOOP("X axis in ti&me"), {}, Checkable},
            {Act::SampleAxis, "", QT_TR_NOOP("X axis in samples see&n"), {}, Checkable},
            {Act::ZoomIn, "zoom-in", QT_TR_NOOP("Zoom &in"), {K(Qt::Key_Plus), K(Qt::Key_Equal)}, LineAbove},
            {Act::ZoomOut, "zoom-out", QT_TR_NOOP("Zoom &out"), {K(Qt::Key_Minus)}},
            {Act::ZoomAll, "", QT_TR_NOOP("&Whole run"), {K(Qt::CTRL | Qt::Key_0), K(Qt::Key_Home)}},
            {Act::PreviousIncident, "previous", QT_TR_NOOP("&Previous incident"), {K(Qt::Key_BracketLeft)}, LineAbove},
            {Act::NextIncident, "next", QT_TR_NOOP("&Next incident"), {K(Qt::Key_BracketRight)}},
            {Act::AllRanks, "", QT_TR_NOOP("Show &all ranks (twice: the whole run)"), {K(Qt::Key_0)}, LineAbove},
            {Act::ViewBack, "undo", QT_TR_NOOP("Previo&us view"), {K(Qt::ALT | Qt::Key_Left)}, LineAbove},
            {Act::ViewForward, "redo", QT_TR_NOOP("Next &view"), {K(Qt::ALT | Qt::Key_Right)}},
            {Act::Annotate, "", QT_TR_NOOP("Anno&tate a step…"), {K(Qt::Key_A)}},
            {Act::Guide, "file", QT_TR_NOOP("&Guide"), {}},
            {Act::Commands,
             "search",
             QT_TR_NOOP("&Command palette…"),
             {K(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
             LineAbove},
            {Act::Shortcuts, "keyboard", QT_TR_NOOP("&Keyboard shortcuts"), {K(Qt::Key_Question), K(Qt::Key_F1)}},
            {Act::Tour, "", QT_TR_NOOP("&Tour"), {K(Qt::SHIFT | Qt::Key_F1)}, LineAbove},
            {Act::Welcome, "", QT_TR_NOOP("&Welcome page"), {}},
            {Act::About, "info", QT_TR_NOOP("&About Rankscope"), {}, LineAbove},
        };
        for (int rank = 0; rank <= 9; ++rank)
            all.insert(static_cast<int>(Act::Solo0) + rank,
                       {static_cast<Act>(static_cast<int>(Act::Solo0) + rank),
                        "",
                        QT_TR_NOOP("Only rank %1"),
                        {rank == 0 ? K(Qt::ALT | Qt::Key_0) : K(static_cast<Qt::Key>(Qt::Key_0 + rank))}});
        return all;
    }();
    return rows;
}

Actions::Actions(QObject* parent) : QObject(parent) {
    for (const Row& row : table()) {
        auto* action = new QAction(this);
        if (*row.icon)
            action->setIcon(Theme::instance().icon(QLatin1String(row.icon)));
        action->setShortcuts(row.keys);
        action->setCheckable(row.flags & Checkable);
        // the shortcuts work in the whole window, not only while the menu is open
        action->setShortcutContext(Qt::WindowShortcut);
        action->setShortcutVisibleInContextMenu(true);
        m_actions[static_cast<std::size_t>(row.act)] = action;
    }
    for (const auto& set : {QList<Act>{Act::ThemeSystem, Act::ThemeLight, Act::ThemeDark},
                            QList<Act>{Act::LanguageEnglish, Act::LanguageChinese},
                            QList<Act>{Act::StepAxis, Act::TimeAxis, Act::SampleAxis}}) {
        auto* exclusive = new QActionGroup(this);
        for (Act act : set)
            exclusive->addAction((*this)[act]);
    }
    retranslate();
}

Group Actions::group(Act act) {
    if (act <= Act::Quit)
        return Group::File;
    if (act <= Act::Search)
        return Group::Edit;
    if (act <= Act::Relaunch)
        return Group::Run;
    if (act <= Act::LanguageChinese)
        return Group::View;
    return act <= Act::Solo9 ? Group::Plots : Group::Help;
}

QString Actions::groupTitle(Group group) {
    static constexpr const char* titles[] = {QT_TR_NOOP("&File"), QT_TR_NOOP("&Edit"),  QT_TR_NOOP("&Run"),
                                             QT_TR_NOOP("&View"), QT_TR_NOOP("&Plots"), QT_TR_NOOP("&Help")};
    return tr(titles[static_cast<int>(group)]);
}

QString Actions::text(Act act) {
    const QString text = tr(table()[static_cast<int>(act)].text);
    return act >= Act::Solo0 && act <= Act::Solo9 ? text.arg(static_cast<int>(act) - static_cast<int>(Act::Solo0))
                                                  : text;
}

void Actions::fillMenuBar(QMenuBar* bar, QMenu* recent) const {
    QMenu* menu = nullptr;
    Group shown = Group::Help;
    for (const Row& row : table()) {
        if (!menu || group(row.act) != shown) {
            shown = group(row.act);
            menu = bar->addMenu(groupTitle(shown));
            menu->setToolTipsVisible(false);
        }
        if (row.flags & LineAbove)
            menu->addSeparator();
        QAction* action = (*this)[row.act];
        if (row.act >= Act::Solo0 && row.act <= Act::Solo9)
            bar->window()->addAction(action); // by key only: a menu of ten ranks would be of no use
        else
            menu->addAction(action);
        if (row.act == Act::OpenRun)
            menu->addMenu(recent);
    }
}

QString Actions::hint(Act act) {
    static constexpr std::pair<Act, const char*> hints[] = {
        {Act::CloseRun, QT_TR_NOOP("Close the open run; a live run keeps running")},
        {Act::Export, QT_TR_NOOP("Save the current plots as PNG, SVG or PDF")},
        {Act::Search, QT_TR_NOOP("Search this page")},
        {Act::Stop, QT_TR_NOOP("All ranks stop together after the current step")},
        {Act::StopNow, QT_TR_NOOP("End all ranks at once; work since the last checkpoint is lost")},
        {Act::Resume, QT_TR_NOOP("Continue from the newest checkpoint, as a new run")},
        {Act::Relaunch, QT_TR_NOOP("Open a copy of this run's recipe in Configure")},
        {Act::Commands, QT_TR_NOOP("Find any command by name")},
        {Act::Tour, QT_TR_NOOP("A two-minute tour of a recorded run that stalled")},
        {Act::Guide, QT_TR_NOOP("The guide that comes with the program; works offline")},
    };
    for (const auto& [hinted, hint] : hints)
        if (hinted == act)
            return tr(hint);
    return plainText(text(act));
}

void Actions::retranslate() {
    for (const Row& row : table()) {
        QAction* action = (*this)[row.act];
        const QString widgetKey = keyOfWidget(row.act).toString(QKeySequence::NativeText);
        action->setText(widgetKey.isEmpty() ? text(row.act) : text(row.act) + u'\t' + widgetKey);
        QString tip = hint(row.act);
        if (!keyText(action).isEmpty())
            tip += QStringLiteral(" (%1)").arg(keyText(action));
        action->setToolTip(tip);
        action->setStatusTip(QString());
    }
}

QString plainText(const QString& menuText) {
    static const QRegularExpression behind(QStringLiteral("\\(&.\\)"));
    return QString(menuText).remove(behind).remove(QLatin1Char('&'));
}

QString keyText(const QAction* action) {
    const QString ofWidget = action->text().section(u'\t', 1);
    return ofWidget.isEmpty() ? action->shortcut().toString(QKeySequence::NativeText) : ofWidget;
}

} // namespace rankscope::ui
