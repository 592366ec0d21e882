// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/close_questions.h"

#include "core/launch/run/run_folder.h"
#include "widgets/config/page/config_page.h"
#include "widgets/models/run/run_session.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPushButton>

namespace rankscope::ui {

namespace {

struct CloseQuestions {
    Q_DECLARE_TR_FUNCTIONS(CloseQuestions)
};

} // namespace

bool confirmQuit(const launch::RunInfo& run, bool* dontAsk, QWidget* window) {
    QMessageBox box(QMessageBox::NoIcon, CloseQuestions::tr("A run is still active"),
                    CloseQuestions::tr("%1 will keep running after you close the window.")
                        .arg(QString::fromStdString(run.name.empty() ? run.id : run.name)),
                    QMessageBox::NoButton, window);
    box.setObjectName(QStringLiteral("leavesRun"));
    box.setTextFormat(Qt::PlainText); // the name may be untrusted
    box.setInformativeText(
        CloseQuestions::tr("Start Rankscope again to watch it, or stop it there or in a terminal:\n%1")
            .arg(QStringLiteral("rankscopectl stop %1").arg(QString::fromStdString(run.id))));
    auto* told = new QCheckBox(CloseQuestions::tr("Do not show this again"), &box);
    box.setCheckBox(told);
    auto* quit = box.addButton(CloseQuestions::tr("Quit"), QMessageBox::AcceptRole);
    box.addButton(CloseQuestions::tr("Cancel"), QMessageBox::RejectRole);
    box.setDefaultButton(quit);
    box.exec();
    if (box.clickedButton() != quit)
        return false;
    *dontAsk = told->isChecked();
    return true;
}

bool confirmUnsaved(ConfigPage* page, QWidget* window) {
    QMessageBox box(QMessageBox::NoIcon, CloseQuestions::tr("Unsaved edits"),
                    CloseQuestions::tr("%1 has unsaved edits.").arg(page->file()->title()), QMessageBox::NoButton,
                    window);
    box.setTextFormat(Qt::PlainText); // the title may be untrusted
    auto* saving = box.addButton(CloseQuestions::tr("Save"), QMessageBox::AcceptRole);
    auto* discard = box.addButton(CloseQuestions::tr("Discard"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(CloseQuestions::tr("Cancel"), QMessageBox::RejectRole));
    box.exec();
    if (box.clickedButton() == saving)
        return page->save();
    if (box.clickedButton() != discard)
        return false;
    page->file()->dropDraft();
    return true;
}

bool confirmClose(const RunSession* session, ConfigPage* page, bool* quitTold, QWidget* window) {
    const bool running = session && session->view().nowNs != 0 && session->view().goneRealtimeNs == 0 &&
                         launch::isLive(session->view().info.state);
    // the end of the desktop session must not be delayed
    if (running && !*quitTold && window->isVisible() && !qGuiApp->isSavingSession() &&
        !confirmQuit(session->view().info, quitTold, window))
        return false;
    return !page->file()->hasUnkeptEdits() || confirmUnsaved(page, window);
}

} // namespace rankscope::ui
