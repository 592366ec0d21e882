// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/actions.h"

namespace rankscope::ui {

QString Actions::groupTitle(Group group) {
    switch (group) {
    case Group::File:
        return tr("&File");
    case Group::Edit:
        return tr("&Edit");
    case Group::Run:
        return tr("&Run");
    case Group::View:
        return tr("&View");
    case Group::Plots:
        return tr("&Plots");
    case Group::Help:
        break;
    }
    return tr("&Help");
}

static QString plotText(Act act) {
    switch (act) {
    case Act::Follow:
        return Actions::tr("&Follow the newest step");
    case Act::LogScale:
        return Actions::tr("&Logarithmic scale");
    case Act::Smoothing:
        return Actions::tr("&Smoothing");
    case Act::NextAxis:
        return Actions::tr("Next &x axis: steps, time, samples");
    case Act::StepAxis:
        return Actions::tr("X axis in st&eps");
    case Act::TimeAxis:
        return Actions::tr("X axis in ti&me");
    case Act::SampleAxis:
        return Actions::tr("X axis in samples see&n");
    case Act::ZoomIn:
        return Actions::tr("Zoom &in");
    case Act::ZoomOut:
        return Actions::tr("Zoom &out");
    case Act::ZoomAll:
        return Actions::tr("&Whole run");
    case Act::PreviousIncident:
        return Actions::tr("&Previous incident");
    case Act::NextIncident:
        return Actions::tr("&Next incident");
    case Act::AllRanks:
        return Actions::tr("&All ranks (twice: whole run)");
    case Act::ViewBack:
        return Actions::tr("Previo&us view");
    case Act::ViewForward:
        return Actions::tr("Next &view");
    case Act::Annotate:
        return Actions::tr("Anno&tate a step…");
    default:
        return Actions::tr("Only rank %1").arg(static_cast<int>(act) - static_cast<int>(Act::Solo0));
    }
}

static QString viewText(Act act) {
    switch (act) {
    case Act::PageConfigure:
        return Actions::tr("&Configure");
    case Act::PageReview:
        return Actions::tr("&Review");
    case Act::PageTimeline:
        return Actions::tr("&Timeline");
    case Act::PageIncidents:
        return Actions::tr("&Incidents");
    case Act::PageLogs:
        return Actions::tr("&Logs");
    case Act::PageRuns:
        return Actions::tr("R&uns");
    case Act::ShowRuns:
        return Actions::tr("List of &runs");
    case Act::ShowCards:
        return Actions::tr("&Decisive settings");
    case Act::ShowText:
        return Actions::tr("&YAML text");
    case Act::ShowLaunch:
        return Actions::tr("Launch &panel");
    case Act::ShowEnding:
        return Actions::tr("How the run &ended");
    case Act::ShowCheckpoints:
        return Actions::tr("Chec&kpoints");
    case Act::ShowStatus:
        return Actions::tr("&Status messages");
    case Act::Notify:
        return Actions::tr("&Notify when an incident opens");
    case Act::ThemeSystem:
        return Actions::tr("Follow the &system");
    case Act::ThemeLight:
        return Actions::tr("&Light");
    case Act::ThemeDark:
        return Actions::tr("&Dark");
    case Act::LanguageEnglish:
        return QStringLiteral("English"); // each in its own language
    default:
        return QStringLiteral("简体中文");
    }
}

QString Actions::text(Act act) {
    switch (act) {
    case Act::Open:
        return tr("&Open recipe…");
    case Act::OpenRun:
        return tr("Open &run folder…");
    case Act::CloseRun:
        return tr("&Close run");
    case Act::Save:
        return tr("&Save");
    case Act::SaveAs:
        return tr("Save &as…");
    case Act::ExportRun:
        return Actions::tr("Export ru&n…");
    case Act::ExportWeights:
        return Actions::tr("Export &weights…");
    case Act::ImportRun:
        return Actions::tr("&Import run…");
    case Act::Export:
        return tr("&Export plots…");
    case Act::Quit:
        return tr("&Quit");
    case Act::Undo:
        return tr("&Undo");
    case Act::Redo:
        return tr("&Redo");
    case Act::Cut:
        return tr("Cu&t");
    case Act::Copy:
        return tr("&Copy");
    case Act::Paste:
        return tr("&Paste");
    case Act::SelectAll:
        return tr("Select &all");
    case Act::Search:
        return tr("&Search");
    case Act::Launch:
        return tr("&Launch");
    case Act::Stop:
        return tr("&Stop");
    case Act::StopNow:
        return tr("Stop &now");
    case Act::Resume:
        return tr("&Resume");
    case Act::Relaunch:
        return tr("Relaunch with &change");
    case Act::Guide:
        return tr("&Guide");
    case Act::Commands:
        return tr("&Command palette…");
    case Act::Shortcuts:
        return tr("&Keys");
    case Act::Tour:
        return tr("&Tour");
    case Act::Welcome:
        return tr("&Welcome page");
    case Act::About:
        return tr("&About Rankscope");
    default:
        return group(act) == Group::View ? viewText(act) : plotText(act);
    }
}

QString Actions::hint(Act act) {
    switch (act) {
    case Act::Stop:
        return tr("All ranks stop together after the current step");
    case Act::StopNow:
        return tr("End all ranks at once; work since the last checkpoint is lost");
    case Act::Resume:
        return tr("Continue from the newest checkpoint, as a new run");
    case Act::Relaunch:
        return tr("Open this run's recipe as a copy in Configure");
    case Act::Search:
        return tr("Search this page");
    case Act::CloseRun:
        return tr("Close the open run; a live run goes on");
    case Act::Guide:
        return tr("The guide that came with the program; works offline");
    case Act::Commands:
        return tr("Find any action of the window by name");
    case Act::Export:
        return tr("Save the current plots as PNG, SVG or PDF");
    case Act::Tour:
        return tr("Two minutes with the recording of a run that stalled");
    default:
        return {};
    }
}

} // namespace rankscope::ui
