// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/config_page.h"

#include "widgets/config/text/changes_view.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/sync/sync_card.h"
#include "widgets/config/page/drop_hint.h"
#include "widgets/config/launch/plan_request.h"
#include "widgets/config/text/find_bar.h"
#include "widgets/config/text/focus_outline.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/problems/problem_list.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/tree/recipe_model.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/config/page/recorded_recipe_page.h"
#include "widgets/config/recipe/working_folder.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace rankscope::ui {

ConfigPage::ConfigPage(QWidget* parent)
    : QWidget(parent), m_file(new ConfigFile(this)), m_dryRun(new DryRun(this)), m_comparisons(new Comparisons(this)),
      m_notice(new NoticeBar(this)), m_sources(new QStackedWidget(this)), m_recipePane(new QWidget(m_sources)),
      m_toSettings(new QPushButton(this)), m_title(new QLabel(this)), m_path(new QLabel(this)),
      m_heading(new QHBoxLayout), m_cardRow(new QWidget(this)), m_fold(new QToolButton(m_cardRow)),
      m_recipe(new RecipeView(this)), m_editor(new YamlEditor(this)), m_find(new FindBar(m_editor, this)),
      m_info(new InfoPane(m_dryRun, this)), m_textPane(new QWidget(this)), m_split(new QSplitter(Qt::Horizontal, this)),
      m_textSplit(new QSplitter(Qt::Vertical, this)), m_launch(new LaunchPanel(m_file, this)),
      m_compareMenu(new QMenu(this)) {
    setAcceptDrops(true);
    m_changes.setSingleShot(true);
    m_changes.setInterval(200);
    build();
    connectAll();
    retranslate();
    showEvaluation();
}

void ConfigPage::build() {
    auto* cards = new QHBoxLayout(m_cardRow);
    cards->setContentsMargins(12, 2, 8, 6);
    for (int i = 0; i < 3; ++i) {
        m_cards[static_cast<std::size_t>(i)] = new DecisiveCard(i, m_cardRow);
        m_cards[static_cast<std::size_t>(i)]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // as wide
        cards->addWidget(m_cards[static_cast<std::size_t>(i)], 1);
    }
    m_fold->setAutoRaise(true);
    m_fold->setObjectName(QStringLiteral("foldCards"));
    m_fold->setFixedWidth(20);
    cards->addWidget(m_fold, 0, Qt::AlignTop);
    cards->setSpacing(8);
    connect(m_fold, &QToolButton::clicked, this, [this] { foldCards(!m_cardsFolded); });
    m_title->setFont(headingFont());
    m_title->setTextFormat(Qt::PlainText); // of a run, its name is a stranger's
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
    buildTextPane();

    m_split->addWidget(m_recipe);
    m_split->addWidget(m_textPane);
    m_split->setChildrenCollapsible(false);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    m_split->setSizes({620, 520});
    m_recipe->setMinimumWidth(320);
    m_textPane->setMinimumWidth(260);
    m_recipe->compareButton()->setMenu(m_compareMenu);
    m_launch->setDryRun(m_dryRun);
    (new DropHint(this))->watch(m_editor->viewport());
    new FocusOutline(this);
    for (auto* numbers : m_launch->findChildren<QSpinBox*>())
        numbers->installEventFilter(this);
    auto* explain = new QShortcut(Qt::CTRL | Qt::Key_I, this);
    explain->setContext(Qt::WidgetWithChildrenShortcut);
    connect(explain, &QShortcut::activated, this, [this] {
        if (const QString key = m_recipe->currentKey(); !key.isEmpty() && !showsRun())
            emit m_recipe->explainRequested(key);
    });

    buildRecipe();
    m_sources->addWidget(m_recipePane);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addWidget(m_sources, 1);
}

void ConfigPage::buildRecipe() {
    auto* layout = new QVBoxLayout(m_recipePane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_heading);
    layout->addWidget(m_cardRow);
    layout->addWidget(m_split, 1);
    layout->addWidget(m_launch);
}

void ConfigPage::buildTextPane() {
    auto* above = new QWidget(m_textSplit);
    auto* text = new QVBoxLayout(above);
    text->setContentsMargins(0, 0, 0, 0);
    text->setSpacing(0);
    text->addWidget(m_find);
    text->addWidget(m_editor, 1);
    m_textSplit->addWidget(above);
    m_textSplit->addWidget(m_info);
    m_textSplit->setChildrenCollapsible(false);
    m_textSplit->setStretchFactor(0, 1);
    m_textSplit->setStretchFactor(1, 1);
    m_textSplit->setSizes({300, 240});
    m_editor->setMinimumHeight(60);
    m_info->setMinimumHeight(84);
    auto* layout = new QVBoxLayout(m_textPane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_textSplit);
}

void ConfigPage::connectAll() {
    connect(m_file, &ConfigFile::opened, this, [this] {
        m_notice->clear();
        m_comparisons->clear();
        m_justOpened = true;
        m_copyOf = {};
        showRecipe();
        showTitle();
    });
    connect(m_file, &ConfigFile::bytesChanged, this, &ConfigPage::showBytes);
    connect(m_file, &ConfigFile::dirtyChanged, this, &ConfigPage::showTitle);
    connect(m_file, &ConfigFile::evaluationChanged, this, &ConfigPage::showEvaluation);
    connect(m_file, &ConfigFile::changedOnDisk, this, &ConfigPage::fileChangedOnDisk);
    connect(m_file, &ConfigFile::recovered, this, &ConfigPage::recovered);
    for (auto changed : {&ConfigFile::bytesChanged, &ConfigFile::evaluationChanged})
        connect(m_file, changed, this, [this] { m_changes.start(); });
    connect(m_file, &ConfigFile::dirtyChanged, this, [this] { m_changes.start(); });
    connect(&m_changes, &QTimer::timeout, this,
            [this] { m_info->changes()->show(m_file->diskBytes(), m_file->bytes()); });
    connect(m_dryRun, &DryRun::changed, this, &ConfigPage::showPlan);
    connect(m_launch, &LaunchPanel::planChanged, this, &ConfigPage::planLaunch);
    m_file->setLaunchFields([this] { return m_launch->fields(); });
    connect(m_launch, &LaunchPanel::planChanged, m_file, &ConfigFile::launchFieldsChanged);
    connect(m_file, &ConfigFile::launchFieldsRecovered, this, [this](const LaunchFields& fields) {
        m_launch->setRepeated(fields.repeats, fields.overrides, fields.ranks);
    });
    connect(m_launch, &LaunchPanel::planRequested, this, [this] {
        m_textPane->show();
        m_info->showTab(InfoPane::Plan);
    });
    connect(m_launch, &LaunchPanel::manifestRequested, this,
            [this] { chooseManifest(QStringLiteral("model.train_ds.manifest_filepath")); });
    connect(m_launch, &LaunchPanel::problemsRequested, this, [this] {
        m_textPane->show();
        m_info->showTab(InfoPane::Problems);
    });
    connect(m_launch, &LaunchPanel::launched, this, &ConfigPage::launched);
    connect(m_comparisons, &Comparisons::changed, this, [this] { m_recipe->setComparisons(m_comparisons->all()); });
    connect(m_comparisons, &Comparisons::failed, this,
            [this](const QString& text) { m_notice->show(NoticeBar::Kind::Error, [text] { return text; }); });
    connect(m_toSettings, &QPushButton::clicked, this, &ConfigPage::showSettings);
    connect(&Theme::instance(), &Theme::changed, this, &ConfigPage::showColours);
    connect(m_compareMenu, &QMenu::aboutToShow, this, &ConfigPage::fillCompareMenu);
    connectTree();
    connectText();
}

void ConfigPage::connectTree() {
    connect(m_recipe->model(), &RecipeModel::editRequested, this, &ConfigPage::edit);
    connect(m_file, &ConfigFile::valueWritten, m_recipe->model(), &RecipeModel::preview);
    connect(m_recipe, &RecipeView::addRequested, this, [this](const QString& key, const QString& yaml) {
        edit(key, yaml);
        revealWhenRead(key);
    });
    connect(m_recipe, &RecipeView::removeRequested, this, &ConfigPage::remove);
    connect(m_recipe, &RecipeView::moveRequested, this, &ConfigPage::move);
    connect(m_recipe, &RecipeView::currentChanged, this, &ConfigPage::showDetail);
    connect(m_recipe, &RecipeView::explainRequested, this, [this](const QString& key) {
        if (m_recipe->currentKey() != key)
            m_recipe->reveal(key);
        m_textPane->show();
        showDetail();
        m_info->showTab(InfoPane::Key);
    });
    connect(m_recipe, &RecipeView::lineRequested, this, [this](int line) { m_editor->goToLine(line); });
    connect(m_recipe, &RecipeView::textRequested, this, [this](int line) {
        m_textPane->show();
        m_editor->goToLine(line);
        m_editor->setFocus();
    });
    for (DecisiveCard* card : m_cards) {
        connect(card, &DecisiveCard::editRequested, this, &ConfigPage::edit);
        connect(card, &DecisiveCard::removeRequested, this, &ConfigPage::remove);
        connect(card, &DecisiveCard::revealRequested, m_recipe, &RecipeView::explainRequested);
    }
    connect(m_info->detail(), &KeyDetail::applyRequested, this, &ConfigPage::apply);
    connect(m_info->detail(), &KeyDetail::renameRequested, this, &ConfigPage::rename);
    connect(m_info->problemList(), &ProblemList::remedyRequested, this, &ConfigPage::apply);
    connect(m_info->problemList(), &ProblemList::manifestRequested, this, &ConfigPage::chooseManifest);
    connect(m_info->detail(), &KeyDetail::causeRequested, this, &ConfigPage::causeRequested);
}

void ConfigPage::connectText() {
    connect(m_editor, &YamlEditor::edited, this, [this] { m_file->setShownText(m_editor->shownText().toStdString()); });
    connect(m_editor, &YamlEditor::undoRequested, m_file->undoStack(), &QUndoStack::undo);
    connect(m_editor, &YamlEditor::redoRequested, m_file->undoStack(), &QUndoStack::redo);
    connect(m_editor, &YamlEditor::leaveRequested, m_recipe, &RecipeView::focusTree);
    connect(m_editor, &YamlEditor::fileDropped, this, &ConfigPage::takeDropped);
    connect(m_editor, &YamlEditor::lineEntered, m_recipe, &RecipeView::showLine);
    connect(m_editor, &YamlEditor::jumpRequested, this, [this](int line) {
        const QString key = m_recipe->model()->indexAtLine(line).data(RecipeModel::KeyRole).toString();
        if (!key.isEmpty())
            m_recipe->reveal(key);
    });
    connect(m_info->changes(), &ChangesView::lineRequested, this, [this](int line) {
        m_editor->goToLine(line);
        m_editor->setFocus();
    });
    const auto goTo = [this](const QModelIndex& index) {
        if (const int line = index.data(ProblemModel::LineRole).toInt(); line > 0) {
            m_editor->goToLine(line, index.data(ProblemModel::ColumnRole).toInt());
            m_editor->setFocus();
        } else if (const QString key = index.data(ProblemModel::KeyRole).toString(); !key.isEmpty()) {
            m_recipe->reveal(key);
        }
    };
    connect(m_info->problemList(), &QListView::clicked, this, goTo);
    connect(m_info->problemList(), &QListView::activated, this, goTo);
}

void ConfigPage::retranslate() {
    m_editor->setAccessibleName(tr("YAML text"));
    m_editor->setToolTip(tr("Ctrl+] and Ctrl+[ indent, as do Tab and Shift+Tab with several lines selected; "
                            "Esc and Tab leave the text"));
    m_toSettings->setText(tr("Settings of the run"));
    m_toSettings->setToolTip(tr("What the open run was launched with, to be read"));
    m_editor->setPlaceholderText(tr("Open a recipe (Ctrl+O), or drop a YAML file here."));
    for (DecisiveCard* card : m_cards)
        card->retranslate();
    if (!m_copyOf.first.isEmpty())
        m_file->setTitle(titleOfCopy(m_copyOf.first, m_copyOf.second));
    foldCards(m_cardsFolded);
    showTitle();
    showEvaluation();
}

ProblemModel* ConfigPage::problems() const {
    return m_info->problems();
}

void ConfigPage::showBytes() {
    const std::string shown = withLineFeeds(m_file->bytes());
    const QString text = QString::fromUtf8(shown.data(), static_cast<qsizetype>(shown.size()));
    m_editor->setShownText(text);
    // a text that the editor cannot hold unchanged must not be written back from it
    const bool faithful = m_editor->shownText() == text;
    m_editor->setReadOnly(!faithful);
    if (!faithful)
        m_notice->show(NoticeBar::Kind::Warning,
                       [] { return tr("The text has characters that this pane cannot keep; edit it in the tree."); });
    m_dryRun->outdate();
}

void ConfigPage::showEvaluation() {
    const Evaluation& evaluation = m_file->evaluation();
    // while the text is no YAML (a key half typed) the tree stays as it was
    const bool readable = !evaluation || !evaluation->rows.empty() || evaluation->ok();
    if (readable || m_justOpened)
        m_recipe->setEvaluation(evaluation, m_file->takeTree());
    m_recipe->setStale(!readable);
    m_editor->setProblems(evaluation ? evaluation->problems : std::vector<config::Problem>{});
    for (DecisiveCard* card : m_cards) {
        card->setRow(evaluation ? evaluation->find(card->key().toStdString()) : nullptr);
        if (!readable)
            card->setUnread();
    }
    showCosts();
    showDetail();
    planLaunch();
    showProblems();
    if (evaluation && m_justOpened) {
        m_justOpened = false;
        m_info->showTab(problems()->rowCount() > 0 ? InfoPane::Problems : InfoPane::Key);
        const auto& all = evaluation->problems; // errors first
        if (!all.empty() && all.front().severity == config::Problem::Severity::Error && all.front().at.line > 0)
            m_editor->goToLine(all.front().at.line, all.front().at.column);
    }
}

void ConfigPage::showDetail() {
    m_info->detail()->show(m_recipe->currentKey(), m_file->evaluation(), m_recipe->model()->risks());
}

void ConfigPage::showProblems() {
    problems()->show(m_file->evaluation(), m_recipe->model()->risks(), m_dryRun->obstacles());
}

void ConfigPage::planLaunch() {
    const Evaluation& evaluation = m_file->evaluation();
    if (m_file->evaluator()->isBusy())
        return m_dryRun->outdate(); // asked again with the evaluation
    if (!evaluation || !isPlannable(*evaluation))
        return m_dryRun->clear();
    m_dryRun->request(m_launch->dryRunRequest());
}

void ConfigPage::showCosts() {
    const bool timed = [&] {
        const Evaluation& evaluation = m_file->evaluation();
        const config::KeyRow* row = evaluation ? evaluation->find("rankscope.length_sync.timeout_s") : nullptr;
        return row && row->effective && *row->effective != "null";
    }();
    for (DecisiveCard* card : m_cards)
        card->setPlan(*m_dryRun, timed);
}

void ConfigPage::showPlan() {
    showCosts();
    if (m_dryRun->state() == DryRun::State::Ready)
        m_recipe->model()->setRisks(m_dryRun->risks());
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

/// Rich text and pictures hold the colours with which they were made.
void ConfigPage::showColours() {
    for (DecisiveCard* card : m_cards)
        card->retranslate();
    showCosts();
    if (m_file->evaluation() && !m_file->evaluator()->isBusy())
        showProblems();
}

bool ConfigPage::showsRun() const {
    return m_settings && m_sources->currentWidget() == m_settings;
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
        m_settings = new RunSettings(m_sources);
        m_sources->addWidget(m_settings);
        connect(m_settings, &RunSettings::relaunchRequested, this, &ConfigPage::relaunchRequested);
        connect(m_settings, &RunSettings::recipeRequested, this, &ConfigPage::showRecipe);
    }
    m_settings->setRun(m_run);
    showSources();
    showPane(m_settings);
}

bool ConfigPage::isComplete() const {
    if (showsRun())
        return m_settings->isComplete();
    return m_file->isOpen() && !m_file->evaluator()->isBusy() && m_file->evaluation() && !m_comparisons->isBusy();
}

QByteArray ConfigPage::saveLayout() const {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out << qint32(2) << m_split->saveState() << m_recipe->saveColumns() << m_textSplit->saveState()
        << m_launch->machine() << m_cardsFolded;
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
    m_textSplit->restoreState(text);
    QString machine;
    bool folded = false;
    in >> machine >> folded; // an older window did not write them
    if (in.status() == QDataStream::Ok) {
        m_launch->setMachine(machine);
        foldCards(folded);
    }
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

void ConfigPage::foldCards(bool on) {
    m_cardsFolded = on;
    for (DecisiveCard* card : m_cards)
        card->setFolded(on);
    m_fold->setArrowType(on ? Qt::DownArrow : Qt::UpArrow);
    m_fold->setToolTip(on ? tr("Show the three settings with their effect")
                          : tr("Fold the three settings to one line"));
    m_fold->setAccessibleName(m_fold->toolTip());
}

void ConfigPage::focusSearch() {
    (showsRun() ? m_settings->recipe() : m_recipe)->focusSearch();
}

void ConfigPage::launch() {
    if (showsRun()) { // what is launched is not in view
        showRecipe();
        return offerLaunch();
    }
    m_notice->clear();
    m_launch->launch();
}

void ConfigPage::offerLaunch() {
    if (m_file->isOpen())
        m_notice->show(NoticeBar::Kind::Info,
                       [this] { return tr("Press Ctrl+Enter again to launch %1.").arg(m_file->title()); });
}

void ConfigPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    // whoever comes back from another program may have mended what a launch was refused for
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && m_dryRun->isRefused())
        m_dryRun->again();
}

bool ConfigPage::eventFilter(QObject* watched, QEvent* event) {
    // the wheel passes over a number without changing it
    if (event->type() == QEvent::Wheel && qobject_cast<QSpinBox*>(watched)) {
        event->ignore();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ConfigPage::takeFocus() {
    (showsRun() ? m_settings->recipe() : m_recipe)->tree()->setFocus();
}

/// The focus comes with the page where it was on the page before.
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
    for (DecisiveCard* card : m_cards)
        card->setCompact(height() < 620);
}

} // namespace rankscope::ui
