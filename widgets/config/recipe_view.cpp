// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe_view.h"

#include "widgets/config/recipe_filter.h"
#include "widgets/config/recipe_model.h"
#include "widgets/config/value_delegate.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/theme.h"

#include <QCheckBox>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTreeView>
#include <QVBoxLayout>

namespace rankscope::ui {

RecipeView::RecipeView(QWidget* parent)
    : QWidget(parent), m_model(new RecipeModel(this)), m_filter(new RecipeFilter(this)), m_search(new QLineEdit(this)),
      m_different(new QCheckBox(this)), m_ranks(new QCheckBox(this)), m_tree(new QTreeView(this)),
      m_none(new QLabel(this)) {
    m_filter->setSourceModel(m_model);
    build();
    retranslate();
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_filter->setWords(words);
        filterChanged();
    });
    connect(m_different, &QCheckBox::toggled, this, [this](bool on) {
        m_filter->setOnlyDifferent(on);
        filterChanged();
    });
    connect(m_ranks, &QCheckBox::toggled, this, [this](bool on) {
        m_filter->setOnlyRanks(on);
        filterChanged();
    });
    connect(m_tree, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.data(RecipeModel::LeafRole).toBool() && index.column() != RecipeModel::Yours)
            m_tree->edit(index.siblingAtColumn(RecipeModel::Yours));
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (const int line = index.data(RecipeModel::LineRole).toInt(); line > 0)
            emit lineRequested(line);
    });
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &RecipeView::showMenu);
    connect(m_tree->header(), &QHeaderView::sectionResized, this, [this] {
        // by the user's hand: the layout resizes sections too
        m_userColumns = m_userColumns || QGuiApplication::mouseButtons().testFlag(Qt::LeftButton);
    });
    m_tree->viewport()->installEventFilter(this);
}

void RecipeView::build() {
    m_search->setClearButtonEnabled(true);
    m_search->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setMaximumWidth(280);
    m_tree->setModel(m_filter);
    m_tree->setItemDelegate(new ValueDelegate(m_tree));
    m_tree->setUniformRowHeights(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setAlternatingRowColors(false);
    m_tree->setIndentation(16);
    m_tree->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->header()->setStretchLastSection(true);
    m_tree->header()->setHighlightSections(false);
    m_tree->header()->setMinimumSectionSize(48);
    m_none->setFont(secondaryFont());
    m_none->setForegroundRole(QPalette::PlaceholderText);
    m_none->setContentsMargins(12, 8, 12, 8);
    m_none->hide();

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->setSpacing(12);
    bar->addWidget(m_search, 1);
    bar->addWidget(m_different);
    bar->addWidget(m_ranks);
    bar->addStretch(0);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_none);
    layout->addWidget(m_tree, 1);
}

void RecipeView::retranslate() {
    m_search->setPlaceholderText(tr("Search keys and values"));
    m_search->setAccessibleName(tr("Search keys and values"));
    m_different->setText(tr("Only what differs"));
    m_different->setToolTip(tr("Only keys whose effective value differs from NeMo's, and keys with errors"));
    m_ranks->setText(tr("Acts on ranks"));
    m_ranks->setToolTip(
        tr("Only keys that act on collectives, on the batches of each rank, or on the layout of processes"));
    m_none->setText(tr("No key matches."));
    m_tree->setAccessibleName(tr("Recipe"));
    m_model->retranslate();
}

void RecipeView::setEvaluation(const Evaluation& evaluation) {
    m_model->setEvaluation(evaluation);
    if (m_first && m_model->rowCount() > 0) {
        m_first = false;
        m_tree->expandToDepth(0);
    }
    filterChanged();
}

void RecipeView::filterChanged() {
    if (m_filter->isFiltering())
        m_tree->expandAll();
    m_none->setVisible(m_filter->isFiltering() && m_filter->rowCount() == 0);
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

void RecipeView::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void RecipeView::fitColumns() {
    if (m_userColumns)
        return;
    const int width = m_tree->viewport()->width();
    static constexpr int shares[] = {29, 16, 15, 15, 13};
    for (int i = 0; i < RecipeModel::Origin; ++i)
        m_tree->setColumnWidth(i, width * shares[i] / 100);
}

bool RecipeView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        fitColumns();
    return QWidget::eventFilter(watched, event);
}

QByteArray RecipeView::saveColumns() const {
    return m_userColumns ? m_tree->header()->saveState() : QByteArray();
}

void RecipeView::restoreColumns(const QByteArray& state) {
    m_userColumns = !state.isEmpty() && m_tree->header()->restoreState(state);
}

void RecipeView::showMenu(const QPoint& at) {
    const QModelIndex index = m_tree->indexAt(at);
    if (!index.data(RecipeModel::LeafRole).toBool())
        return;
    const QString key = index.data(RecipeModel::KeyRole).toString();
    const QString yours = index.siblingAtColumn(RecipeModel::Yours).data().toString();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QPersistentModelIndex cell = index.siblingAtColumn(RecipeModel::Yours);
    menu->addAction(tr("Edit"), this, [this, cell] {
        if (cell.isValid())
            m_tree->edit(cell);
    });
    menu->addAction(tr("Copy key"), this, [key] { QGuiApplication::clipboard()->setText(key); });
    menu->addAction(Theme::instance().icon(QStringLiteral("close")), tr("Remove from your file"), this,
                    [this, key] { emit removeRequested(key); })
        ->setEnabled(index.data(RecipeModel::LineRole).toInt() > 0);
    const auto adopt = [&](const QString& text, int column) {
        const QString value = index.siblingAtColumn(column).data().toString();
        if (!value.isEmpty() && value != yours && value != QLatin1String("???"))
            menu->addAction(text.arg(value), this, [this, key, value] { emit m_model->editRequested(key, value); });
    };
    adopt(tr("Take NeMo YAML's value: %1"), RecipeModel::NemoYaml);
    adopt(tr("Take NeMo code's value: %1"), RecipeModel::NemoCode);
    menu->popup(m_tree->viewport()->mapToGlobal(at));
}

void RecipeView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

} // namespace rankscope::ui
