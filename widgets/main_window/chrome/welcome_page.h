// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace rankscope::ui {

/// What the window offers before anything is open. The focus begins on the first choice and goes through them in their
/// order on the page.
class WelcomePage final : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);
    /// `path` empty: there is none. `ready`: it can be launched; else rankscope-setup has to be run first.
    void setQuickstart(const QString& path, bool ready);
    void setTour(bool there, bool done);
    void takeFocus(); ///< the first choice gets it

signals:
    void quickstartRequested();
    void openRequested();
    void openRunRequested();
    void importRequested();
    void tourRequested();

private:
    class Choice;
    void retranslate();
    QList<Choice*> choices() const; ///< from top to bottom
    QLabel* m_logo;
    QLabel* m_title;
    QLabel* m_text;
    Choice* m_quickstart;
    Choice* m_recipe;
    Choice* m_run;
    Choice* m_import;
    Choice* m_tour;
    bool m_tourDone = false, m_ready = true;
    QLabel* m_hint;
};

/// configs/quickstart.yaml in the working folder, above the program, where rankscope-setup put it with its speech, or
/// as it is installed. One with its speech comes before those without; empty: none.
QString findQuickstart();
bool hasSampleSpeech(const QString& quickstart);
/// Returns the recipe to open in place of this one: where a quickstart still lacks its speech, the one that has it.
QString withSampleSpeech(const QString& recipe);

} // namespace rankscope::ui
