// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/tree/recipe_view.h"

#include "widgets/config/model/recipe_filter.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/tree/add_key_bar.h"
#include "widgets/config/tree/tree_columns.h"
#include "widgets/config/tree/value_chooser.h"
#include "widgets/config/tree/value_delegate.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>

#include <utility>

namespace rankscope::ui {

RecipeView::RecipeView(QWidget* parent)
    : QWidget(parent), m_model(new RecipeModel(this)), m_filter(new RecipeFilter(this)),
      m_delegate(new ValueDelegate(this)), m_add(new AddKeyBar(this)), m_search(new QLineEdit(this)),
      m_different(new QCheckBox(this)), m_ranks(new QCheckBox(this)), m_compare(new QToolButton(this)),
      m_plus(new QToolButton(this)), m_tree(new QTreeView(this)), m_none(new QLabel(this)) {
    m_filter->setSourceModel(m_model);
    build();
    connectAll();
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void RecipeView::connectAll() {
    connect(m_search, &QLineEdit::textChanged, this,
            [this](const QString& words) { filter([this, words] { m_filter->setWords(words); }); });
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, [this] { m_grew = true; });
    connect(m_search, &QLineEdit::returnPressed, this, &RecipeView::focusTree);
    connect(m_different, &QCheckBox::toggled, this,
            [this](bool on) { filter([this, on] { m_filter->setOnlyDifferent(on); }); });
    connect(m_ranks, &QCheckBox::toggled, this,
            [this](bool on) { filter([this, on] { m_filter->setOnlyRanks(on); }); });
    connect(m_plus, &QToolButton::clicked, this, &RecipeView::askForKey);
    connect(m_add, &AddKeyBar::addRequested, this, &RecipeView::addRequested);
    connect(m_add, &AddKeyBar::closed, m_tree, qOverload<>(&QWidget::setFocus));
    connect(m_tree, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        if (!m_model->isReadOnly() && index.data(RecipeModel::LeafRole).toBool() &&
            index.column() != RecipeModel::Yours)
            m_tree->edit(index.siblingAtColumn(RecipeModel::Yours));
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (m_filtering)
            return;
        m_chosen = index.data(RecipeModel::KeyRole).toString();
        emit currentChanged(m_chosen);
        if (const int line = index.data(RecipeModel::LineRole).toInt(); line > 0 && !m_following)
            emit lineRequested(line);
    });
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &RecipeView::showMenu);
    connect(m_delegate, &ValueDelegate::extraRequested, new ValueChooser(m_tree, this), &ValueChooser::choose);
    connect(m_delegate, &ValueDelegate::markClicked, this,
            [this](const QModelIndex& index) { emit explainRequested(index.data(RecipeModel::KeyRole).toString()); });
    connect(m_model, &RecipeModel::moveRequested, this, &RecipeView::moveRequested);
    m_tree->installEventFilter(this);
    m_search->installEventFilter(this);
}

void RecipeView::build() {
    m_search->setClearButtonEnabled(true);
    m_search->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setMaximumWidth(280);
    for (QToolButton* button : {m_compare, m_plus})
        button->setAutoRaise(true);
    m_compare->setIcon(Theme::instance().icon(QStringLiteral("compare")));
    m_compare->setPopupMode(QToolButton::InstantPopup);
    m_plus->setIcon(Theme::instance().icon(QStringLiteral("plus")));
    m_tree->setModel(m_filter);
    m_tree->setItemDelegate(m_delegate);
    m_tree->setUniformRowHeights(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setAlternatingRowColors(false);
    m_tree->setIndentation(14);
    m_tree->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->setDragDropMode(QAbstractItemView::InternalMove);
    m_tree->setDragDropOverwriteMode(false);
    m_tree->setDropIndicatorShown(true);
    m_tree->header()->setStretchLastSection(false); // TreeColumns gives it what is left
    m_tree->header()->setTextElideMode(Qt::ElideRight);
    m_tree->header()->setHighlightSections(false);
    m_tree->header()->setMinimumSectionSize(48);
    m_columns = new TreeColumns(m_tree, m_model, this);
    m_none->setFont(secondaryFont());
    m_none->setForegroundRole(QPalette::PlaceholderText);
    m_none->setContentsMargins(12, 8, 12, 8);
    m_none->setWordWrap(true);
    m_none->hide();

    const BoxItem gap{static_cast<QWidget*>(nullptr)};
    auto* bar = rowOf({{m_search, 1}, m_different, m_ranks, gap, m_compare, m_plus}, 8, {8, 6, 8, 6});
    setLayout(columnOf({bar, m_add, m_none, {m_tree, 1}}));
}

void RecipeView::retranslate() {
    m_search->setPlaceholderText(tr("Search keys and values"));
    m_search->setAccessibleName(tr("Search keys and values"));
    m_different->setText(tr("Differences only"));
    m_different->setToolTip(
        tr("Only keys whose effective value differs from NeMo's or from a compared recipe, and keys with errors"));
    m_ranks->setText(tr("Sync-related only"));
    m_ranks->setToolTip(tr("Only keys that affect collectives, the batches of each rank, or the layout of processes"));
    m_compare->setToolTip(tr("Compare with NeMo, another file or a past run"));
    m_compare->setAccessibleName(tr("Compare"));
    m_plus->setToolTip(tr("Add a key to the section (Insert)"));
    m_plus->setAccessibleName(tr("Add a key"));
    filterChanged();
    m_tree->setAccessibleName(tr("Recipe"));
    m_add->retranslate();
    m_model->retranslate();
}

void RecipeView::setEvaluation(const Evaluation& evaluation, std::shared_ptr<RecipeTree> prepared) {
    const bool empty = m_model->rowCount() == 0;
    m_grew = empty;
    m_model->setEvaluation(evaluation, std::move(prepared));
    m_plus->setEnabled(evaluation != nullptr);
    m_compare->setEnabled(evaluation != nullptr);
    if ((m_first || empty) && m_model->rowCount() > 0) {
        m_first = false;
        m_tree->expandToDepth(0);
    }
    if (std::exchange(m_grew, false))
        filterChanged();
    else
        showNone();
}

void RecipeView::setComparisons(const std::vector<Comparison>& others) {
    m_model->setComparisons(others);
    m_columns->fit();
    filterChanged();
}

void RecipeView::filterChanged() {
    if (m_filter->isFiltering())
        m_tree->expandAll();
    showNone();
}

/// Keeps the selected key, or selects it again when its row returns; selects no other key instead.
void RecipeView::filter(const std::function<void()>& change) {
    m_filtering = true;
    change();
    filterChanged();
    const QModelIndex chosen = m_filter->mapFromSource(m_model->indexOf(m_chosen));
    if (chosen.isValid()) {
        m_tree->setCurrentIndex(chosen);
        m_tree->scrollTo(chosen);
    } else {
        m_tree->selectionModel()->clear();
    }
    m_filtering = false;
}

void RecipeView::setOpen(bool on) {
    m_open = on;
    showNone();
}

void RecipeView::setStale(bool on) {
    m_stale = on;
    showNone();
}

void RecipeView::showNone() {
    const Evaluation& evaluation = m_model->evaluation();
    const bool unread = evaluation && m_model->rowCount() == 0;
    m_none->setVisible(!m_open || unread || m_stale || (m_filter->isFiltering() && m_filter->rowCount() == 0));
    m_none->setText(!m_open ? tr("Open a recipe (Ctrl+O), drop a NeMo YAML here, or repeat the open run: Relaunch with "
                                 "changes opens its recipe.")
                    : unread  ? tr("The YAML cannot be parsed. The list of problems says where and why.")
                    : m_stale ? tr("The YAML cannot be parsed, so you see the keys as they were before. The list of "
                                   "problems says what to fix.")
                    : m_different->isChecked() && m_search->text().isEmpty() ? tr("Nothing differs.")
                                                                             : tr("No matching keys."));
}

void RecipeView::setReadOnly() {
    m_model->setReadOnly();
    m_plus->hide();
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->setDragDropMode(QAbstractItemView::NoDragDrop);
}

void RecipeView::setOnlyDifferent(bool on) {
    m_different->setChecked(on);
}

void RecipeView::reveal(const QString& key) {
    m_search->clear();
    m_different->setChecked(false);
    m_ranks->setChecked(false);
    const QModelIndex index = m_filter->mapFromSource(m_model->indexOf(key));
    if (!index.isValid())
        return;
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index, QAbstractItemView::PositionAtCenter);
    m_tree->setFocus();
}

void RecipeView::showLine(int line) {
    const QModelIndex index = m_filter->mapFromSource(m_model->indexAtLine(line));
    if (!index.isValid() || index.siblingAtColumn(0) == m_tree->currentIndex().siblingAtColumn(0))
        return;
    m_following = true;
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
    m_following = false;
}

QString RecipeView::currentKey() const {
    const QModelIndex at = m_tree->currentIndex();
    if (at.isValid())
        return at.data(RecipeModel::KeyRole).toString();
    return m_model->indexOf(m_chosen).isValid() ? m_chosen : QString(); // a filter hides it
}

void RecipeView::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void RecipeView::focusTree() {
    const bool searching = m_filter->isFiltering();
    if (const QModelIndex first = m_filter->firstMatch();
        first.isValid() && (searching || !m_tree->currentIndex().isValid())) {
        m_tree->setCurrentIndex(first);
        m_tree->scrollTo(first);
    }
    m_tree->setFocus(Qt::OtherFocusReason);
}

bool RecipeView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        // an editor in the tree passes on keys that it does not use
        const bool editing = m_tree->viewport()->isAncestorOf(QApplication::focusWidget());
        if (watched == m_tree && !editing && treeKey(key))
            return true;
        if (watched == m_search && key->key() == Qt::Key_Down) {
            focusTree();
            return true;
        }
        if (watched == m_search && key->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

QString RecipeView::sectionAt(const QModelIndex& index) const {
    if (!index.isValid())
        return {};
    const QString key = index.data(RecipeModel::KeyRole).toString();
    return index.data(RecipeModel::LeafRole).toBool() ? key.section(QLatin1Char('.'), 0, -2) : key;
}

void RecipeView::askForKey() {
    if (m_model->isReadOnly())
        return;
    m_add->ask(sectionAt(m_tree->currentIndex()), m_model->evaluation());
}

/// Returns whether the key, or a key of the section, is in the file and can be removed or moved.
static bool isWritten(const QModelIndex& index) {
    if (!(index.flags() & Qt::ItemIsDragEnabled)) // neither can rows of a read-only tree
        return false;
    if (index.data(RecipeModel::LeafRole).toBool())
        return index.data(RecipeModel::LineRole).toInt() > 0;
    for (int i = 0; i < index.model()->rowCount(index); ++i)
        if (isWritten(index.model()->index(i, 0, index)))
            return true;
    return false;
}

void RecipeView::removeCurrent() {
    const QModelIndex index = m_tree->currentIndex().siblingAtColumn(0);
    if (index.isValid() && isWritten(index))
        emit removeRequested(index.data(RecipeModel::KeyRole).toString());
}

void RecipeView::moveCurrent(int rows) {
    // among all rows of the recipe, filtered or not
    const QModelIndex index = m_filter->mapToSource(m_tree->currentIndex().siblingAtColumn(0));
    if (!index.isValid() || !isWritten(index))
        return;
    const QModelIndex parent = index.parent();
    QList<QModelIndex> written;
    for (int i = 0; i < m_model->rowCount(parent); ++i)
        if (const QModelIndex one = m_model->index(i, 0, parent); isWritten(one))
            written << one;
    const auto here = written.indexOf(index), to = here + rows;
    if (here < 0 || to < 0 || to >= written.size())
        return;
    // down by one means before the key after the next; after the last key there is none
    const auto before = rows < 0 ? to : to + 1;
    emit moveRequested(index.data(RecipeModel::KeyRole).toString(), sectionAt(parent),
                       before < written.size() ? written[before].data(RecipeModel::KeyRole).toString() : QString());
}

bool RecipeView::treeKey(QKeyEvent* event) {
    const QModelIndex index = m_tree->currentIndex();
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const bool alt = event->modifiers() == Qt::AltModifier;
    const bool leaf = index.data(RecipeModel::LeafRole).toBool();
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F2:
        if (!plain)
            return false;
        if (leaf && m_model->isReadOnly())
            emit explainRequested(currentKey());
        else if (leaf)
            m_tree->edit(index.siblingAtColumn(RecipeModel::Yours));
        else if (index.isValid())
            m_tree->setExpanded(index.siblingAtColumn(0), !m_tree->isExpanded(index.siblingAtColumn(0)));
        return true;
    case Qt::Key_Space:
        return plain && leaf && !m_model->isReadOnly() && ValueDelegate::flip(index);
    case Qt::Key_Insert:
        if (plain)
            askForKey();
        return plain;
    case Qt::Key_Delete:
        if (plain)
            removeCurrent();
        return plain;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (alt)
            moveCurrent(event->key() == Qt::Key_Up ? -1 : 1);
        return alt;
    case Qt::Key_J:
        if (event->modifiers() != Qt::ControlModifier)
            return false;
        if (const int line = index.data(RecipeModel::LineRole).toInt(); line > 0)
            emit textRequested(line);
        return true;
    default:
        return false;
    }
}

void RecipeView::fillMenu(QMenu* menu, const QModelIndex& index) {
    const QString key = index.data(RecipeModel::KeyRole).toString();
    const QString yours = index.siblingAtColumn(RecipeModel::Yours).data().toString();
    const bool leaf = index.data(RecipeModel::LeafRole).toBool(), written = isWritten(index.siblingAtColumn(0));
    if (m_model->isReadOnly()) {
        menu->addAction(tr("Copy key"), this, [this, key] { copyText(key, m_tree); });
        menu->addAction(tr("Copy value"), this, [this, yours] { copyText(yours, m_tree); });
        return;
    }
    const auto add = [&](const QString& text, const QKeySequence& keys, auto&& done) {
        QAction* action = menu->addAction(text, this, std::forward<decltype(done)>(done));
        action->setShortcut(keys); // for display only: the tree itself handles its keys
        action->setShortcutVisibleInContextMenu(true);
        return action;
    };
    if (leaf) {
        const QPersistentModelIndex cell = index.siblingAtColumn(RecipeModel::Yours);
        add(tr("Edit"), Qt::Key_Return, [this, cell] {
            if (cell.isValid())
                m_tree->edit(cell);
        });
        add(tr("Explain"), Qt::CTRL | Qt::Key_I, [this, key] { emit explainRequested(key); });
        const int line = index.data(RecipeModel::LineRole).toInt();
        add(tr("Show in the text"), Qt::CTRL | Qt::Key_J, [this, line] {
            emit textRequested(line);
        })->setEnabled(line > 0);
        menu->addSeparator();
    }
    add(tr("Add a key…"), Qt::Key_Insert, [this] { askForKey(); });
    add(tr("Remove from your file"), Qt::Key_Delete, [this, key] { emit removeRequested(key); })->setEnabled(written);
    add(tr("Move up"), Qt::ALT | Qt::Key_Up, [this] { moveCurrent(-1); })->setEnabled(written);
    add(tr("Move down"), Qt::ALT | Qt::Key_Down, [this] { moveCurrent(1); })->setEnabled(written);
    menu->addSeparator();
    menu->addAction(tr("Copy key"), this, [this, key] { copyText(key, m_tree); });
    const auto adopt = [&](int column, auto&& label) {
        const QString value = index.siblingAtColumn(column).data().toString();
        if (leaf && !value.isEmpty() && value != yours && value != QLatin1String("???"))
            menu->addAction(label(value), this, [this, key, value] { emit m_model->editRequested(key, value); });
    };
    adopt(RecipeModel::NemoYaml, [](const QString& value) { return tr("Use NeMo YAML's value: %1").arg(value); });
    adopt(RecipeModel::NemoCode, [](const QString& value) { return tr("Use the code's default: %1").arg(value); });
    for (int column : {RecipeModel::OtherA, RecipeModel::OtherB})
        adopt(column, [&](const QString& value) {
            const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
            return tr("Use the value of %1: %2").arg(title, value);
        });
}

void RecipeView::showMenu(const QPoint& at) {
    const QModelIndex index = m_tree->indexAt(at);
    if (!index.isValid())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(menu, index);
    menu->popup(m_tree->viewport()->mapToGlobal(at));
}

QByteArray RecipeView::saveColumns() const {
    return m_columns->save();
}

void RecipeView::restoreColumns(const QByteArray& state) {
    m_columns->restore(state);
}

} // namespace rankscope::ui
