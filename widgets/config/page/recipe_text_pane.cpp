// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/recipe_text_pane.h"

#include "widgets/config/problems/problem_list.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/recipe/recipe_file.h"
#include "widgets/config/text/changes_view.h"
#include "widgets/config/text/find_bar.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/controls/box_layout.h"

#include <QSplitter>

#include <utility>

namespace rankscope::ui {

RecipeTextPane::RecipeTextPane(ConfigFile* file, PlanRequest* dryRun, QWidget* parent)
    : QWidget(parent), m_file(file), m_editor(new YamlEditor(this)), m_find(new FindBar(m_editor, this)),
      m_info(new InfoPane(dryRun, this)), m_split(new QSplitter(Qt::Vertical, this)), m_above(new QWidget(m_split)) {
    build();
    connect(m_editor, &YamlEditor::edited, this, [this] { m_file->setShownText(m_editor->shownText().toStdString()); });
    connect(m_editor, &YamlEditor::undoRequested, m_file->undoStack(), &QUndoStack::undo);
    connect(m_editor, &YamlEditor::redoRequested, m_file->undoStack(), &QUndoStack::redo);
    connect(m_info->changes(), &ChangesView::lineRequested, this, [this](int line) { enterLine(line); });
    connect(m_info->problemList(), &QListView::clicked, this, &RecipeTextPane::goTo);
    connect(m_info->problemList(), &QListView::activated, this, &RecipeTextPane::goTo);
    m_changes.setSingleShot(true);
    m_changes.setInterval(200);
    const auto wait = [this] { m_changes.start(); };
    connect(m_file, &ConfigFile::bytesChanged, this, wait);
    connect(m_file, &ConfigFile::evaluationChanged, this, wait);
    connect(m_file, &ConfigFile::dirtyChanged, this, wait);
    connect(&m_changes, &QTimer::timeout, this,
            [this] { m_info->changes()->show(m_file->diskBytes(), m_file->bytes()); });
}

void RecipeTextPane::build() {
    m_above->setLayout(columnOf({m_find, {m_editor, 1}}));
    fillSplitter(m_split, {{m_above, 3}, {m_info, 2}}, {320, 220});
    m_editor->setMinimumHeight(60);
    m_info->setMinimumHeight(84);
    setLayout(columnOf({m_split}));
}

bool RecipeTextPane::showText() {
    const std::string shown = withLineFeeds(m_file->bytes());
    const QString text = QString::fromUtf8(shown.data(), static_cast<qsizetype>(shown.size()));
    m_editor->setShownText(text);
    // a text that the editor cannot hold unchanged must not be written back from it
    const bool faithful = m_editor->shownText() == text;
    m_editor->setReadOnly(!faithful);
    return faithful;
}

void RecipeTextPane::showTab(InfoPane::InfoTab tab) {
    show();
    m_info->showTab(tab);
}

void RecipeTextPane::showChanges() {
    m_changes.stop();
    m_info->changes()->show(m_file->diskBytes(), m_file->bytes());
    showTab(InfoPane::Changes);
}

/// Puts the text in a tab if the height is small: above the tabs, both would be only a few lines high.
void RecipeTextPane::setTabbed(bool on) {
    if (std::exchange(m_tabbed, on) == on)
        return;
    const bool hadFocus = m_above->isAncestorOf(focusWidget());
    if (on) {
        m_sizes = m_split->saveState();
        m_info->setText(m_above);
        if (hadFocus)
            m_info->setCurrentWidget(m_above);
    } else {
        m_info->setText(nullptr);
        m_split->insertWidget(0, m_above);
        m_above->show();
        m_split->restoreState(m_sizes);
    }
    if (hadFocus)
        m_editor->setFocus();
}

void RecipeTextPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    static constexpr int kTabbedBelow = 320;
    setTabbed(height() < kTabbedBelow);
}

void RecipeTextPane::enterLine(int line, int column) {
    if (m_tabbed)
        m_info->setCurrentWidget(m_above);
    m_editor->goToLine(line, column);
    m_editor->setFocus();
}

void RecipeTextPane::goTo(const QModelIndex& problem) {
    if (const int line = problem.data(ProblemModel::LineRole).toInt(); line > 0)
        enterLine(line, problem.data(ProblemModel::ColumnRole).toInt());
    else if (const QString key = problem.data(ProblemModel::KeyRole).toString(); !key.isEmpty())
        emit keyRequested(key);
}

QByteArray RecipeTextPane::saveState() const {
    return m_tabbed ? m_sizes : m_split->saveState();
}

void RecipeTextPane::restoreState(const QByteArray& state) {
    m_sizes = state;
    if (!m_tabbed)
        m_split->restoreState(state);
}

void RecipeTextPane::retranslate() {
    m_editor->setAccessibleName(tr("YAML text"));
    m_editor->setToolTip(tr("Ctrl+] and Ctrl+[ indent, as do Tab and Shift+Tab with several lines selected; "
                            "Esc and Tab leave the text"));
    m_editor->setPlaceholderText(tr("Open a recipe (Ctrl+O), or drop a YAML file here."));
}

} // namespace rankscope::ui
