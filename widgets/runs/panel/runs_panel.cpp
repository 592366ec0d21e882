// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/runs_panel.h"

#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/runs/panel/run_delegate.h"
#include "widgets/runs/panel/run_filter.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/theme/theme.h"

#include <QActionGroup>
#include <QDesktopServices>
#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

RunsPanel::RunsPanel(QWidget* parent)
    : QWidget(parent), m_model(new RunListModel(this)), m_filter(new RunFilter(this)),
      m_delegate(new RunDelegate(this)), m_title(new QLabel(this)), m_fold(new QToolButton(this)),
      m_states(new QToolButton(this)), m_search(new QLineEdit(this)), m_list(new QListView(this)),
      m_empty(new QLabel(this)), m_stalls(new QTimer(this)) {
    m_filter->setSourceModel(m_model);
    build();
    retranslate();

    connect(m_fold, &QToolButton::clicked, this, [this] { emit foldRequested(!m_folded); });
    connect(m_search, &QLineEdit::textChanged, this,
            [this](const QString& words) { filter([&] { m_filter->setWords(words); }); });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (!m_quiet && index.isValid())
            open(index);
    });
    // for the run that is already open, they bring its page back
    connect(m_list, &QListView::clicked, this, &RunsPanel::open);
    connect(m_list, &QListView::activated, this, &RunsPanel::open);
    m_list->installEventFilter(this);
    m_list->viewport()->installEventFilter(this);
    connect(m_model, &RunListModel::renamed, this, &RunsPanel::renameRequested);
    connect(m_list, &QListView::customContextMenuRequested, this, &RunsPanel::showMenu);

    auto* ages = new QTimer(this);
    connect(ages, &QTimer::timeout, m_list->viewport(), qOverload<>(&QWidget::update));
    ages->start(30'000);
    m_stalls->setInterval(1000);
    connect(m_stalls, &QTimer::timeout, m_list->viewport(), qOverload<>(&QWidget::update));
}

void RunsPanel::open(const QModelIndex& index) {
    m_current = index.data(RunListModel::DirRole).toString();
    emit openRequested(m_current);
}

/// Keeps Tab from opening a run: by default Qt makes the first row current when the list gets the focus.
bool RunsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_list && event->type() == QEvent::FocusIn && !m_list->currentIndex().isValid())
        quietly(
            [&] { m_list->selectionModel()->setCurrentIndex(m_filter->index(0, 0), QItemSelectionModel::NoUpdate); });
    if (watched == m_list->viewport() && event->type() == QEvent::MouseButtonPress) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const QModelIndex index = m_list->indexAt(mouse->position().toPoint());
        if (!m_folded && mouse->button() == Qt::LeftButton && index.isValid() &&
            RunDelegate::chevron(m_list->visualRect(index), index).contains(mouse->position().toPoint())) {
            setOpened(index, !m_filter->isOpened(index.data(RunListModel::ChainRole).toString()));
            return true;
        }
    }
    if (watched == m_list && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const QModelIndex index = m_list->currentIndex();
        const bool open = key->key() == Qt::Key_Right || key->key() == Qt::Key_Plus;
        const bool close = key->key() == Qt::Key_Left || key->key() == Qt::Key_Minus;
        if ((open || close) && index.isValid() && !index.data(RunListModel::ChainRole).toString().isEmpty()) {
            setOpened(index, open);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

/// Shows or hides the other runs of this run's chain.
void RunsPanel::setOpened(const QModelIndex& index, bool opened) {
    const QString chain = index.data(RunListModel::ChainRole).toString();
    filter([&] { m_filter->setOpened(chain, opened); });
}

void RunsPanel::build() {
    setObjectName(QStringLiteral("runsPanel"));
    m_title->setFont(headingFont());
    m_fold->setIcon(Theme::instance().icon(QStringLiteral("sidebar")));
    m_fold->setAutoRaise(true);
    m_fold->setFocusPolicy(Qt::TabFocus);
    m_states->setIcon(Theme::instance().icon(QStringLiteral("filter")));
    m_states->setAutoRaise(true);
    m_states->setCheckable(true);
    m_states->setPopupMode(QToolButton::InstantPopup);
    m_states->setMenu(new QMenu(m_states));
    m_states->setStyleSheet(QStringLiteral("QToolButton::menu-indicator{image:none}"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);

    m_list->setModel(m_filter);
    m_list->setItemDelegate(m_delegate);
    m_list->setMouseTracking(true);
    m_list->setUniformItemSizes(true);
    m_list->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setBackgroundRole(QPalette::Window);
    m_list->viewport()->setBackgroundRole(QPalette::Window);
    m_empty->setWordWrap(true);
    m_empty->setFont(secondaryFont());
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setContentsMargins(12, 8, 12, 8);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(12, 0, 8, 0);
    top->setSpacing(4);
    top->addWidget(m_title, 1);
    top->addWidget(m_states);
    top->addWidget(m_fold);
    auto* searchRow = new QHBoxLayout;
    searchRow->setContentsMargins(8, 0, 8, 8);
    searchRow->addWidget(m_search);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(top);
    layout->addLayout(searchRow);
    layout->addWidget(m_empty);
    layout->addWidget(m_list, 1);
}

void RunsPanel::retranslate() {
    m_title->setText(tr("Runs"));
    m_fold->setToolTip(m_folded ? tr("Show the list of runs") : tr("Collapse the list of runs"));
    m_states->setToolTip(tr("Filter by state"));
    m_fold->setAccessibleName(m_fold->toolTip());
    m_states->setAccessibleName(m_states->toolTip());
    m_search->setPlaceholderText(tr("Search runs"));
    m_list->setAccessibleName(tr("Runs"));
    m_search->setAccessibleName(tr("Search runs"));
    rebuildFilterMenu();
    updateEmptyText();
}

void RunsPanel::rebuildFilterMenu() {
    QMenu* menu = m_states->menu();
    menu->clear();
    auto* group = new QActionGroup(menu);
    const auto add = [&](const QString& text, RunFilter::StateFilter states) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(m_filter->states() == states);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, states] { filter([&] { m_filter->setStates(states); }); });
    };
    add(tr("All"), RunFilter::StateFilter::All);
    add(tr("Live"), RunFilter::StateFilter::Live);
    add(tr("Finished"), RunFilter::StateFilter::Finished);
    add(tr("Failed, stopped or lost"), RunFilter::StateFilter::Ended);
    menu->addSeparator();
    QAction* archived = menu->addAction(tr("Archived runs as well"));
    archived->setCheckable(true);
    archived->setChecked(m_filter->archivedShown());
    connect(archived, &QAction::triggered, this,
            [this](bool shown) { filter([&] { m_filter->setArchivedShown(shown); }); });
    m_states->setChecked(isFiltered());
}

/// Runs `change` without opening a run when it moves the selection.
void RunsPanel::quietly(const std::function<void()>& change) {
    m_quiet = true;
    change();
    m_quiet = false;
}

void RunsPanel::filter(const std::function<void()>& change) {
    quietly(change);
    m_states->setChecked(isFiltered());
    markCurrent();
    updateEmptyText();
}

bool RunsPanel::isFiltered() const {
    return m_filter->states() != RunFilter::StateFilter::All || m_filter->archivedShown();
}

void RunsPanel::updateEmptyText() {
    const bool none = m_model->rowCount() == 0;
    m_empty->setText(
        !none ? tr("No runs match.")
        : m_current.isEmpty()
            ? tr("No runs yet. Choose Run > Watch a command…, launch a recipe from Configure, or open a run's folder.")
            : tr("The open run is stored elsewhere. This list shows your runs folder."));
    m_empty->setVisible(!m_folded && m_filter->rowCount() == 0);
}

void RunsPanel::setRows(const QList<RunRow>& rows) {
    quietly([&] { m_model->setRows(rows); });
    const bool stalled = std::any_of(rows.begin(), rows.end(), [](const RunRow& row) { return row.now().isStalled(); });
    if (stalled && !m_stalls->isActive())
        m_stalls->start();
    else if (!stalled)
        m_stalls->stop();
    markCurrent();
    updateEmptyText();
}

void RunsPanel::setCurrent(const QString& dir) {
    m_reveal = true;
    m_current = dir;
    markCurrent();
    updateEmptyText();
}

void RunsPanel::markCurrent() {
    const int row = m_model->rowOf(m_current);
    // once, so that its chain can be closed afterwards
    if (row >= 0 && std::exchange(m_reveal, false) && m_model->rows()[row].isPart())
        quietly([&] { m_filter->setOpened(QString::fromStdString(m_model->rows()[row].chain), true); });
    const QModelIndex index = row < 0 ? QModelIndex() : m_filter->mapFromSource(m_model->index(row));
    quietly([&] {
        if (index.isValid())
            m_list->setCurrentIndex(index);
        else
            m_list->clearSelection(); // the current row stays: its name may be in an editor
    });
}

void RunsPanel::setFolded(bool folded) {
    m_folded = folded;
    m_delegate->setFolded(folded);
    m_title->setVisible(!folded);
    m_states->setVisible(!folded);
    m_search->setVisible(!folded);
    m_list->setVerticalScrollBarPolicy(folded ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    setFixedWidth(folded ? kFoldedWidth : kWidth);
    layout()->itemAt(0)->layout()->setContentsMargins(folded ? 11 : 12, 0, folded ? 11 : 8, 0);
    m_list->doItemsLayout();
    retranslate();
}

void RunsPanel::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void RunsPanel::rename(const QString& dir) {
    const int row = m_model->rowOf(dir);
    const QModelIndex index = row < 0 ? QModelIndex() : m_filter->mapFromSource(m_model->index(row));
    if (m_folded || !index.isValid())
        return;
    m_list->scrollTo(index);
    m_list->edit(index);
}

const RunRow* RunsPanel::rowAt(const QModelIndex& proxyIndex) const {
    const QModelIndex source = m_filter->mapToSource(proxyIndex);
    return source.isValid() ? &m_model->rows()[source.row()] : nullptr;
}

void RunsPanel::showMenu(const QPoint& at) {
    const RunRow* found = rowAt(m_list->indexAt(at));
    if (!found)
        return;
    const RunRow row = *found; // the list may change while the menu is open
    const QString dir = row.dir();
    const bool live = row.isLive();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto icon = [](const char* name) { return Theme::instance().icon(QLatin1String(name)); };
    menu->addAction(icon("folder"), tr("Open folder"), this,
                    [dir] { QDesktopServices::openUrl(QUrl::fromLocalFile(dir)); });
    menu->addAction(icon("copy"), tr("Copy path"), this, [this, dir] {
        copyText(dir);
        emit message(tr("Copied %1").arg(dir));
    });
    menu->addAction(tr("Rename"), QKeySequence(Qt::Key_F2), this, [this, dir] { rename(dir); });
    if (row.info.canRelaunch())
        menu->addAction(icon("relaunch"), tr("Relaunch with changes"), this,
                        [this, dir] { emit relaunchRequested(dir); });
    menu->addSeparator();
    menu->addAction(icon("stop"), tr("Stop"), this, [this, dir] { emit stopRequested(dir, false); })->setEnabled(live);
    menu->addAction(icon("trash"), tr("Move to trash…"), this, [this, row] { askAndRemove(row); })->setEnabled(!live);
    menu->popup(m_list->viewport()->mapToGlobal(at));
}

QString RunsPanel::moveToTrash(const RunRow& row) {
    // the row may be out of date: only the files on disk say whether the run has ended
    const auto info = launch::readRunInfo(row.paths);
    if (info && launch::isLive(info->state))
        return tr("the run is still active; stop it first");
    QFile folder(row.dir());
    return folder.moveToTrash() ? QString() : tr("the system's trash refused it: %1").arg(folder.errorString());
}

void RunsPanel::askAndRemove(const RunRow& row) {
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Move to trash"),
                                tr("Move the run %1 with its plots, logs and checkpoints to the trash?")
                                    .arg(QString::fromStdString(row.paths.dir.filename().string())),
                                QMessageBox::NoButton, this);
    auto* yes = box->addButton(tr("Move to trash"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Cancel"), QMessageBox::RejectRole));
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::buttonClicked, this, [this, row, yes](QAbstractButton* button) {
        if (button != yes)
            return;
        const QString problem = moveToTrash(row);
        if (!problem.isEmpty())
            return emit failed(tr("%1 was not moved: %2").arg(row.dir(), problem));
        emit removed(row.dir());
        emit message(tr("%1 is in the trash").arg(row.dir()));
    });
    box->open();
}

void RunsPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        m_model->retranslate();
        retranslate();
    }
}

} // namespace rankscope::ui
