// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/page/runs_page.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/models/text/text_format.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/filter/filter_edit.h"
#include "widgets/runs_page/page/annotation_writer.h"
#include "widgets/runs_page/page/mark_actions.h"
#include "widgets/runs_page/page/named_views.h"
#include "widgets/runs_page/table/column_chooser.h"
#include "widgets/runs_page/table/filter_words.h"
#include "widgets/runs_page/table/frozen_columns.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>
#include <QUrl>

#include <algorithm>

namespace rankscope::ui {

RunsPage::RunsPage(QWidget* parent)
    : QWidget(parent), m_model(new RunTableModel(this)), m_proxy(new RunTableProxy(m_model, this)),
      m_marks(new MarksEditor(this)), m_views(new NamedViews(
                                          m_marks->undoStack(), [this] { return saveView(); }, this)),
      m_filter(new FilterEdit(this)), m_count(new QLabel(this)), m_columns(new QToolButton(this)),
      m_archived(new QToolButton(this)), m_compareButton(new QToolButton(this)),
      m_table(new RunTableView(m_model, m_proxy, this)), m_empty(new QLabel(this)), m_compare(new ComparePane(this)),
      m_splitter(new QSplitter(Qt::Vertical, this)), m_chooser(new ColumnChooser(this)),
      m_actions(new MarkActions(m_model, m_table, m_marks, this)) {
    build();
    retranslate();
    connectTable();
    connectMarks();
    auto* ticks = new QTimer(this);
    connect(ticks, &QTimer::timeout, this, [this] {
        if (isVisible())
            m_model->tick();
    });
    ticks->start(1000);
    onLanguageChange(this, [this] { retranslate(); });
}

void RunsPage::build() {
    setObjectName(QStringLiteral("runsPage"));
    for (auto* button : {m_columns, m_archived, m_compareButton}) {
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    m_archived->setCheckable(true);
    m_compareButton->setCheckable(true);
    m_columns->setIcon(Theme::instance().icon(QStringLiteral("pane")));
    m_archived->setIcon(Theme::instance().icon(QStringLiteral("folder")));
    m_compareButton->setIcon(Theme::instance().icon(QStringLiteral("compare")));
    m_count->setFont(secondaryFont());
    m_count->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setMargin(24);

    auto* top = filledBox(new QHBoxLayout, {8, 8, 8, 8}, 8);
    top->addWidget(m_filter, 1, Qt::AlignTop);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_count, m_views, m_archived, m_columns, m_compareButton})
        top->addWidget(widget, 0, Qt::AlignTop);
    m_count->setMinimumHeight(28);
    auto* tablePane = new QWidget(this);
    auto* column = filledBox(new QVBoxLayout(tablePane), {}, 0);
    column->addLayout(top);
    column->addWidget(m_table, 1);
    column->addWidget(m_empty, 1);
    m_splitter->addWidget(tablePane);
    m_splitter->addWidget(m_compare);
    m_splitter->setCollapsible(0, false);
    m_splitter->setCollapsible(1, false);
    m_splitter->setSizes({300, 460});
    m_compare->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);
    m_filter->setSettings([this]() -> const QSet<QString>& { return m_model->settingSet(); });
    m_filter->setNames([this] { return filterNames(*m_model); },
                       [this](const RunField& field) { return filterValues(*m_model, field); });
    updateCount();
}

void RunsPage::connectTable() {
    connect(m_filter, &FilterEdit::queryChanged, this, [this](const RunQuery& query) {
        m_proxy->setQuery(query);
        updateCount();
    });
    connect(m_table, &RunTableView::opened, this, &RunsPage::openRequested);
    connect(m_table, &RunTableView::starWanted, m_actions, &MarkActions::toggleStars);
    connect(m_table, &RunTableView::trashWanted, m_actions, &MarkActions::askTrash);
    connect(m_table, &RunTableView::tagsWanted, m_actions, &MarkActions::requestTag);
    connect(m_table, &RunTableView::pinWanted, m_actions, &MarkActions::togglePin);
    connect(m_table, &RunTableView::differencesWanted, m_actions, &MarkActions::toggleDifferences);
    connect(m_table, &RunTableView::copyWanted, this, &RunsPage::copyRows);
    connect(m_table, &RunTableView::starClicked, this, [this](const QString& dir) {
        if (const auto runs = runsOf(dir); !runs.isEmpty())
            m_marks->setFavourite(runs, !runs.front().marks.favourite);
    });
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        if (!m_table->indexAt(at).isValid())
            return;
        QMenu* shown = menu();
        shown->setAttribute(Qt::WA_DeleteOnClose);
        shown->popup(m_table->viewport()->mapToGlobal(at));
    });
    const auto choose = [this](QWidget* under) {
        m_chooser->open(under, m_table->visualColumns(), m_model->settings());
    };
    connect(m_columns, &QToolButton::clicked, this, [this, choose] { choose(m_columns); });
    connect(m_table->horizontalHeader(), &QWidget::customContextMenuRequested, this,
            [this, choose] { choose(m_columns); });
    connect(m_chooser, &ColumnChooser::chosen, m_table, &RunTableView::setColumns);
    connect(m_chooser, &ColumnChooser::defaultsWanted, this,
            [this] { m_table->setColumns(RunTableView::defaultColumns()); });
    connect(m_archived, &QToolButton::toggled, this, [this](bool on) {
        m_proxy->setArchivedShown(on);
        updateCount();
    });
    connect(m_views, &NamedViews::chosen, this, &RunsPage::restoreView);
    connect(m_compareButton, &QToolButton::toggled, this, &RunsPage::setCompared);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPage::selectionChanged);
    connect(m_compare, &ComparePane::message, this, &RunsPage::message);
    connect(m_compare, &ComparePane::failed, this, &RunsPage::failed);
    connect(m_compare, &ComparePane::runClicked, this, [this](const QString& dir) {
        m_table->selectDirs({dir});
        if (const auto rows = m_table->selectionModel()->selectedRows(); !rows.isEmpty())
            m_table->scrollTo(rows.front());
    });
}

void RunsPage::connectMarks() {
    connect(m_model, &RunTableModel::titleEdited, this, &RunsPage::rename);
    connect(m_model, &RunTableModel::noteEdited, this, [this](const QString& dir, const QString& note) {
        for (const RunRow& run : runsOf(dir))
            m_marks->setNote(run, note);
    });
    connect(m_model, &RunTableModel::tagsEdited, this, [this](const QString& dir, const QStringList& tags) {
        for (const RunRow& run : runsOf(dir))
            m_marks->setTags(run, tags);
    });
    connect(m_marks, &MarksEditor::written, this, [this](const WrittenMarks& marks) {
        m_model->setMarks(marks);
        selectionChanged(); // another run may be the baseline
    });
    connect(m_actions, &MarkActions::message, this, &RunsPage::message);
    connect(m_marks, &MarksEditor::idle, this, &RunsPage::changed);
    connect(m_marks, &MarksEditor::failed, this, &RunsPage::failed);
    connect(m_marks, &MarksEditor::noteRefused, this, &RunsPage::editNoteAgain);
    connect(m_marks, &MarksEditor::removed, this, &RunsPage::removed);
    connect(m_marks, &MarksEditor::trashed, this, [this](int runs) {
        if (runs > 0)
            emit message(tr("%n run(s) are in the trash", nullptr, runs));
    });
}

void RunsPage::rename(const QString& dir, const QString& title) {
    for (const RunRow& run : runsOf(dir))
        m_marks->setTitle(run, title);
}

/// Opens the editor again with the note that was typed, which has not been written.
void RunsPage::editNoteAgain(const QString& dir, const QString& note) {
    const int row = m_model->rowOf(dir);
    const QModelIndex index = row < 0 ? QModelIndex() : m_proxy->mapFromSource(m_model->index(row, 0));
    if (!index.isValid())
        return emit failed(tr("The note of %1 was not saved: %2").arg(QFileInfo(dir).fileName(), note));
    m_table->setCurrentIndex(index);
    m_table->editCell(FieldId::Note);
    if (auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget()); line && m_table->isAncestorOf(line))
        line->setText(note);
}

void RunsPage::retranslate() {
    m_columns->setText(tr("Columns"));
    m_columns->setToolTip(tr("Choose columns: figures, facts and any setting"));
    m_archived->setText(tr("Archived"));
    m_archived->setToolTip(tr("Show archived runs as well"));
    m_compareButton->setText(tr("Compare"));
    m_compareButton->setToolTip(tr("Compare the selected runs below the table"));
    for (QWidget* table : std::initializer_list<QWidget*>{m_table, m_table->frozen()})
        table->setAccessibleName(tr("Runs"));
    m_model->retranslate();
    updateCount();
}

void RunsPage::setRows(const QList<RunRow>& rows) {
    m_listed = true;
    const bool selected = m_table->selectionModel()->hasSelection();
    m_model->setRows(rows);
    m_filter->check();
    updateCount();
    if (selected && m_compare->isVisibleTo(this))
        m_compare->setRuns(comparedRuns()); // live runs have new data
}

void RunsPage::setFilled() {
    m_filled = true;
    m_filter->check();
}

void RunsPage::updateCount() {
    const int all = m_model->rowCount(), shown = m_proxy->rowCount() + m_proxy->foldedRows();
    const int selected = m_table->selectedCount();
    QString text =
        shown == all ? tr("%n run(s)", nullptr, all) : tr("%1 of %2 runs").arg(countText(shown), countText(all));
    if (selected > 1)
        text += tr(", %1 selected").arg(countText(selected));
    m_count->setText(text);
    m_empty->setText(all == 0 ? tr("No runs yet. Choose Run > Watch a command…, launch a recipe from Configure, or "
                                   "drop a run's folder onto the window.")
                     : m_filter->text().isEmpty()
                         ? tr("All runs are archived. \"Archived\" above shows them.")
                         : tr("No runs match the filter. Press Esc in the filter to clear it."));
    m_empty->setVisible(shown == 0);
    m_table->setVisible(shown > 0);
}

void RunsPage::selectionChanged() {
    updateCount();
    if (m_compare->isVisibleTo(this))
        m_compare->setRuns(comparedRuns());
}

void RunsPage::setCompared(bool on) {
    m_compareButton->setChecked(on);
    m_compare->setVisible(on);
    m_compare->setRuns(on ? comparedRuns() : QList<RunRow>());
}

/// Returns the selected runs, and the pinned baseline if it is not among them.
QList<RunRow> RunsPage::comparedRuns() const {
    QList<RunRow> runs = m_table->selectedRuns();
    const int baseline = m_model->baselineRow();
    const bool hasPinned = std::any_of(runs.begin(), runs.end(), [](const RunRow& run) { return run.isPinned(); });
    if (!runs.isEmpty() && !hasPinned && baseline >= 0)
        runs << m_model->rows()[baseline];
    return runs;
}

bool RunsPage::isCompared() const {
    return m_compare->isVisibleTo(this);
}

void RunsPage::exportPlots() {
    if (isCompared())
        m_compare->exportCurves();
    else
        emit message(tr("Select runs and press Compare: only the curves can be exported here"));
}

void RunsPage::focusFilter() {
    m_filter->line()->setFocus(Qt::ShortcutFocusReason);
    m_filter->line()->selectAll();
}

QUndoStack* RunsPage::undoStack() const {
    return m_marks->undoStack();
}

bool RunsPage::isComplete() const {
    return m_listed && m_filled && !m_marks->isBusy() && !m_model->isReadingSteps() &&
           (!isCompared() || m_compare->isComplete());
}

void RunsPage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Down && m_filter->line()->hasFocus() && m_proxy->rowCount() > 0) {
        m_table->setFocus();
        m_table->selectRow(0);
        return;
    }
    QWidget::keyPressEvent(event);
}

/// Gives the table the focus, which would be the filter's: the table's keys work at once, and / goes to the filter
/// instead of being typed there. A filter that is in use keeps the focus.
void RunsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    const QWidget* last = focusWidget();
    const bool unused = !last || (last == m_filter->line() && m_filter->text().isEmpty());
    if (!event->spontaneous() && m_table->isVisible() && unused)
        m_table->setFocus(Qt::OtherFocusReason);
}

QByteArray RunsPage::saveView() const {
    return QJsonDocument(
               QJsonObject{{QStringLiteral("table"), QString::fromUtf8(m_table->saveColumns())},
                           {QStringLiteral("splitter"), QString::fromLatin1(m_splitter->saveState().toBase64())},
                           {QStringLiteral("compare"), isCompared()},
                           {QStringLiteral("archived"), m_archived->isChecked()},
                           {QStringLiteral("differences"), m_model->showsDifferences()},
                           {QStringLiteral("filter"), m_filter->text()}})
        .toJson(QJsonDocument::Compact);
}

/// Restores a view that saveView() returned. An empty array restores the default view.
void RunsPage::restoreView(const QByteArray& view) {
    const QJsonObject saved = QJsonDocument::fromJson(view).object();
    m_table->restoreColumns(saved.value(QStringLiteral("table")).toString().toUtf8());
    m_splitter->restoreState(QByteArray::fromBase64(saved.value(QStringLiteral("splitter")).toString().toLatin1()));
    m_archived->setChecked(saved.value(QStringLiteral("archived")).toBool());
    m_table->setDifferences(saved.value(QStringLiteral("differences")).toBool());
    m_filter->setText(saved.value(QStringLiteral("filter")).toString());
    setCompared(saved.value(QStringLiteral("compare")).toBool());
}

QByteArray RunsPage::saveLayout() const {
    QJsonObject layout = QJsonDocument::fromJson(saveView()).object();
    layout.insert(QStringLiteral("views"), m_views->saveState());
    return QJsonDocument(layout).toJson(QJsonDocument::Compact);
}

void RunsPage::restoreLayout(const QByteArray& layout) {
    m_views->restoreState(QJsonDocument::fromJson(layout).object().value(QStringLiteral("views")).toObject());
    restoreView(layout);
}

QList<RunRow> RunsPage::runsOf(const QString& dir) const {
    const int row = m_model->rowOf(dir);
    return row < 0 ? QList<RunRow>() : QList<RunRow>{m_model->rows()[row]};
}

void RunsPage::copyRows() {
    const int count = static_cast<int>(m_table->selectedRuns().size());
    if (count == 0)
        return;
    copyText(m_table->copied());
    emit message(tr("Copied %n row(s)", nullptr, count));
}

QMenu* RunsPage::menu() {
    const auto runs = m_table->selectedRuns();
    auto* menu = new QMenu(this);
    if (runs.isEmpty())
        return menu;
    const auto icon = [](const char* name) { return Theme::instance().icon(QLatin1String(name)); };
    const QString dir = runs.front().dir();
    const bool one = runs.size() == 1;
    const int compared = static_cast<int>(comparedRuns().size());
    const bool ended = std::any_of(runs.begin(), runs.end(), [](const RunRow& run) { return !run.isLive(); });
    menu->addAction(icon("plot"), tr("Open"), QKeySequence(Qt::Key_Return), this,
                    [this, dir] { emit openRequested(dir); })
        ->setEnabled(one);
    menu->addAction(icon("compare"), tr("Compare %n run(s)", nullptr, compared), this, [this] { setCompared(true); })
        ->setEnabled(compared > 1);
    menu->addSeparator();
    m_actions->addTo(menu, runs);
    menu->addSeparator();
    menu->addAction(icon("copy"), tr("Copy as table"), QKeySequence(QKeySequence::Copy), this, [this] { copyRows(); });
    menu->addAction(icon("copy"), tr("Copy path"), this, [this, runs] {
        QStringList paths;
        for (const RunRow& run : runs)
            paths << run.dir();
        copyText(paths.join(QLatin1Char('\n')));
        emit message(tr("Copied %n path(s)", nullptr, static_cast<int>(paths.size())));
    });
    menu->addAction(icon("folder"), tr("Open folder"), this,
                    [dir] { QDesktopServices::openUrl(QUrl::fromLocalFile(dir)); })
        ->setEnabled(one);
    if (runs.front().info.canRelaunch())
        menu->addAction(icon("relaunch"), tr("Relaunch with changes"), this,
                        [this, dir] { emit relaunchRequested(dir); })
            ->setEnabled(one);
    menu->addSeparator();
    menu->addAction(icon("stop"), tr("Stop"), this,
                    [this, runs] {
                        for (const RunRow& run : runs)
                            if (run.isLive())
                                emit stopRequested(run.dir(), false);
                    })
        ->setEnabled(std::any_of(runs.begin(), runs.end(), [](const RunRow& run) { return run.isLive(); }));
    menu->addAction(icon("trash"), tr("Move to trash…"), QKeySequence(Qt::Key_Delete), m_actions,
                    [this] { m_actions->askTrash(); })
        ->setEnabled(ended);
    return menu;
}

} // namespace rankscope::ui
