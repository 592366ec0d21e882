// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QList>
#include <QObject>
#include <QPair>
#include <QPointer>
#include <QRect>
#include <QString>
#include <QTemporaryDir>
#include <QWidget>

#include <memory>

namespace rankscope::ui {

class ConfigFile;
class IncidentBanner;
class NoticeStrip;
class PageTabs;
class RunOpener;
class TourOutline;
class TourPanel;

/// A two-minute tour of a recorded run with a stall. The pages are the real ones and stay usable all the time.
class TourGuide final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; `window` is the parent of panel and outline.
    TourGuide(RunOpener* opener, PageTabs* tabs, IncidentBanner* banner, NoticeStrip* notices, QWidget* window);
    ~TourGuide() override;

    void start();
    void end();
    bool isActive() const { return m_tour != nullptr; }
    /// Shows the step again, for example for a new view of the recording, which is read outside the window's thread.
    void showStep();
    void place(); ///< places panel and outline after the window's size changed
    /// Returns whether the path belongs to the tour's recording, which is removed with the window.
    bool isRecording(const QString& path) const;
    /// Opens the quickstart with `key` set to `yaml`; an empty key changes nothing. The recording's own recipe is not
    /// launched because its folder is removed with the window.
    void relaunch(const QString& key, const QString& yaml);
    /// Replaces what the tour opened by what was open before it.
    void keepFormer(QString& lastRun, QString& lastConfig) const;

signals:
    void runRequested(const QString& dir);
    void configRequested(const QString& path);
    void lastStepReached();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class TourStep { Banner, Board, Wait, Timeline, Remedy, OwnProgram, Configure, Count };
    struct Tour {
        TourPanel* panel = nullptr; ///< a child of the window, like the outline
        TourOutline* outline = nullptr;
        QString run;                     ///< the copy's folder
        QString formerRun, formerConfig; ///< open when the tour began; empty: none
        bool quickstartOpened = false;   ///< the tour opened it for its last step
        TourStep step = TourStep::Banner;
        bool arrived = false;     ///< the step's page was shown and the recording has been read
        QPointer<QWidget> target; ///< the widget that the outline surrounds
    };

    void goToStep(int by);
    void arriveAtStep(const diagnosis::Incident& stall);
    void tryQuickstart();
    QWidget* stepTarget() const;
    /// Returns what the step's text is about, the most important first, in the window's coordinates. `outlined` is the
    /// part of the target that is in view.
    QList<QRect> stepParts(const QRect& outlined) const;
    QPair<QString, QString> stepText(const diagnosis::Incident& stall) const; ///< title, text
    ConfigFile* file() const;

    RunOpener* m_opener;
    PageTabs* m_tabs;
    IncidentBanner* m_banner;
    NoticeStrip* m_notices;
    QWidget* m_window;
    std::unique_ptr<Tour> m_tour;         ///< null: no tour is in progress
    std::unique_ptr<QTemporaryDir> m_dir; ///< last tour's recording, which stays open after the tour
};

} // namespace rankscope::ui
