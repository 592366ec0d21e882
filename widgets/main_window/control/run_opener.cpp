// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/run_opener.h"

#include "core/launch/run/run_folder.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/models/run/run_session.h"

#include <QFileInfo>

#include <utility>

namespace rankscope::ui {

RunOpener::RunOpener(QString runsDir, NoticeStrip* notices) : m_runsDir(std::move(runsDir)), m_notices(notices) {}

RunOpener::~RunOpener() = default;

QString RunOpener::dir() const {
    return m_session ? QString::fromStdString(m_session->run().dir.string()) : QString();
}

bool RunOpener::open(const QString& what) {
    launch::RunPaths run{what.toStdString()};
    if (!QFileInfo::exists(QString::fromStdString(run.runJson().string()))) {
        if (what.contains(u'/') || QFileInfo(what).isDir()) {
            showNotARun(what);
            return false;
        }
        const auto found = launch::findRun(m_runsDir.toStdString(), what.toStdString());
        if (!found) {
            m_problem = QString::fromStdString(found.error().message());
            m_notices->showError(m_problem, QStringLiteral("open"));
            return false;
        }
        run = *found;
    }
    m_notices->drop(QStringLiteral("open"));
    run.dir = QFileInfo(QString::fromStdString(run.dir.string())).absoluteFilePath().toStdString();
    if (m_session && m_session->run().dir == run.dir)
        return true;
    close();
    m_session = std::make_unique<RunSession>(run);
    emit changed();
    return true;
}

void RunOpener::close() {
    const auto last = std::move(m_session);
    emit changed();
}

void RunOpener::showNotARun(const QString& dir) {
    const QFileInfo folder(dir);
    const QString path = folder.absoluteFilePath();
    const bool there = folder.exists();
    Notice notice;
    notice.topic = QStringLiteral("open");
    notice.text = [path, there] {
        return there ? tr("%1 is not a Rankscope run (no run.json).").arg(path) : tr("%1 does not exist.").arg(path);
    };
    if (folder.isDir()) {
        notice.details = [] {
            return tr("Rankscope opens the folders that it creates when a run is launched. You can import TensorBoard "
                      "event files and folders of NeMo's exp_manager as a run.");
        };
        notice.actionText = [] { return tr("Import…"); };
        notice.action = [this, path] { emit importRequested(path); };
    }
    m_problem = notice.text();
    m_notices->add(notice);
}

} // namespace rankscope::ui
