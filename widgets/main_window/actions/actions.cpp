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

/// Keys that line edits, text edits and lists handle themselves; as window shortcuts they would never reach them.
QKeySequence keyOfWidget(ActionId act) {
    switch (act) {
    case ActionId::Cut:
        return QKeySequence::Cut;
    case ActionId::Copy:
        return QKeySequence::Copy;
    case ActionId::Paste:
        return QKeySequence::Paste;
    case ActionId::SelectAll:
        return QKeySequence::SelectAll;
    default:
        return {};
    }
}

} // namespace

struct Actions::Row {
    ActionId act;
    const char* icon; ///< of resources/icons; may be empty
    const char* text; ///< untranslated
    QList<QKeySequence> keys;
    int flags = 0;
};

const QList<Actions::Row>& Actions::table() {
    using K = QKeySequence;
    static const QList<Row> rows = [] {
        QList<Row> all{
            {ActionId::Open, "file", QT_TR_NOOP("&Open recipe…"), {K(Qt::CTRL | Qt::Key_O)}},
            {ActionId::OpenRun, "folder", QT_TR_NOOP("Open &run folder…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_O)}},
            {ActionId::ExplainLog, "log", QT_TR_NOOP("Explain a &log…"), {K(Qt::CTRL | Qt::Key_L)}},
            {ActionId::CloseRun, "close", QT_TR_NOOP("&Close run"), {K(Qt::CTRL | Qt::Key_W)}, LineAbove},
            {ActionId::Save, "save", QT_TR_NOOP("&Save"), {K(Qt::CTRL | Qt::Key_S)}, LineAbove},
            {ActionId::SaveAs, "", QT_TR_NOOP("Save &as…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}},
            {ActionId::Export, "export", QT_TR_NOOP("&Export plots…"), {K(Qt::CTRL | Qt::Key_E)}, LineAbove},
            {ActionId::ExportRun, "", QT_TR_NOOP("Export ru&n…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}},
            {ActionId::ExportWeights, "", QT_TR_NOOP("Export &weights…"), {}},
            {ActionId::ImportRun, "", QT_TR_NOOP("&Import run…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_I)}},
            {ActionId::Quit, "", QT_TR_NOOP("&Quit"), {K(Qt::CTRL | Qt::Key_Q)}, LineAbove},
            {ActionId::Undo, "undo", QT_TR_NOOP("&Undo"), {K(Qt::CTRL | Qt::Key_Z)}},
            {ActionId::Redo,
             "redo",
             QT_TR_NOOP("&Redo"),
             {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), K(Qt::CTRL | Qt::Key_Y)}},
            {ActionId::Cut, "", QT_TR_NOOP("Cu&t"), {}, LineAbove},
            {ActionId::Copy, "copy", QT_TR_NOOP("&Copy"), {}},
            {ActionId::Paste, "", QT_TR_NOOP("&Paste"), {}},
            {ActionId::SelectAll, "", QT_TR_NOOP("Select &all"), {}},
            {ActionId::Search, "search", QT_TR_NOOP("&Search"), {K(Qt::Key_Slash), K(Qt::CTRL | Qt::Key_F)}, LineAbove},
            {ActionId::Launch,
             "play",
             QT_TR_NOOP("&Launch"),
             {K(Qt::CTRL | Qt::Key_Return), K(Qt::CTRL | Qt::Key_Enter)}},
            {ActionId::Watch, "watch", QT_TR_NOOP("&Watch a command…"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_W)}},
            {ActionId::Stop, "stop", QT_TR_NOOP("&Stop"), {K(Qt::CTRL | Qt::Key_Period)}, LineAbove},
            {ActionId::StopNow,
             "stop-now",
             QT_TR_NOOP("Stop &now"),
             {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Period), K(Qt::CTRL | Qt::Key_Greater)}},
            {ActionId::Resume, "resume", QT_TR_NOOP("&Resume"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_R)}},
            {ActionId::Relaunch, "relaunch", QT_TR_NOOP("Relaunch with &changes"), {K(Qt::CTRL | Qt::Key_R)}},
            {ActionId::PageConfigure, "gear", QT_TR_NOOP("&Configure"), {K(Qt::CTRL | Qt::Key_1)}},
            {ActionId::PageReview, "plot", QT_TR_NOOP("&Review"), {K(Qt::CTRL | Qt::Key_2)}},
            {ActionId::PageTimeline, "timeline", QT_TR_NOOP("&Timeline"), {K(Qt::CTRL | Qt::Key_3)}},
            {ActionId::PageIncidents, "incident", QT_TR_NOOP("&Incidents"), {K(Qt::CTRL | Qt::Key_4)}},
            {ActionId::PageLogs, "log", QT_TR_NOOP("&Logs"), {K(Qt::CTRL | Qt::Key_5)}},
            {ActionId::PageRuns, "runs", QT_TR_NOOP("R&uns"), {K(Qt::CTRL | Qt::Key_6)}},
            {ActionId::PageExplain, "search", QT_TR_NOOP("E&xplain"), {K(Qt::CTRL | Qt::Key_7)}},
            {ActionId::ShowRuns,
             "sidebar",
             QT_TR_NOOP("List &of runs"),
             {K(Qt::CTRL | Qt::Key_B)},
             Checkable | LineAbove},
            {ActionId::ShowCards, "", QT_TR_NOOP("&Decisive settings"), {}, Checkable},
            {ActionId::ShowText, "pane", QT_TR_NOOP("&YAML text"), {K(Qt::CTRL | Qt::Key_T)}, Checkable},
            {ActionId::ShowLaunch, "", QT_TR_NOOP("Launch &panel"), {}, Checkable},
            {ActionId::ShowEnding, "", QT_TR_NOOP("How the run &ended"), {}, Checkable},
            {ActionId::ShowCheckpoints, "", QT_TR_NOOP("Chec&kpoints"), {}, Checkable},
            {ActionId::ShowAnnotations, "", QT_TR_NOOP("A&nnotations"), {}, Checkable},
            {ActionId::ShowStatus, "", QT_TR_NOOP("&Status messages"), {}, Checkable},
            {ActionId::Notify, "", QT_TR_NOOP("Notify &when an incident opens"), {}, Checkable | LineAbove},
            {ActionId::ThemeSystem, "", QT_TR_NOOP("&Follow the system"), {}, Checkable},
            {ActionId::ThemeLight, "", QT_TR_NOOP("Li&ght"), {}, Checkable},
            {ActionId::ThemeDark, "", QT_TR_NOOP("D&ark"), {}, Checkable},
            // each in its own language
            {ActionId::LanguageEnglish, "", "English", {}, Checkable},
            {ActionId::LanguageChinese, "", "简体中文", {}, Checkable},
            {ActionId::Follow, "follow", QT_TR_NOOP("&Follow the newest step"), {K(Qt::Key_F)}, Checkable},
            {ActionId::LogScale, "", QT_TR_NOOP("&Logarithmic scale"), {K(Qt::Key_L)}, Checkable},
            {ActionId::Smoothing, "", QT_TR_NOOP("&Smoothing"), {K(Qt::Key_S)}, Checkable},
            {ActionId::NextAxis, "", QT_TR_NOOP("Next &x axis: steps, time, samples"), {K(Qt::Key_X)}},
            {ActionId::StepAxis, "", QT_TR_NOOP("X axis in st&eps"), {}, Checkable},
            {ActionId::TimeAxis, "", QT_TR_NOOP("X axis in ti&me"), {}, Checkable},
            {ActionId::SampleAxis, "", QT_TR_NOOP("X axis in samples see&n"), {}, Checkable},
            {ActionId::ZoomIn, "zoom-in", QT_TR_NOOP("Zoom &in"), {K(Qt::Key_Plus), K(Qt::Key_Equal)}, LineAbove},
            {ActionId::ZoomOut, "zoom-out", QT_TR_NOOP("Zoom &out"), {K(Qt::Key_Minus)}},
            {ActionId::ZoomAll, "", QT_TR_NOOP("&Whole run"), {K(Qt::CTRL | Qt::Key_0), K(Qt::Key_Home)}},
            {ActionId::PreviousIncident,
             "previous",
             QT_TR_NOOP("&Previous incident"),
             {K(Qt::Key_BracketLeft)},
             LineAbove},
            {ActionId::NextIncident, "next", QT_TR_NOOP("Next in&cident"), {K(Qt::Key_BracketRight)}},
            {ActionId::AllRanks, "", QT_TR_NOOP("Show &all ranks (twice: the whole run)"), {K(Qt::Key_0)}, LineAbove},
            {ActionId::ViewBack, "undo", QT_TR_NOOP("Previo&us view"), {K(Qt::ALT | Qt::Key_Left)}, LineAbove},
            {ActionId::ViewForward, "redo", QT_TR_NOOP("Next &view"), {K(Qt::ALT | Qt::Key_Right)}},
            {ActionId::Annotate, "", QT_TR_NOOP("Anno&tate a step…"), {K(Qt::Key_A)}},
            {ActionId::Guide, "file", QT_TR_NOOP("&Guide"), {}},
            {ActionId::Commands,
             "search",
             QT_TR_NOOP("&Command palette…"),
             {K(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
             LineAbove},
            {ActionId::Shortcuts, "keyboard", QT_TR_NOOP("&Keyboard shortcuts"), {K(Qt::Key_Question), K(Qt::Key_F1)}},
            {ActionId::Tour, "", QT_TR_NOOP("&Tour"), {K(Qt::SHIFT | Qt::Key_F1)}, LineAbove},
            {ActionId::Welcome, "", QT_TR_NOOP("&Welcome page"), {}},
            {ActionId::About, "info", QT_TR_NOOP("&About Rankscope"), {}, LineAbove},
        };
        for (int rank = 0; rank <= 9; ++rank)
            all.insert(static_cast<int>(ActionId::Solo0) + rank,
                       {static_cast<ActionId>(static_cast<int>(ActionId::Solo0) + rank),
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
        action->setIconVisibleInMenu(!action->isCheckable()); // an icon would replace the check mark
        // the shortcuts work in the whole window, not only while the menu is open
        action->setShortcutContext(Qt::WindowShortcut);
        action->setShortcutVisibleInContextMenu(true);
        m_actions[static_cast<std::size_t>(row.act)] = action;
    }
    for (const auto& set : {QList<ActionId>{ActionId::ThemeSystem, ActionId::ThemeLight, ActionId::ThemeDark},
                            QList<ActionId>{ActionId::LanguageEnglish, ActionId::LanguageChinese},
                            QList<ActionId>{ActionId::StepAxis, ActionId::TimeAxis, ActionId::SampleAxis}}) {
        auto* exclusive = new QActionGroup(this);
        for (ActionId act : set)
            exclusive->addAction((*this)[act]);
        if (heading(set.front()).isEmpty())
            continue;
        auto* title = new QAction(this);
        title->setSeparator(true); // with a text it is a section's title
        m_headings.insert(set.front(), title);
    }
    retranslate();
}

ActionGroup Actions::group(ActionId act) {
    if (act <= ActionId::Quit)
        return ActionGroup::File;
    if (act <= ActionId::Search)
        return ActionGroup::Edit;
    if (act <= ActionId::Relaunch)
        return ActionGroup::Run;
    if (act <= ActionId::LanguageChinese)
        return ActionGroup::View;
    return act <= ActionId::Solo9 ? ActionGroup::Plots : ActionGroup::Help;
}

QString Actions::groupTitle(ActionGroup group) {
    static constexpr const char* titles[] = {QT_TR_NOOP("&File"), QT_TR_NOOP("&Edit"),  QT_TR_NOOP("&Run"),
                                             QT_TR_NOOP("&View"), QT_TR_NOOP("&Plots"), QT_TR_NOOP("&Help")};
    return tr(titles[static_cast<int>(group)]);
}

QString Actions::heading(ActionId act) {
    if (act >= ActionId::ThemeSystem && act <= ActionId::ThemeDark)
        return tr("Theme");
    return act >= ActionId::LanguageEnglish && act <= ActionId::LanguageChinese ? tr("Language") : QString();
}

QString Actions::text(ActionId act) {
    const QString text = tr(table()[static_cast<int>(act)].text);
    return act >= ActionId::Solo0 && act <= ActionId::Solo9
               ? text.arg(static_cast<int>(act) - static_cast<int>(ActionId::Solo0))
               : text;
}

void Actions::fillMenuBar(QMenuBar* bar, QMenu* recent) const {
    QMenu* menu = nullptr;
    ActionGroup shown = ActionGroup::Help;
    for (const Row& row : table()) {
        if (!menu || group(row.act) != shown) {
            shown = group(row.act);
            menu = bar->addMenu(groupTitle(shown));
            menu->setToolTipsVisible(false);
        }
        if (QAction* title = m_headings.value(row.act))
            menu->addAction(title);
        else if (row.flags & LineAbove)
            menu->addSeparator();
        QAction* action = (*this)[row.act];
        if (row.act >= ActionId::Solo0 && row.act <= ActionId::Solo9)
            bar->window()->addAction(action); // by key only: a menu of ten ranks would be of no use
        else
            menu->addAction(action);
        if (row.act == ActionId::OpenRun)
            menu->addMenu(recent);
    }
}

QString Actions::hint(ActionId act) {
    static constexpr std::pair<ActionId, const char*> hints[] = {
        {ActionId::CloseRun, QT_TR_NOOP("Close the open run; a live run keeps running")},
        {ActionId::ExplainLog, QT_TR_NOOP("Say from its logs and dumps why a run hung, whatever trained it")},
        {ActionId::Export, QT_TR_NOOP("Save the current plots as PNG, SVG or PDF")},
        {ActionId::Search, QT_TR_NOOP("Search this page")},
        {ActionId::Watch, QT_TR_NOOP("Start your own program that trains with PyTorch, and watch its ranks")},
        {ActionId::Stop, QT_TR_NOOP("All ranks stop together after the current step")},
        {ActionId::StopNow, QT_TR_NOOP("End all ranks at once; work since the last checkpoint is lost")},
        {ActionId::Resume, QT_TR_NOOP("Continue from the newest checkpoint, as a new run")},
        {ActionId::Relaunch, QT_TR_NOOP("Open a copy of this run's recipe in Configure")},
        {ActionId::Commands, QT_TR_NOOP("Find any command by name")},
        {ActionId::Tour, QT_TR_NOOP("A two-minute tour of a recorded run that stalled")},
        {ActionId::Guide, QT_TR_NOOP("The guide that comes with the program; works offline")},
    };
    for (const auto& [hinted, hint] : hints)
        if (hinted == act)
            return tr(hint);
    return plainText(text(act));
}

QString Actions::tip(const QAction* action, ActionId act) {
    const QString key = keyText(action);
    return key.isEmpty() ? hint(act) : hint(act) + QStringLiteral(" (%1)").arg(key);
}

void Actions::retranslate() {
    for (const Row& row : table()) {
        QAction* action = (*this)[row.act];
        const QString widgetKey = keyOfWidget(row.act).toString(QKeySequence::NativeText);
        action->setText(widgetKey.isEmpty() ? text(row.act) : text(row.act) + u'\t' + widgetKey);
        action->setToolTip(tip(action, row.act));
        action->setStatusTip(QString());
    }
    for (auto it = m_headings.cbegin(); it != m_headings.cend(); ++it)
        it.value()->setText(heading(it.key()));
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
