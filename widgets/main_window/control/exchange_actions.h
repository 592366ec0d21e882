// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

class QWidget;

namespace rankscope::ui {

class Actions;
class ExportPanel;
class ImportPanel;
class PageTabs;
class CtlCommands;
class RunOpener;

/// Exports the open run, its plots and its weights, and imports runs of other programs.
class ExchangeActions final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; `window` is the parent of its dialogs.
    ExchangeActions(Actions* actions, RunOpener* opener, PageTabs* tabs, CtlCommands* commands, QString runsDir,
                    QWidget* window);

    /// Opens the import panel, with `path` as the source if it is not empty. `begin`: starts the import immediately.
    void importRun(const QString& path, bool begin);

signals:
    void imported(const QString& runDir);

private:
    void exportPlots();
    void exportRun();
    void exportWeights(const QString& file);

    RunOpener* m_opener;
    PageTabs* m_tabs;
    CtlCommands* m_commands;
    QString m_runsDir;
    QWidget* m_window;
    ExportPanel* m_export = nullptr; ///< null until first used, like m_import
    ImportPanel* m_import = nullptr;
};

} // namespace rankscope::ui
