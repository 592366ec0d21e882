// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/config_page.h"

#include "widgets/config/edits/recipe_edits.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/launch/launch_plans.h"
#include "widgets/config/launch/machine_choice.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/drop_hint.h"
#include "widgets/config/page/recipe_heading.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/page/recorded_recipe_page.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/problems/line_marks.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/problems/problem_list.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/text/dropped_recipe.h"
#include "widgets/config/text/focus_outline.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/box_layout.h"
#include "widgets/theme/theme.h"

#include <QDataStream>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include <utility>

namespace rankscope::ui {

ConfigPage::ConfigPage(QWidget* parent)
    : QWidget(parent), m_file(new ConfigFile(this)), m_plans(new LaunchPlans(m_file, this)),
      m_notice(new NoticeBar(this)), m_sources(new QStackedWidget(this)), m_recipePane(new QWidget(m_sources)),
      m_heading(new RecipeHeading(m_file, this)), m_recipe(new RecipeView(this)),
      m_text(new RecipeTextPane(m_file, dryRun(), this)), m_split(new QSplitter(Qt::Horizontal, this)),
      m_launch(new LaunchPanel(m_file, this)), m_cards(new SyncCardRow(this)),
      m_compareMenu(new CompareMenu(m_file, m_launch, this)),
      m_edits(new RecipeEdits(m_file, m_notice, m_launch, this)),
      m_files(new RecipeFileActions(m_file, m_edits, m_notice, m_launch, this)) {
    setAcceptDrops(true);
    build();
    connectFile();
    connectLaunch();
    connectTree();
    connectText();
    connect(m_heading, &RecipeHeading::settingsRequested, this, &ConfigPage::showSettings);
    connect(&Theme::instance(), &Theme::changed, this, &ConfigPage::showColours);
    retranslate();
}

void ConfigPage::build() {
    fillSplitter(m_split, {{m_recipe, 3}, {m_text, 2}}, {620, 520});
    m_recipe->setMinimumWidth(320);
    m_text->setMinimumWidth(260);
    m_recipe->compareButton()->setMenu(m_compareMenu);
    m_launch->setDryRuns(dryRun(), otherDryRun());
    m_plans->setLaunchPanel(m_launch);
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
    connect(dryRun(), &PlanRequest::changed, this, &ConfigPage::showPlan);
    connect(otherDryRun(), &PlanRequest::changed, this, &ConfigPage::showCosts);
    connect(m_launch, &LaunchPanel::planChanged, m_plans, &LaunchPlans::plan);
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
    m_heading->retranslate();
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
    m_plans->invalidate();
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
    m_plans->plan();
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
                                   dryRun()->refusals());
}

void ConfigPage::showProblems() {
    problems()->show(m_file->evaluation(), m_recipe->model()->risks(), dryRun()->obstacles());
    m_cards->setProblems(problems()->rows());
    m_text->editor()->setMarks(lineMarks(problems()->rows(), m_file->evaluation(), dryRun()->refusals()));
}

void ConfigPage::showCosts() {
    m_cards->setPlan(*dryRun(), *otherDryRun());
}

void ConfigPage::showPlan() {
    m_plans->planElsewhere();
    showCosts();
    if (dryRun()->state() == PlanRequest::PlanState::Ready)
        m_recipe->model()->setRisks(dryRun()->risks(), dryRun()->refusals());
    else if (dryRun()->state() == PlanRequest::PlanState::Failed)
        m_recipe->model()->setRisks(m_recipe->model()->risks(), dryRun()->refusals());
    showProblems();
    showDetail();
}

void ConfigPage::showTitle() {
    m_recipe->setOpen(m_file->isOpen());
    m_heading->showTitle();
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

PlanRequest* ConfigPage::dryRun() const {
    return m_plans->run();
}

PlanRequest* ConfigPage::otherDryRun() const {
    return m_plans->other();
}

bool ConfigPage::isPlanning() const {
    return m_plans->isBusy();
}

bool ConfigPage::showsRun() const {
    return m_settings && m_sources->currentWidget() == m_settings;
}

bool ConfigPage::showsOtherRecipe() const {
    return !showsRun() && m_file->isOpen() && QFileInfo(m_file->launchedAs()) != QFileInfo(m_run);
}

void ConfigPage::showSources() {
    m_heading->setRunOpen(!m_run.isEmpty());
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
        connect(m_settings, &RecordedRecipePage::watchRequested, this, &ConfigPage::watchRequested);
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
    m_heading->setActions(actions);
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
        m_plans->rerunRefused();
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
