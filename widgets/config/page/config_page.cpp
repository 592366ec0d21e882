// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/config_page.h"

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/launch/machine_choice.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/drop_hint.h"
#include "widgets/config/page/recipe_edits.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/page/recorded_recipe_page.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/problems/problem_list.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/recipe/recipe_node.h"
#include "widgets/config/recipe/working_folder.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/text/dropped_recipe.h"
#include "widgets/config/text/focus_outline.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::ui {

ConfigPage::ConfigPage(QWidget* parent)
    : QWidget(parent), m_file(new ConfigFile(this)), m_dryRun(new PlanRequest(this)), m_otherRun(new PlanRequest(this)),
      m_notice(new NoticeBar(this)), m_sources(new QStackedWidget(this)), m_recipePane(new QWidget(m_sources)),
      m_toSettings(new QPushButton(this)), m_title(new QLabel(this)), m_path(new QLabel(this)),
      m_heading(new QHBoxLayout), m_recipe(new RecipeView(this)), m_text(new RecipeTextPane(m_file, m_dryRun, this)),
      m_split(new QSplitter(Qt::Horizontal, this)), m_launch(new LaunchPanel(m_file, this)),
      m_cards(new SyncCardRow(this)), m_compareMenu(new CompareMenu(m_file, m_launch, this)),
      m_edits(new RecipeEdits(m_file, m_notice, m_launch, this)),
      m_files(new RecipeFileActions(m_file, m_edits, m_notice, m_launch, this)) {
    setAcceptDrops(true);
    buildHeading();
    build();
    connectFile();
    connectLaunch();
    connectTree();
    connectText();
    connect(m_toSettings, &QPushButton::clicked, this, &ConfigPage::showSettings);
    connect(&Theme::instance(), &Theme::changed, this, &ConfigPage::showColours);
    retranslate();
}

void ConfigPage::buildHeading() {
    m_title->setFont(headingFont());
    m_title->setTextFormat(Qt::PlainText); // it may hold the name of another user's run
    m_path->setFont(secondaryFont());
    m_path->setTextFormat(Qt::PlainText);
    m_path->setForegroundRole(QPalette::PlaceholderText);
    m_path->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_heading->setContentsMargins(12, 6, 8, 4);
    m_heading->setSpacing(4);
    m_heading->addWidget(m_title);
    m_heading->addSpacing(8);
    m_heading->addWidget(m_path, 1);
    m_heading->addWidget(m_toSettings);
}

void ConfigPage::build() {
    fillSplitter(m_split, {{m_recipe, 3}, {m_text, 2}}, {620, 520});
    m_recipe->setMinimumWidth(320);
    m_text->setMinimumWidth(260);
    m_recipe->compareButton()->setMenu(m_compareMenu);
    m_launch->setDryRuns(m_dryRun, m_otherRun);
    const auto dropText = [](const QDropEvent* drag) {
        const QString recipe = draggedRecipe(drag->mimeData());
        return recipe.isEmpty() ? QString() : tr("Drop to open %1").arg(QFileInfo(recipe).fileName());
    };
    (new DropHint(this, dropText))->watch(m_text->editor()->viewport());
    new FocusOutline(this);
    auto* explainCurrent = new QShortcut(Qt::CTRL | Qt::Key_I, this);
    explainCurrent->setContext(Qt::WidgetWithChildrenShortcut);
    connect(explainCurrent, &QShortcut::activated, this, [this] {
        if (const QString key = m_recipe->currentKey(); !key.isEmpty() && !showsRun())
            explain(key);
    });

    m_recipePane->setLayout(columnOf({m_heading, m_cards, {m_split, 1}, m_launch}));
    m_sources->addWidget(m_recipePane);
    setLayout(columnOf({m_notice, {m_sources, 1}}));
}

void ConfigPage::connectFile() {
    connect(m_file, &ConfigFile::opened, this, [this] {
        m_justOpened = true;
        showRecipe();
        showTitle();
    });
    connect(m_file, &ConfigFile::bytesChanged, this, &ConfigPage::showText);
    connect(m_file, &ConfigFile::dirtyChanged, this, &ConfigPage::showTitle);
    connect(m_file, &ConfigFile::evaluationChanged, this, &ConfigPage::showEvaluation);
    connect(m_file, &ConfigFile::valueWritten, m_recipe->model(), &RecipeModel::preview);
    connect(m_files, &RecipeFileActions::message, this, &ConfigPage::message);
    connect(m_files, &RecipeFileActions::changesRequested, m_text, &RecipeTextPane::showChanges);
    connect(m_edits, &RecipeEdits::revealRequested, m_recipe, &RecipeView::reveal);
    Comparisons* comparisons = m_compareMenu->comparisons();
    connect(comparisons, &Comparisons::changed, this,
            [this, comparisons] { m_recipe->setComparisons(comparisons->all()); });
    connect(comparisons, &Comparisons::failed, this,
            [this](const QString& text) { m_notice->show(NoticeBar::NoticeLevel::Error, [text] { return text; }); });
}

void ConfigPage::connectLaunch() {
    connect(m_dryRun, &PlanRequest::changed, this, &ConfigPage::showPlan);
    connect(m_otherRun, &PlanRequest::changed, this, &ConfigPage::showCosts);
    connect(m_launch, &LaunchPanel::planChanged, this, &ConfigPage::planLaunch);
    m_file->setLaunchFields([this] { return m_launch->fields(); });
    connect(m_launch, &LaunchPanel::planChanged, m_file, &ConfigFile::launchFieldsChanged);
    connect(m_file, &ConfigFile::launchFieldsRecovered, m_launch, &LaunchPanel::setFields);
    connect(m_launch, &LaunchPanel::planRequested, this, [this] { m_text->showTab(InfoPane::Plan); });
    connect(m_launch, &LaunchPanel::problemsRequested, this, [this] { m_text->showTab(InfoPane::Problems); });
    connect(m_launch, &LaunchPanel::manifestRequested, this,
            [this] { m_edits->chooseManifest(QStringLiteral("model.train_ds.manifest_filepath")); });
    connect(m_launch, &LaunchPanel::launched, this, &ConfigPage::launched);
}

void ConfigPage::connectTree() {
    connect(m_recipe->model(), &RecipeModel::editRequested, m_edits, &RecipeEdits::set);
    connect(m_recipe, &RecipeView::addRequested, m_edits, &RecipeEdits::add);
    connect(m_recipe, &RecipeView::removeRequested, m_edits, &RecipeEdits::remove);
    connect(m_recipe, &RecipeView::moveRequested, m_edits, &RecipeEdits::move);
    connect(m_recipe, &RecipeView::currentChanged, this, &ConfigPage::showDetail);
    connect(m_recipe, &RecipeView::explainRequested, this, &ConfigPage::explain);
    connect(m_recipe, &RecipeView::lineRequested, this, [this](int line) { m_text->editor()->goToLine(line); });
    connect(m_recipe, &RecipeView::textRequested, this, [this](int line) {
        m_text->show();
        m_text->enterLine(line);
    });
    connect(m_cards, &SyncCardRow::editRequested, m_edits, &RecipeEdits::set);
    connect(m_cards, &SyncCardRow::removeRequested, m_edits, &RecipeEdits::remove);
    connect(m_cards, &SyncCardRow::revealRequested, this, &ConfigPage::explain);
    connect(m_cards, &SyncCardRow::arranged, this, &ConfigPage::showCosts);
    connect(m_cards, &SyncCardRow::targetRequested, this,
            [this] { m_launch->setMachine(MachineChoice::usualTarget()); });
    connect(m_cards, &SyncCardRow::problemsRequested, this, [this](const QString& key) {
        m_text->showTab(InfoPane::Problems);
        m_text->info()->problemList()->showProblem(key);
    });
}

void ConfigPage::explain(const QString& key) {
    if (m_recipe->currentKey() != key)
        m_recipe->reveal(key);
    showDetail();
    m_text->showTab(InfoPane::Key);
}

void ConfigPage::connectText() {
    YamlEditor* editor = m_text->editor();
    connect(editor, &YamlEditor::leaveRequested, m_recipe, &RecipeView::focusTree);
    connect(editor, &YamlEditor::fileDropped, this, &ConfigPage::open);
    connect(editor, &YamlEditor::lineEntered, m_recipe, &RecipeView::showLine);
    connect(editor, &YamlEditor::jumpRequested, this, [this](int line) {
        const QString key = m_recipe->model()->indexAtLine(line).data(RecipeModel::KeyRole).toString();
        if (!key.isEmpty())
            m_recipe->reveal(key);
    });
    connect(m_text, &RecipeTextPane::keyRequested, m_recipe, &RecipeView::reveal);
    const InfoPane* info = m_text->info();
    connect(info->detail(), &KeyDetail::applyRequested, m_edits, &RecipeEdits::apply);
    connect(info->detail(), &KeyDetail::renameRequested, m_edits, &RecipeEdits::rename);
    connect(info->detail(), &KeyDetail::causeRequested, this, &ConfigPage::causeRequested);
    connect(info->problemList(), &ProblemList::remedyRequested, m_edits, &RecipeEdits::apply);
    connect(info->problemList(), &ProblemList::manifestRequested, m_edits, &RecipeEdits::chooseManifest);
}

void ConfigPage::retranslate() {
    m_text->retranslate();
    m_toSettings->setText(tr("Settings of the run"));
    m_toSettings->setToolTip(tr("Show the settings that the open run was launched with (read-only)"));
    m_cards->retranslate();
    m_files->retranslate();
    showTitle();
    showEvaluation();
}

ProblemModel* ConfigPage::problems() const {
    return m_text->info()->problems();
}

void ConfigPage::showText() {
    if (!m_text->showText())
        m_notice->show(NoticeBar::NoticeLevel::Warning,
                       [] { return tr("The text has characters that this pane cannot keep; edit it in the tree."); });
    m_dryRun->invalidate();
    m_otherRun->invalidate();
}

void ConfigPage::showEvaluation() {
    const Evaluation& evaluation = m_file->evaluation();
    // while the text is not valid YAML (a half-typed key), the tree keeps its rows
    const bool readable = !evaluation || !evaluation->rows.empty() || evaluation->ok();
    if (readable || m_justOpened)
        m_recipe->setEvaluation(evaluation, m_file->takeTree());
    m_recipe->setStale(!readable);
    m_cards->setEvaluation(evaluation, readable);
    showCosts();
    showDetail();
    planLaunch();
    showProblems();
    if (evaluation && m_justOpened) {
        m_justOpened = false;
        m_text->info()->showTab(problems()->rowCount() > 0 ? InfoPane::Problems : InfoPane::Key);
        const auto& all = evaluation->problems; // errors first
        if (!all.empty() && all.front().severity == config::Problem::Severity::Error && all.front().at.line > 0)
            m_text->editor()->goToLine(all.front().at.line, all.front().at.column);
    }
    showDueKey();
}

void ConfigPage::showDueKey() {
    if (!m_keyDue.isEmpty() && m_file->evaluation() && !m_file->evaluator()->isBusy())
        explain(std::exchange(m_keyDue, {}));
}

void ConfigPage::suggest(const QString& key, const QString& yaml) {
    if (!m_file->isOpen())
        return;
    showRecipe();
    m_keyDue = key;
    showDueKey();
    if (yaml.isEmpty())
        return;
    const KeySettings settings{{key, yaml}};
    m_notice->show(NoticeBar::NoticeLevel::Info,
                   [key, yaml] { return tr("The report suggests %1: %2").arg(key, yaml); });
    m_notice->addButton([] { return tr("Set"); }, [this, settings] { m_edits->apply(settings); });
}

void ConfigPage::showDetail() {
    m_text->info()->detail()->show(m_recipe->currentKey(), m_file->evaluation(), m_recipe->model()->risks(),
                                   m_dryRun->refusals());
}

void ConfigPage::showProblems() {
    problems()->show(m_file->evaluation(), m_recipe->model()->risks(), m_dryRun->obstacles());
    m_cards->setProblems(problems()->rows());
    showMarks();
}

/// Marks the lines of the listed problems in the text; an error is also marked at the other keys it names.
void ConfigPage::showMarks() {
    std::vector<YamlEditor::LineMark> marks;
    for (const ProblemRow& row : problems()->rows())
        if (row.line > 0 && row.severity != MarkSeverity::Note)
            marks.push_back({row.line, row.severity, row.text});
    if (const Evaluation& evaluation = m_file->evaluation()) {
        std::vector<config::Problem> errors = m_dryRun->refusals();
        std::copy_if(
            evaluation->problems.begin(), evaluation->problems.end(), std::back_inserter(errors),
            [](const config::Problem& problem) { return problem.severity == config::Problem::Severity::Error; });
        for (const config::Problem& error : errors)
            for (const std::string& key : relatedKeys(*evaluation, error))
                if (const config::KeyRow* row = evaluation->find(key); row->at.line > 0)
                    marks.push_back({row->at.line, MarkSeverity::Error, messageText(error.text)});
    }
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.severity > b.severity; });
    m_text->editor()->setMarks(marks);
}

void ConfigPage::planLaunch() {
    const Evaluation& evaluation = m_file->evaluation();
    if (m_file->evaluator()->isBusy())
        return m_dryRun->invalidate(); // requested again after the evaluation
    if (!evaluation || !isPlannable(*evaluation))
        return m_dryRun->clear();
    m_dryRun->request(m_launch->dryRunRequest());
}

void ConfigPage::planElsewhere() {
    DryRunRequest request = m_launch->dryRunRequest();
    const bool here = request.machine.isEmpty();
    const bool alone = m_dryRun->state() == PlanRequest::PlanState::Ready && m_dryRun->worldSize() == 1;
    if (m_dryRun->state() == PlanRequest::PlanState::None || (here && !alone && !m_dryRun->isBusy()))
        return m_otherRun->clear();
    if (m_dryRun->isBusy())
        return m_otherRun->invalidate();
    request.machine = here ? MachineChoice::usualTarget() : QString();
    m_otherRun->request(request);
}

bool ConfigPage::isPlanning() const {
    return m_dryRun->isBusy() || m_otherRun->isBusy();
}

void ConfigPage::showCosts() {
    m_cards->setPlan(*m_dryRun, *m_otherRun);
}

void ConfigPage::showPlan() {
    planElsewhere();
    showCosts();
    if (m_dryRun->state() == PlanRequest::PlanState::Ready)
        m_recipe->model()->setRisks(m_dryRun->risks(), m_dryRun->refusals());
    else if (m_dryRun->state() == PlanRequest::PlanState::Failed)
        m_recipe->model()->setRisks(m_recipe->model()->risks(), m_dryRun->refusals());
    showProblems();
    showDetail();
}

void ConfigPage::showTitle() {
    m_recipe->setOpen(m_file->isOpen());
    if (!m_file->isOpen()) {
        m_title->setText(tr("No recipe is open"));
        m_path->clear();
    } else {
        m_title->setText(m_file->isDirty() ? tr("%1 •").arg(m_file->title()) : m_file->title());
        m_title->setToolTip(m_file->isDirty() ? tr("Not saved") : QString());
        m_path->setText(m_file->path().isEmpty() ? tr("unsaved copy") : shortPath(m_file->path()));
        m_path->setToolTip(plainToolTip(m_file->path()));
    }
    showSources();
    emit titleChanged();
}

/// Updates rich text and pixmaps, which keep the colours they were created with.
void ConfigPage::showColours() {
    m_cards->retranslate();
    showCosts();
    if (m_file->evaluation() && !m_file->evaluator()->isBusy())
        showProblems();
}

bool ConfigPage::showsRun() const {
    return m_settings && m_sources->currentWidget() == m_settings;
}

bool ConfigPage::showsOtherRecipe() const {
    return !showsRun() && m_file->isOpen() && QFileInfo(m_file->launchedAs()) != QFileInfo(m_run);
}

void ConfigPage::showSources() {
    m_toSettings->setVisible(!m_run.isEmpty());
    if (m_settings)
        m_settings->setRecipeName(m_file->isOpen() ? m_file->title() : QString());
}

void ConfigPage::showRun(const QString& runDir) {
    m_run = runDir;
    showSources();
    const bool launchedHere = !runDir.isEmpty() && QFileInfo(m_file->launchedAs()) == QFileInfo(runDir);
    if (runDir.isEmpty() || m_file->hasUnkeptEdits() || launchedHere)
        showRecipe();
    else if (isVisible())
        showSettings();
    else
        m_settingsDue = true;
}

void ConfigPage::showPane(QWidget* pane) {
    if (m_sources->currentWidget() == pane)
        return;
    const QWidget* now = window()->focusWidget();
    const bool mine = !now || isAncestorOf(now);
    m_sources->setCurrentWidget(pane);
    if (mine)
        takeFocus();
    emit titleChanged();
}

void ConfigPage::showRecipe() {
    m_settingsDue = false;
    showPane(m_recipePane);
}

void ConfigPage::showSettings() {
    m_settingsDue = false;
    if (m_run.isEmpty())
        return;
    if (!m_settings) {
        m_settings = new RecordedRecipePage(m_sources);
        m_sources->addWidget(m_settings);
        connect(m_settings, &RecordedRecipePage::relaunchRequested, this, &ConfigPage::relaunchRequested);
        connect(m_settings, &RecordedRecipePage::recipeRequested, this, &ConfigPage::showRecipe);
    }
    m_settings->setRun(m_run);
    showSources();
    showPane(m_settings);
}

bool ConfigPage::isComplete() const {
    if (showsRun())
        return m_settings->isComplete();
    return m_file->isOpen() && !m_file->evaluator()->isBusy() && m_file->evaluation() &&
           !m_compareMenu->comparisons()->isBusy();
}

QByteArray ConfigPage::saveLayout() const {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out << qint32(2) << m_split->saveState() << m_recipe->saveColumns() << m_text->saveState() << m_launch->machine()
        << m_cards->isFolded() << m_file->path();
    return bytes;
}

void ConfigPage::restoreLayout(const QByteArray& layout) {
    QDataStream in(layout);
    qint32 version = 0;
    QByteArray split, columns, text;
    in >> version >> split >> columns >> text;
    if (version != 2 || in.status() != QDataStream::Ok)
        return;
    m_split->restoreState(split);
    m_recipe->restoreColumns(columns);
    m_text->restoreState(text);
    QString machine, recipe;
    bool folded = false;
    in >> machine >> folded; // older versions wrote neither these nor the recipe that the machine belongs to
    if (in.status() == QDataStream::Ok)
        m_cards->setFolded(folded);
    in >> recipe;
    if (in.status() == QDataStream::Ok)
        m_launch->restoreMachine(recipe, machine);
}

void ConfigPage::setHeadingActions(const QList<QAction*>& actions) {
    for (QAction* action : actions) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        m_heading->addWidget(button);
    }
}

void ConfigPage::setRuns(const QList<ComparableRun>& runs) {
    m_compareMenu->setRuns(runs);
    QStringList live;
    for (const ComparableRun& run : runs)
        if (run.live)
            live << run.dir;
    m_launch->setLiveRuns(live);
}

void ConfigPage::focusSearch() {
    (showsRun() ? m_settings->recipe() : m_recipe)->focusSearch();
}

void ConfigPage::launch() {
    if (showsRun()) { // the recipe to launch is not visible
        showRecipe();
        return offerLaunch();
    }
    m_notice->clear();
    m_launch->launch();
}

void ConfigPage::offerLaunch() {
    if (m_file->isOpen())
        m_notice->show(NoticeBar::NoticeLevel::Info,
                       [this] { return tr("Press Ctrl+Enter again to launch %1.").arg(m_file->title()); });
}

void ConfigPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    // the user may have used another program to fix the reason why a launch was refused
    if (event->type() == QEvent::ActivationChange && isActiveWindow())
        for (PlanRequest* run : {m_dryRun, m_otherRun})
            if (run->isRefused())
                run->rerun();
}

void ConfigPage::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedRecipe(event->mimeData()).isEmpty()) // the window takes everything else
        event->acceptProposedAction();
}

void ConfigPage::dropEvent(QDropEvent* event) {
    open(draggedRecipe(event->mimeData()));
}

void ConfigPage::takeFocus() {
    (showsRun() ? m_settings->recipe() : m_recipe)->tree()->setFocus();
}

/// Takes the focus if the page shown before had it.
void ConfigPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_settingsDue)
        showSettings();
    const QWidget* now = window()->focusWidget();
    if (!focusWidget() && (!now || (parentWidget() && parentWidget()->isAncestorOf(now))))
        takeFocus();
}

void ConfigPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    static constexpr int kLow = 560, kNotHigh = 820;
    m_cards->setLow(height() < kLow);
    m_cards->setCompact(height() < kNotHigh);
}

} // namespace rankscope::ui
