// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/actions.h"

#include "widgets/theme/theme.h"

#include <QActionGroup>
#include <QRegularExpression>

namespace rankscope::ui {

namespace {

struct Row {
    Act act;
    const char* icon;
    QList<QKeySequence> keys;
    bool checkable = false;
};

/// Keys that lines, texts and lists take themselves: as keys of the window they would be taken from them.
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

QList<Row> table() {
    using K = QKeySequence;
    return {
        {Act::Open, "file", {K(Qt::CTRL | Qt::Key_O)}},
        {Act::OpenRun, "folder", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_O)}},
        {Act::CloseRun, "close", {K(Qt::CTRL | Qt::Key_W)}},
        {Act::Save, "save", {K(Qt::CTRL | Qt::Key_S)}},
        {Act::SaveAs, "", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}},
        {Act::Export, "export", {K(Qt::CTRL | Qt::Key_E)}},
        {Act::ExportRun, "", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}},
        {Act::ExportWeights, "", {}},
        {Act::ImportRun, "", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_I)}},
        {Act::Quit, "", {K(Qt::CTRL | Qt::Key_Q)}},
        {Act::Undo, "undo", {K(Qt::CTRL | Qt::Key_Z)}},
        {Act::Redo, "redo", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), K(Qt::CTRL | Qt::Key_Y)}},
        {Act::Cut, "", {}},
        {Act::Copy, "copy", {}},
        {Act::Paste, "", {}},
        {Act::SelectAll, "", {}},
        {Act::Search, "search", {K(Qt::Key_Slash), K(Qt::CTRL | Qt::Key_F)}},
        {Act::Launch, "play", {K(Qt::CTRL | Qt::Key_Return), K(Qt::CTRL | Qt::Key_Enter)}},
        {Act::Stop, "stop", {K(Qt::CTRL | Qt::Key_Period)}},
        {Act::StopNow, "stop-now", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Period), K(Qt::CTRL | Qt::Key_Greater)}},
        {Act::Resume, "resume", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_R)}},
        {Act::Relaunch, "relaunch", {K(Qt::CTRL | Qt::Key_R)}},
        {Act::PageConfigure, "gear", {K(Qt::CTRL | Qt::Key_1)}},
        {Act::PageReview, "plot", {K(Qt::CTRL | Qt::Key_2)}},
        {Act::PageTimeline, "timeline", {K(Qt::CTRL | Qt::Key_3)}},
        {Act::PageIncidents, "incident", {K(Qt::CTRL | Qt::Key_4)}},
        {Act::PageLogs, "log", {K(Qt::CTRL | Qt::Key_5)}},
        {Act::PageRuns, "runs", {K(Qt::CTRL | Qt::Key_6)}},
        {Act::ShowRuns, "sidebar", {K(Qt::CTRL | Qt::Key_B)}, true},
        {Act::ShowCards, "", {}, true},
        {Act::ShowText, "pane", {K(Qt::CTRL | Qt::Key_T)}, true},
        {Act::ShowLaunch, "", {}, true},
        {Act::ShowEnding, "", {}, true},
        {Act::ShowCheckpoints, "", {}, true},
        {Act::ShowStatus, "", {}, true},
        {Act::Notify, "", {}, true},
        {Act::ThemeSystem, "", {}, true},
        {Act::ThemeLight, "", {}, true}, // an icon would stand in the place of the mark of the chosen one
        {Act::ThemeDark, "", {}, true},
        {Act::LanguageEnglish, "", {}, true},
        {Act::LanguageChinese, "", {}, true},
        {Act::Follow, "follow", {K(Qt::Key_F)}, true},
        {Act::LogScale, "", {K(Qt::Key_L)}, true},
        {Act::Smoothing, "", {K(Qt::Key_S)}, true},
        {Act::NextAxis, "", {K(Qt::Key_X)}},
        {Act::StepAxis, "", {}, true},
        {Act::TimeAxis, "", {}, true},
        {Act::SampleAxis, "", {}, true},
        {Act::ZoomIn, "zoom-in", {K(Qt::Key_Plus), K(Qt::Key_Equal)}},
        {Act::ZoomOut, "zoom-out", {K(Qt::Key_Minus)}},
        {Act::ZoomAll, "", {K(Qt::CTRL | Qt::Key_0), K(Qt::Key_Home)}},
        {Act::PreviousIncident, "previous", {K(Qt::Key_BracketLeft)}},
        {Act::NextIncident, "next", {K(Qt::Key_BracketRight)}},
        {Act::AllRanks, "", {K(Qt::Key_0)}},
        {Act::ViewBack, "undo", {K(Qt::ALT | Qt::Key_Left)}},
        {Act::ViewForward, "redo", {K(Qt::ALT | Qt::Key_Right)}},
        {Act::Annotate, "", {K(Qt::Key_A)}},
        {Act::Guide, "file", {}},
        {Act::Commands, "search", {K(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}},
        {Act::Shortcuts, "keyboard", {K(Qt::Key_Question), K(Qt::Key_F1)}},
        {Act::Tour, "", {K(Qt::SHIFT | Qt::Key_F1)}},
        {Act::Welcome, "", {}},
        {Act::About, "info", {}},
    };
}

} // namespace

Actions::Actions(QObject* parent) : QObject(parent) {
    const auto make = [this](const Row& row) {
        auto* action = new QAction(this);
        if (*row.icon)
            action->setIcon(Theme::instance().icon(QLatin1String(row.icon)));
        action->setShortcuts(row.keys);
        action->setCheckable(row.checkable);
        // Qt would show keys of menus only where the menu is open; these work in the whole window
        action->setShortcutContext(Qt::WindowShortcut);
        action->setShortcutVisibleInContextMenu(true);
        m_actions[static_cast<std::size_t>(row.act)] = action;
    };
    for (const Row& row : table())
        make(row);
    for (int rank = 0; rank <= 9; ++rank)
        make({static_cast<Act>(static_cast<int>(Act::Solo0) + rank),
              "",
              {rank == 0 ? QKeySequence(Qt::ALT | Qt::Key_0) : QKeySequence(static_cast<Qt::Key>(Qt::Key_0 + rank))}});
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

void Actions::retranslate() {
    for (int i = 0; i < static_cast<int>(Act::Count); ++i) {
        const Act act = static_cast<Act>(i);
        QAction* action = (*this)[act];
        const QString widgetKey = keyOfWidget(act).toString(QKeySequence::NativeText);
        action->setText(widgetKey.isEmpty() ? text(act) : text(act) + u'\t' + widgetKey);
        QString tip = hint(act).isEmpty() ? plainText(text(act)) : hint(act);
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
