// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace rankscope::ui {

/// The page that the window shows before anything is open: tour and quickstart, and below them a list of what else can
/// be opened. The focus starts on the first choice and moves through them in the order on the page.
class WelcomePage final : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);
    /// Sets the quickstart recipe; `path` empty: there is none. `ready`: it can be launched; otherwise rankscope-setup
    /// has to be run first.
    void setQuickstart(const QString& path, bool ready);
    void setTour(bool there, bool done);
    void takeFocus(); ///< gives the first choice the focus

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
    QList<Choice*> choices() const; ///< from top to bottom
    QLabel* m_logo;
    QLabel* m_title;
    QLabel* m_text;
    Choice* m_tour; // a card, as the quickstart; the others are rows of a list
    Choice* m_quickstart;
    Choice* m_watch;
    Choice* m_recipe;
    Choice* m_run;
    Choice* m_import;
    Choice* m_explain;
    bool m_tourDone = false, m_ready = true;
    QLabel* m_hint;
};

/// Returns the path of configs/quickstart.yaml, searched for in the working folder, in the folders above the program,
/// where rankscope-setup puts it, and in the installation. One that has its speech data is preferred; empty: none.
QString findQuickstart();
bool hasSampleSpeech(const QString& quickstart);
/// Returns the recipe to open in place of this one: for a quickstart without its speech, the one that has it.
QString withSampleSpeech(const QString& recipe);

} // namespace rankscope::ui
