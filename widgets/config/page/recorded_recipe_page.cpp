// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/recorded_recipe_page.h"

#include "core/base/files/guarded_folder.h"
#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/recipe/text_change.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/models/view/watched_run.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QThreadPool>
#include <QToolButton>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace rankscope::ui {

static constexpr std::size_t kLargestSettings = 16u << 20;

/// Replaces the effective values with those in effective.yaml, because this version might evaluate the recipe
/// differently.
static Evaluation asItActed(const Evaluation& recipe, const Evaluation& acted) {
    std::unordered_map<std::string, const config::KeyRow*> rows;
    for (const config::KeyRow& row : acted->rows)
        rows.emplace(row.key, &row);
    auto result = std::make_shared<Evaluated>(*recipe);
    for (config::KeyRow& row : result->rows)
        if (const auto found = rows.find(row.key); found != rows.end() && found->second->effective)
            row.effective = found->second->effective;
    return result;
}

static QString shortName(const std::string& key) {
    return QString::fromStdString(key).section(QLatin1Char('.'), -1);
}

static QStringList differencesOf(const config::Effective& mine, const Comparison& before) {
    QStringList found;
    const auto word = [](const std::optional<config::ValueText>& value) {
        return value ? QString::fromStdString(*value) : QStringLiteral("–");
    };
    for (const config::KeyRow& row : mine.rows) {
        const auto now = shownValue(row), then = before.value(row.key);
        if (!sameShownValue(now, then))
            found << QStringLiteral("%1: %2 → %3").arg(shortName(row.key), word(then), word(now));
    }
    for (const auto& [key, row] : before.rows)
        if (!mine.find(key))
            found << QStringLiteral("%1: %2 → –").arg(shortName(key), word(shownValue(*row)));
    return found;
}

static RunSettingsRead readRunSettings(const QString& runDir) {
    RunSettingsRead read;
    const launch::RunPaths run{runDir.toStdString()};
    const auto info = launch::recordedRunInfo(run);
    if (info) {
        const auto marks = launch::readMarks(run);
        read.name = QString::fromStdString(marks && !marks->title.empty() ? marks->title : info->name);
        read.hasRecipe = info->hasRecipe();
        std::ranges::transform(info->command, std::back_inserter(read.command), &QString::fromStdString);
        if (info->configPath.empty()) // otherwise it was launched with the recipe
            read.from = QString::fromStdString(info->recipeFrom);
        read.obstacle = relaunchObstacle(*info);
    }
    if (!read.hasRecipe)
        return read;
    const auto acted = readRunFile(run.effective(), kLargestSettings);
    const auto config = readRunFile(run.config(), kLargestSettings);
    if (!acted && !config) {
        read.problem = acted.error();
        return read;
    }
    const std::string name = (acted ? run.effective() : run.config()).string();
    read.text = acted ? *acted : *config;
    read.evaluation = evaluated(read.text, name);
    if (acted && config) {
        const auto recipe =
            evaluated(*config, run.config().string(), info ? info->overrides : std::vector<std::string>());
        if (!recipe->rows.empty())
            read.evaluation = asItActed(recipe, read.evaluation);
    }
    const bool isOurs = !info || info->recipeFrom.empty();
    if (const auto error = isOurs ? std::nullopt : config::launchError(*read.evaluation, {}))
        read.obstacle =
            RecordedRecipePage::tr("Rankscope's trainer cannot train this recipe: %1").arg(messageText(error->what));
    if (!info)
        return read;
    read.resumed = info->relaunchedFrom.empty() && !info->resumedFrom.empty();
    const QString id = QString::fromStdString(read.resumed ? info->resumedFrom : info->relaunchedFrom);
    if (id.isEmpty() || id.contains(QLatin1Char('/')) || id.startsWith(QLatin1Char('.')))
        return read;
    read.beforeId = id;
    const launch::RunPaths before{run.dir.parent_path() / id.toStdString()};
    if (const auto text = readRunFile(before.effective(), kLargestSettings)) {
        const std::string path = before.effective().string();
        read.before.title = id.section(QLatin1Char('-'), -1);
        read.before.path = QString::fromStdString(path);
        read.before.setEvaluation(evaluated(*text, path));
        read.other = differencesOf(*read.evaluation, read.before);
        const auto then = launch::recordedRunInfo(before);
        if (then && then->worldSize != info->worldSize)
            read.other.prepend(RecordedRecipePage::tr("ranks: %1 → %2").arg(then->worldSize).arg(info->worldSize));
    }
    return read;
}

RecordedRecipePage::RecordedRecipePage(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_difference(new QLabel(this)), m_relaunch(new QPushButton(this)),
      m_toRecipe(new QPushButton(this)), m_recipe(new RecipeView(this)), m_text(new YamlEditor(this)),
      m_detail(new KeyDetail(this)), m_compare(new QMenu(this)), m_split(new QSplitter(Qt::Horizontal, this)),
      m_programPane(makeProgramPane()) {
    build();
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
    connect(m_relaunch, &QPushButton::clicked, this, [this] { emit relaunchRequested(m_run); });
    connect(m_toRecipe, &QPushButton::clicked, this, &RecordedRecipePage::recipeRequested);
    connect(m_watch, &QPushButton::clicked, this, [this] { emit watchRequested(m_read.command); });
    connect(m_recipe, &RecipeView::currentChanged, this, &RecordedRecipePage::showDetail);
    connect(m_recipe, &RecipeView::explainRequested, this, [this](const QString& key) { m_recipe->reveal(key); });
    connect(m_text, &YamlEditor::leaveRequested, m_recipe, &RecipeView::focusTree);
    connect(m_compare, &QMenu::aboutToShow, this, &RecordedRecipePage::fillCompareMenu);
}

void RecordedRecipePage::build() {
    m_title->setObjectName(QStringLiteral("heading"));
    m_title->setFont(headingFont());
    m_title->setTextFormat(Qt::PlainText); // it may be the name of another user's run
    m_difference->setObjectName(QStringLiteral("difference"));
    m_difference->setFont(secondaryFont());
    m_difference->setTextFormat(Qt::PlainText);
    m_difference->setForegroundRole(QPalette::PlaceholderText);
    m_difference->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_recipe->setReadOnly();
    m_recipe->compareButton()->setMenu(m_compare);
    m_text->setReadOnly(true);
    auto* side = new QSplitter(Qt::Vertical, this);
    fillSplitter(side, {{m_text, 3}, {m_detail, 1}}, {480, 160});
    fillSplitter(m_split, {{m_recipe, 3}, {side, 2}}, {640, 480});
    auto* heading = rowOf({m_title, {m_difference, 1}, m_toRecipe, m_relaunch}, 8, {12, 6, 8, 4});
    setLayout(columnOf({heading, {m_split, 1}, {m_programPane, 1}}));
}

QWidget* RecordedRecipePage::makeProgramPane() {
    auto* pane = new QWidget(this);
    m_programText = new QLabel(pane);
    m_programText->setObjectName(QStringLiteral("programText"));
    m_programText->setAlignment(Qt::AlignCenter);
    m_programText->setWordWrap(true);
    m_watch = new QPushButton(pane);
    auto* buttons = rowOf({kSpareRoom, m_watch, kSpareRoom});
    pane->setLayout(columnOf({kSpareRoom, m_programText, buttons, kSpareRoom}, 12, {24, 0, 24, 0}));
    return pane;
}

void RecordedRecipePage::retranslate() {
    m_relaunch->setText(tr("Relaunch with changes"));
    m_text->setAccessibleName(tr("Settings as YAML"));
    m_watch->setText(tr("Start it again…"));
    m_watch->setToolTip(plainToolTip(tr("Change the command of this run, and start and watch it again")));
    m_programText->setText(noRecipeText());
    m_compare->setTitle(tr("Compare"));
    showWords();
}

void RecordedRecipePage::setRecipeName(const QString& name) {
    m_recipeName = name;
    showWords();
}

void RecordedRecipePage::showWords() {
    const QString tail = QFileInfo(m_run).fileName().section(QLatin1Char('-'), -1);
    m_title->setText(m_read.name.isEmpty()
                         ? tr("Settings of run %1").arg(QFileInfo(m_run).fileName())
                         : tr("Settings of run %1, %2", "name, end of the id").arg(m_read.name, tail));
    m_title->setToolTip(plainToolTip(m_run));
    m_toRecipe->setVisible(!m_recipeName.isEmpty());
    m_toRecipe->setText(tr("Back to the recipe"));
    m_toRecipe->setToolTip(plainToolTip(tr("Edit %1, which is open").arg(m_recipeName)));
    QString words;
    m_split->setVisible(m_read.hasRecipe);
    m_programPane->setVisible(!m_read.hasRecipe);
    m_watch->setVisible(!m_read.command.isEmpty()); // attached ranks were started by others
    m_relaunch->setVisible(m_read.hasRecipe);
    m_relaunch->setEnabled(m_read.obstacle.isEmpty());
    m_relaunch->setToolTip(m_read.obstacle.isEmpty() ? tr("Open a copy of this run's recipe to edit (Ctrl+R)")
                                                     : plainToolTip(m_read.obstacle));
    if (!m_read.hasRecipe) {
        // the pane below says so
    } else if (m_read.problem) {
        words = messageText(*m_read.problem);
    } else if (!m_read.from.isEmpty()) {
        words = tr("read-only; what %1 trained with, as its process had it when training began").arg(m_read.from);
    } else if (m_read.beforeId.isEmpty()) {
        words = tr("read-only");
    } else {
        const QString before = m_read.beforeId.section(QLatin1Char('-'), -1);
        words = (m_read.resumed ? tr("read-only; resumed from %1") : tr("read-only; repeats %1")).arg(before);
        words = placedText(words, !m_read.before.evaluation ? tr("its settings cannot be read")
                                  : m_read.other.isEmpty()  ? tr("with the same settings")
                                                            : m_read.other.join(QStringLiteral(", ")));
    }
    if (m_read.hasRecipe && !m_read.problem && !m_read.obstacle.isEmpty())
        words += QStringLiteral(". ") + m_read.obstacle;
    m_difference->setText(words);
    m_difference->setToolTip(plainToolTip(words));
}

void RecordedRecipePage::setRun(const QString& runDir) {
    if (runDir == m_run && !m_read.problem && m_read.hasRecipe) // a program names its recipe while it trains
        return;
    m_run = runDir;
    m_read = {};
    showWords();
    ++m_reading;
    QThreadPool::globalInstance()->start([self = QPointer<RecordedRecipePage>(this), runDir] {
        const RunSettingsRead read = readRunSettings(runDir);
        QMetaObject::invokeMethod(qApp, [self, read, runDir] {
            if (!self)
                return;
            --self->m_reading;
            if (self->m_run == runDir)
                self->show(read);
        });
    });
}

void RecordedRecipePage::show(const RunSettingsRead& read) {
    m_read = read;
    if (!read.hasRecipe)
        return showWords();
    m_withBefore = read.before.evaluation != nullptr;
    m_recipe->setComparisons({});
    m_recipe->setEvaluation(read.evaluation);
    if (m_withBefore)
        m_recipe->setComparisons({read.before});
    const std::string shown = withLineFeeds(read.text);
    m_text->setShownText(QString::fromUtf8(shown.data(), static_cast<qsizetype>(shown.size())));
    showWords();
    showDetail();
}

void RecordedRecipePage::showDetail() {
    m_detail->show(m_recipe->currentKey(), m_read.evaluation, {});
}

void RecordedRecipePage::fillCompareMenu() {
    m_compare->clear();
    const auto choose = [this](const QString& text, bool before) {
        QAction* action = m_compare->addAction(text, this, [this, before] {
            m_withBefore = before;
            m_recipe->setComparisons(before ? std::vector<Comparison>{m_read.before} : std::vector<Comparison>());
        });
        action->setCheckable(true);
        action->setChecked(m_withBefore == before);
    };
    choose(tr("NeMo defaults only"), false);
    if (m_read.before.evaluation)
        choose(tr("Run %1, and NeMo's defaults").arg(m_read.beforeId), true);
}

} // namespace rankscope::ui
