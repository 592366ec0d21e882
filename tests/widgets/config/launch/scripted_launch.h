// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the Configure page with a copy of the quickstart's recipe and a rankscopectl that the test writes.
#pragma once

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"

#include <QLabel>
#include <QObject>
#include <QPushButton>
#include <QTemporaryDir>

#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui {

class ScriptedLaunch : public QObject {
protected:
    /// Call it before each test. The dry run is planned() without more, and every other command fails.
    void open();
    void close(); ///< after each test

    LaunchPanel* panel() const { return m_page->launchPanel(); }
    QPushButton* button() const { return panel()->findChild<QPushButton*>(); }
    QLabel* line() const { return panel()->findChild<QLabel*>(QStringLiteral("planLine")); }
    /// Returns whether the panel shows its problem.
    bool shownProblem() const;

    QString path(const char* name) const { return m_dir->filePath(QLatin1String(name)); } ///< in the test's folder
    static QByteArray read(const QString& path);
    static void write(const QString& path, const QByteArray& text);
    void touch(const QString& folder, const QString& name) const;
    /// Writes a shell script in place of a program; returns its path.
    QString writeProgram(const char* name, const QByteArray& body) const;
    /// Sets what rankscopectl does for any command but a dry run.
    void script(const QByteArray& body);
    /// Returns the arguments that a script wrote into "asked".
    QStringList asked() const;

    /// Sets the dry run's answer: `more` is added to the members that every plan has. "there.json" is the plan for
    /// another machine.
    void planned(const QByteArray& more, const char* name = "plan.json");
    void planAgain();
    /// Returns the members of a plan whose launch would be refused.
    static QByteArray refusal(const QByteArray& key, const QByteArray& text);
    /// Returns the member of a plan about the disk of the runs folder.
    QByteArray disk(qint64 needed, qint64 available) const;
    /// Makes an ended run with the quickstart's recipe; returns its folder.
    QString makeRun(const std::vector<std::string>& overrides, int ranks) const;

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_config;
    std::unique_ptr<ConfigPage> m_page;
};

} // namespace rankscope::ui
