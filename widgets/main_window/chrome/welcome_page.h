// SPDX-License-Identifier: GPL-3.0-or-later
// What the window offers before anything is open.
#pragma once

#include <QWidget>

class QLabel;

namespace rankscope::ui {

class WelcomePage final : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);
    void setQuickstart(const QString& path); ///< empty: there is none
    void setTour(bool there, bool done);

signals:
    void quickstartRequested();
    void openRequested();
    void openRunRequested();
    void importRequested();
    void tourRequested();

private:
    class Choice;
    void retranslate();
    QLabel* m_logo;
    QLabel* m_title;
    QLabel* m_text;
    Choice* m_quickstart;
    Choice* m_recipe;
    Choice* m_run;
    Choice* m_import;
    Choice* m_tour;
    bool m_tourDone = false;
    QLabel* m_hint;
};

/// configs/quickstart.yaml in the working folder, above the program, where rankscope-setup put it with its speech, or
/// as it is installed; empty: none.
QString findQuickstart();

} // namespace rankscope::ui
