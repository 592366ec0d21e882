// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace rankscope::ui {

/// The page that the window shows before anything is open: on top, as a card, what to do next, and below it a list of
/// what else can be opened. The focus starts on the card and moves through the list in the order on the page.
class WelcomePage final : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);
    /// Sets the quickstart recipe; `path` empty: there is none. `ready`: it can be launched; otherwise rankscope-setup
    /// has to be run first.
    void setQuickstart(const QString& path, bool ready);
    void setTour(bool there, bool done);
    void takeFocus(); ///< gives the card the focus

signals:
    void watchRequested();
    void quickstartRequested();
    void openRequested();
    void openRunRequested();
    void importRequested();
    void explainRequested();
    void tourRequested();

private:
    class Choice;
    void retranslate();
    /// Returns what to do next: the tour, after it the quickstart, and if that cannot be launched, a command to watch.
    Choice* primary() const;
    QList<Choice*> choices() const; ///< from top to bottom; the primary one is the first
    void arrange();
    QLabel* m_logo;
    QLabel* m_title;
    QLabel* m_text;
    Choice* m_tour;
    Choice* m_quickstart;
    Choice* m_watch;
    Choice* m_recipe;
    Choice* m_run;
    Choice* m_import;
    Choice* m_explain;
    QVBoxLayout* m_list; ///< of the choices
    bool m_hasTour = true, m_tourDone = false, m_ready = true;
    QLabel* m_hint;
};

/// Returns the path of configs/quickstart.yaml, searched for in the working folder, in the folders above the program,
/// where rankscope-setup puts it, and in the installation. One that has its speech data is preferred; empty: none.
QString findQuickstart();
bool hasSampleSpeech(const QString& quickstart);
/// Returns the recipe to open in place of this one: for a quickstart without its speech, the one that has it.
QString withSampleSpeech(const QString& recipe);

} // namespace rankscope::ui
