// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/config_page.h"

#include "core/base/file.h"
#include "core/launch/run_folder.h"
#include "widgets/config/decisive_card.h"
#include "widgets/config/launch_panel.h"
#include "widgets/config/notice_bar.h"
#include "widgets/config/problem_model.h"
#include "widgets/config/recipe_model.h"
#include "widgets/config/recipe_view.h"
#include "widgets/config/yaml_editor.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/theme.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QMimeData>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace rankscope::ui {

ConfigPage::ConfigPage(QWidget* parent)
    : QWidget(parent), m_file(new ConfigFile(this)), m_notice(new NoticeBar(this)), m_title(new QLabel(this)),
      m_path(new QLabel(this)), m_problemTitle(new QLabel(this)), m_heading(new QHBoxLayout),
      m_cardRow(new QWidget(this)), m_recipe(new RecipeView(this)), m_editor(new YamlEditor(this)),
      m_textPane(new QWidget(this)), m_problems(new ProblemModel(this)), m_problemList(new QListView(this)),
      m_split(new QSplitter(Qt::Horizontal, this)), m_launch(new LaunchPanel(m_file, this)) {
    setAcceptDrops(true);
    build();
    connectAll();
    retranslate();
    showEvaluation();
}

void ConfigPage::build() {
    auto* cards = new QHBoxLayout(m_cardRow);
    cards->setContentsMargins(12, 4, 12, 12);
    cards->setSpacing(12);
    for (int i = 0; i < 3; ++i) {
        m_cards[static_cast<std::size_t>(i)] = new DecisiveCard(i, m_cardRow);
        cards->addWidget(m_cards[static_cast<std::size_t>(i)], 1);
    }
    m_title->setFont(headingFont());
    m_path->setFont(secondaryFont());
    m_path->setForegroundRole(QPalette::PlaceholderText);
    m_path->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_heading->setContentsMargins(12, 6, 8, 4);
    m_heading->setSpacing(4);
    m_heading->addWidget(m_title);
    m_heading->addSpacing(8);
    m_heading->addWidget(m_path, 1);

    m_problemTitle->setFont(secondaryFont());
    m_problemTitle->setForegroundRole(QPalette::PlaceholderText);
    m_problemTitle->setContentsMargins(12, 4, 12, 4);
    m_problemList->setModel(m_problems);
    m_problemList->setFont(secondaryFont());
    m_problemList->setFrameShape(QFrame::NoFrame);
    m_problemList->setWordWrap(true);
    m_problemList->setMaximumHeight(112);
    m_problemList->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_problemList->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* text = new QVBoxLayout(m_textPane);
    text->setContentsMargins(0, 0, 0, 0);
    text->setSpacing(0);
    text->addWidget(m_editor, 1);
    text->addWidget(m_problemTitle);
    text->addWidget(m_problemList);

    m_split->addWidget(m_recipe);
    m_split->addWidget(m_textPane);
    m_split->setChildrenCollapsible(false);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    m_split->setSizes({700, 440});
    m_recipe->setMinimumWidth(320);
    m_textPane->setMinimumWidth(220);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addLayout(m_heading);
    layout->addWidget(m_cardRow);
    layout->addWidget(m_split, 1);
    layout->addWidget(m_launch);
}

void ConfigPage::connectAll() {
    connect(m_file, &ConfigFile::opened, this, [this] {
        m_notice->clear();
        showTitle();
    });
    connect(m_file, &ConfigFile::bytesChanged, this, &ConfigPage::showBytes);
    connect(m_file, &ConfigFile::dirtyChanged, this, &ConfigPage::showTitle);
    connect(m_file, &ConfigFile::evaluationChanged, this, &ConfigPage::showEvaluation);
    connect(m_file, &ConfigFile::changedOnDisk, this, &ConfigPage::fileChangedOnDisk);
    connect(m_editor, &YamlEditor::edited, this, [this] { m_file->setShownText(m_editor->shownText().toStdString()); });
    connect(m_editor, &YamlEditor::undoRequested, m_file->undoStack(), &QUndoStack::undo);
    connect(m_editor, &YamlEditor::redoRequested, m_file->undoStack(), &QUndoStack::redo);
    connect(m_editor, &YamlEditor::fileDropped, this, &ConfigPage::open);
    connect(m_recipe->model(), &RecipeModel::editRequested, this, &ConfigPage::edit);
    connect(m_recipe, &RecipeView::removeRequested, this, &ConfigPage::remove);
    connect(m_recipe, &RecipeView::lineRequested, this, [this](int line) { m_editor->goToLine(line); });
    for (DecisiveCard* card : m_cards) {
        connect(card, &DecisiveCard::editRequested, this, &ConfigPage::edit);
        connect(card, &DecisiveCard::removeRequested, this, &ConfigPage::remove);
        connect(card, &DecisiveCard::revealRequested, m_recipe, &RecipeView::reveal);
    }
    connect(m_problemList, &QListView::clicked, this, [this](const QModelIndex& index) {
        if (const int line = index.data(ProblemModel::LineRole).toInt(); line > 0) {
            m_textPane->show();
            m_editor->goToLine(line, m_problems->problems()[static_cast<std::size_t>(index.row())].at.column);
            m_editor->setFocus();
        } else {
            m_recipe->reveal(index.data(ProblemModel::KeyRole).toString());
        }
    });
    connect(m_launch, &LaunchPanel::launched, this, &ConfigPage::launched);
}

void ConfigPage::retranslate() {
    m_editor->setAccessibleName(tr("YAML text"));
    m_editor->setPlaceholderText(tr("Open a recipe (Ctrl+O), or drop a YAML file here."));
    for (DecisiveCard* card : m_cards)
        card->retranslate();
    showTitle();
    showEvaluation();
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
                       tr("The text has characters that this pane cannot keep; edit it in the tree."));
}

void ConfigPage::showEvaluation() {
    const Evaluation& evaluation = m_file->evaluation();
    m_recipe->setEvaluation(evaluation);
    m_problems->setProblems(evaluation ? evaluation->problems : std::vector<config::Problem>{});
    m_editor->setProblems(m_problems->problems());
    for (DecisiveCard* card : m_cards)
        card->setRow(evaluation ? evaluation->find(card->key().toStdString()) : nullptr);
    const int errors = m_problems->errorCount(), all = m_problems->rowCount();
    QStringList parts;
    if (errors > 0)
        parts << tr("%n error(s)", nullptr, errors);
    if (all > errors)
        parts << tr("%n note(s)", nullptr, all - errors);
    m_problemTitle->setText(parts.join(QStringLiteral(", ")));
    m_problemTitle->setVisible(all > 0);
    m_problemList->setVisible(all > 0);
}

void ConfigPage::showTitle() {
    if (!m_file->isOpen()) {
        m_title->setText(tr("No recipe is open"));
        m_path->clear();
    } else {
        m_title->setText(m_file->isDirty() ? tr("%1 •").arg(m_file->title()) : m_file->title());
        m_title->setToolTip(m_file->isDirty() ? tr("Not saved") : QString());
        m_path->setText(m_file->path().isEmpty() ? tr("unsaved copy") : m_file->path());
        m_path->setToolTip(m_file->path());
    }
    emit titleChanged();
}

bool ConfigPage::isComplete() const {
    return m_file->isOpen() && !m_file->evaluator()->isBusy() && m_file->evaluation();
}

void ConfigPage::edit(const QString& key, const QString& yaml) {
    if (const auto done = m_file->setValue(key, yaml); !done)
        m_notice->show(NoticeBar::Kind::Error, QString::fromStdString(done.error().message()));
}

void ConfigPage::remove(const QString& key) {
    if (const auto done = m_file->removeKey(key); !done)
        m_notice->show(NoticeBar::Kind::Error, QString::fromStdString(done.error().message()));
}

void ConfigPage::replaceAfterAsking(const std::function<void()>& open) {
    if (!m_file->hasEdits()) {
        open();
        return;
    }
    m_notice->show(NoticeBar::Kind::Warning, tr("%1 has edits that are not saved.").arg(m_file->title()));
    m_notice->addButton(tr("Save, then open"), [this, open] {
        if (save())
            open();
    });
    m_notice->addButton(tr("Discard edits"), open);
}

void ConfigPage::open(const QString& path) {
    replaceAfterAsking([this, path] {
        if (const auto done = m_file->open(path); !done)
            m_notice->show(NoticeBar::Kind::Error, QString::fromStdString(done.error().message()));
        else
            emit message(tr("Opened %1").arg(path));
    });
}

void ConfigPage::openCopyOf(const QString& runDir) {
    openCopyWith(runDir, {}, {});
}

void ConfigPage::openCopyWith(const QString& runDir, const QString& key, const QString& yaml) {
    replaceAfterAsking([this, runDir, key, yaml] {
        const rankscope::launch::RunPaths run{runDir.toStdString()};
        auto text = readFile(run.config());
        const auto info = rankscope::launch::readRunInfo(run);
        if (!text) {
            m_notice->show(NoticeBar::Kind::Error, QString::fromStdString(text.error().message()));
            return;
        }
        const QString origin = info ? QString::fromStdString(info->configPath) : QString();
        const QString base = origin.isEmpty() ? QFileInfo(runDir).fileName() : QFileInfo(origin).completeBaseName();
        m_file->openText(std::move(*text), tr("%1 (copy)").arg(base), origin);
        if (key.isEmpty()) {
            m_notice->show(NoticeBar::Kind::Info,
                           tr("This is a copy of the recipe that %1 was launched with. Change it and launch it again.")
                               .arg(QFileInfo(runDir).fileName()));
            return;
        }
        edit(key, yaml);
        if (m_file->hasEdits())
            m_notice->show(
                NoticeBar::Kind::Info,
                tr("%1: %2 is set in a copy of the run's recipe. Launch it, or undo (Ctrl+Z).").arg(key, yaml));
    });
}

bool ConfigPage::writeTo(const QString& path) {
    if (const auto done = m_file->saveAs(path); !done) {
        m_notice->show(NoticeBar::Kind::Error, QString::fromStdString(done.error().message()));
        return false;
    }
    m_notice->clear();
    emit message(tr("Saved %1").arg(path));
    return true;
}

bool ConfigPage::save() {
    if (!m_file->isOpen())
        return false;
    if (!m_file->path().isEmpty())
        return writeTo(m_file->path());
    saveAs();
    return false;
}

void ConfigPage::saveAs() {
    if (!m_file->isOpen())
        return;
    QString suggested = m_file->path();
    if (suggested.isEmpty() && !m_file->origin().isEmpty()) {
        const QFileInfo origin(m_file->origin());
        suggested = origin.absolutePath() + QLatin1Char('/') + origin.completeBaseName() + QStringLiteral("-copy.yaml");
    }
    auto* dialog =
        new QFileDialog(this, tr("Save recipe as"), suggested, tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("yaml"));
    if (!suggested.isEmpty())
        dialog->selectFile(suggested);
    connect(dialog, &QFileDialog::fileSelected, this, &ConfigPage::writeTo);
    dialog->open();
}

void ConfigPage::fileChangedOnDisk() {
    if (!QFileInfo::exists(m_file->path())) {
        m_notice->show(NoticeBar::Kind::Warning,
                       tr("%1 is no longer on disk. Saving writes it again.").arg(m_file->path()));
        return;
    }
    if (!m_file->hasEdits()) {
        if (m_file->reload())
            emit message(tr("%1 changed on disk and was read again").arg(m_file->title()));
        return;
    }
    m_notice->show(NoticeBar::Kind::Warning, tr("%1 changed on disk while you edited it.").arg(m_file->title()));
    m_notice->addButton(tr("Read again"), [this] {
        if (const auto done = m_file->reload(); !done)
            m_notice->show(NoticeBar::Kind::Error, QString::fromStdString(done.error().message()));
    });
    m_notice->addButton(tr("Keep mine"), [this] { m_file->keepMine(); });
}

QByteArray ConfigPage::saveLayout() const {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out << qint32(1) << m_split->saveState() << m_recipe->saveColumns();
    return bytes;
}

void ConfigPage::restoreLayout(const QByteArray& layout) {
    QDataStream in(layout);
    qint32 version = 0;
    QByteArray split, columns;
    in >> version >> split >> columns;
    if (version != 1 || in.status() != QDataStream::Ok)
        return;
    m_split->restoreState(split);
    m_recipe->restoreColumns(columns);
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

void ConfigPage::focusSearch() {
    m_recipe->focusSearch();
}

void ConfigPage::launch() {
    m_launch->launch();
}

void ConfigPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void ConfigPage::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void ConfigPage::dropEvent(QDropEvent* event) {
    open(event->mimeData()->urls().front().toLocalFile());
}

} // namespace rankscope::ui
