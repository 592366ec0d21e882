// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/control/page_tabs.h"

#include <QObject>
#include <QString>

#include <functional>

class QStackedWidget;

namespace rankscope::ui {

class Actions;
class ExchangeActions;
class NoticeStrip;
class RunOpener;
class TourGuide;
class WelcomePage;
class WindowMemory;
struct DroppedFiles;

/// Opens runs and recipes, and shows the welcome page or the page that they are on.
class Navigator final : public QObject {
    Q_OBJECT
public:
    struct Parts { ///< all must outlive the navigator
        QWidget* window = nullptr;
        QStackedWidget* stack = nullptr; ///< contains `welcome` and `pages`
        WelcomePage* welcome = nullptr;
        QWidget* pages = nullptr; ///< contains `tabs`
        PageTabs* tabs = nullptr;
        RunOpener* opener = nullptr;
        ExchangeActions* exchange = nullptr;
        TourGuide* tour = nullptr;
        NoticeStrip* notices = nullptr;
        WindowMemory* memory = nullptr;
    };
    Navigator(const Parts& parts, QString runsDir);

    /// Connects the actions, and the requests of the welcome page and of the Explain page, that open or show something.
    void connectActions(const Actions* actions);

    bool showsPages() const; ///< whether the pages, not the welcome page, are shown
    void showPages();
    void showPage(Page page); ///< also leaves the welcome page
    void showWelcome();

    /// Opens a run by its folder or part of its id. Returns false if that fails; then only a notice says why.
    bool openRun(const QString& dir);
    void openInReview(const QString& dir);
    void openConfig(const QString& path);
    void openDropped(const DroppedFiles& dropped);
    /// Shows a copy of a run's recipe, with `key` set to `yaml` if `key` is not empty.
    void relaunch(const QString& runDir, const QString& key = {}, const QString& yaml = {});
    /// Launches the recipe once it has been evaluated: only then are its working folder and errors known.
    void launchWhenRead();
    QString problem() const { return m_problem; } ///< why the last run or recipe could not be opened

private:
    void chooseRecipe(const std::function<void()>& opened = {});
    void chooseRun();
    void chooseLogs();
    void showSetting(const QString& key, const QString& yaml);

    Parts m_parts;
    QString m_runsDir, m_problem;
};

} // namespace rankscope::ui
