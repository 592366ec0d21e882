// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values/error.h"
#include "core/explain/model/explanation.h"
#include "widgets/models/base/background_task.h"

#include <QList>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <optional>

class QBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace rankscope::ui {

class CopyLine;
class OneLineLabel;
class RecipeChoice;
class ReportView;

/// What is explained, and how.
struct ExplainRequest {
    QStringList paths; ///< logs, dumps and folders
    QString recipe;    ///< that collectives are named by; empty: those that come with the program
    int ranks = 0;     ///< of the run; 0: as the logs say
};

/// Says why a run hung that Rankscope never saw, from its logs and Flight Recorder dumps. They are read on a separate
/// thread.
class ExplainPage final : public QWidget {
    Q_OBJECT
public:
    enum class ExplainState { Empty, Reading, Report, Failed };
    explicit ExplainPage(QWidget* parent = nullptr);

    /// Explains these files and folders instead of those before.
    void open(const QStringList& paths);
    void chooseFiles() { choose(false); }
    void setOpenRecipe(const QString& path); ///< in Configure; empty: none, or it has no file
    const ExplainRequest& request() const { return m_request; }
    QString title() const; ///< what is explained: "rank_0.log and 3 more"; empty: nothing
    ExplainState state() const { return m_state; }
    bool isComplete() const { return !m_task.isBusy(); } ///< for screenshots and tests
    void saveTo(const QString& file);                    ///< the report as HTML

signals:
    void message(const QString& text);
    void titleChanged();
    /// The user wants to see a setting that the report suggests.
    void settingRequested(const QString& key, const QString& yaml);

private:
    struct Shown {
        ExplainRequest request;
        explain::Explanation explanation;
    };

    void buildHead();
    QWidget* buildNote();
    QWidget* buildProgress();
    void addChooseButtons(QBoxLayout* row);
    void choose(bool folder);
    void start();
    void cancel();
    void take(const Result<explain::Explanation>& result);
    void showProgress(std::int64_t done, std::int64_t all);
    void showRequest();
    void showState(ExplainState state);
    void showNote();
    void showReport();
    void requestSetting(const QUrl& link);
    void copyReport();
    void save();
    void retranslate();

    ExplainRequest m_request;
    std::optional<Shown> m_shown;
    std::optional<Error> m_error;
    ExplainState m_state = ExplainState::Empty;
    QString m_lastFolder;
    QWidget* m_head;
    OneLineLabel* m_title;
    QPushButton *m_copy, *m_save;
    QLabel *m_ranksLabel, *m_recipeLabel;
    QSpinBox* m_ranks;
    RecipeChoice* m_recipe;
    QList<QPushButton*> m_fileButtons, m_folderButtons; ///< in the head and on the page without a report
    QStackedWidget* m_stack;
    QLabel *m_noteTitle, *m_noteText, *m_commandLabel;
    CopyLine* m_command;
    QLabel* m_progressText;
    QProgressBar* m_progress;
    QPushButton* m_cancel;
    ReportView* m_view;
    QTimer m_patience; ///< what is read quickly shows no progress
    BackgroundTask m_task, m_saver;
};

} // namespace rankscope::ui
