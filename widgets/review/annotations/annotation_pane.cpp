// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/annotations/annotation_pane.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/plain_table.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

namespace rankscope::ui {

AnnotationPane::AnnotationPane(QWidget* parent)
    : QWidget(parent), m_model(new AnnotationModel(this)), m_table(new QTableView), m_stack(new QStackedWidget),
      m_title(new QLabel), m_empty(new QLabel), m_toPlots(new QAction(this)), m_toTimeline(new QAction(this)),
      m_edit(new QAction(this)), m_remove(new QAction(this)), m_undo(new QAction(this)), m_close(new QToolButton) {
    setObjectName(QStringLiteral("annotationPane"));
    build();
    connectParts();
    retranslate();
    setCanUndo(false);
    updateActions();
    onLanguageChange(this, [this] {
        m_model->retranslate();
        retranslate();
    });
}

void AnnotationPane::build() {
    m_table->setObjectName(QStringLiteral("annotationTable"));
    constexpr int widths[] = {110, 110, 480, 170};
    m_sorted = setUpPlainTable(m_table, m_model, AnnotationModel::SortRole, widths);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->sortByColumn(AnnotationModel::TimeColumn, Qt::AscendingOrder);
    m_table->horizontalHeader()->setSectionResizeMode(AnnotationModel::TextColumn, QHeaderView::Stretch);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_empty->setObjectName(QStringLiteral("noAnnotations"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_table);
    m_title->setFont(headingFont());
    m_edit->setShortcut(Qt::Key_F2);
    m_remove->setShortcut(Qt::Key_Delete);
    auto* row = rowOf({m_title, kSpareRoom}, 8);
    for (QAction* action : {m_toPlots, m_toTimeline, m_edit, m_remove, m_undo}) {
        action->setShortcutContext(Qt::WidgetShortcut); // Delete and F2 mean something else elsewhere
        m_table->addAction(action);
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    m_close->setObjectName(QStringLiteral("annotationClose"));
    m_close->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_close->setAutoRaise(true);
    m_close->setFocusPolicy(Qt::TabFocus);
    row->addWidget(m_close);
    setLayout(columnOf({row, {m_stack, 1}}, 4, {12, 6, 12, 6}));
    setMinimumHeight(150);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void AnnotationPane::connectParts() {
    const auto on = [this](QAction* action, auto request) {
        connect(action, &QAction::triggered, this, [this, request] {
            if (const auto item = current())
                request(*item);
        });
    };
    on(m_toPlots, [this](const AnnotationItem& item) { emit plotsRequested(item); });
    on(m_toTimeline, [this](const AnnotationItem& item) { emit timelineRequested(item); });
    on(m_edit, [this](const AnnotationItem& item) { emit editRequested(item.id); });
    on(m_remove, [this](const AnnotationItem& item) { emit removeRequested(item.id); });
    connect(m_undo, &QAction::triggered, this, &AnnotationPane::undoRequested);
    connect(m_table, &QTableView::activated, m_toPlots, &QAction::trigger); // Enter, double-click
    connect(m_close, &QToolButton::clicked, this, &AnnotationPane::closeRequested);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        updateActions();
        const auto item = current();
        emit selected(item ? item->id : 0);
    });
}

void AnnotationPane::setExtras(const ExtrasView* extras) {
    const auto before = current();
    m_read = extras != nullptr;
    if (m_model->setExtras(extras ? *extras : ExtrasView()) && before)
        if (const int row = m_model->rowOf(*before); row >= 0)
            m_table->setCurrentIndex(m_sorted->mapFromSource(m_model->index(row, 0)));
    retranslate();
    updateActions();
}

void AnnotationPane::setCanUndo(bool on) {
    m_undo->setEnabled(on);
}

void AnnotationPane::select(qint64 annotation) {
    if (const int row = m_model->rowOf(annotation); row >= 0)
        m_table->setCurrentIndex(m_sorted->mapFromSource(m_model->index(row, 0)));
}

std::optional<AnnotationItem> AnnotationPane::current() const {
    const QModelIndex index = m_sorted->mapToSource(m_table->currentIndex());
    return index.isValid() ? std::optional(m_model->item(index.row())) : std::nullopt;
}

void AnnotationPane::updateActions() {
    const auto item = current();
    m_toPlots->setEnabled(item && (item->firstStep >= 0 || item->timeNs > 0));
    m_toTimeline->setEnabled(item && item->timeNs > 0);
    m_edit->setEnabled(item && item->id != 0);
    m_remove->setEnabled(item && item->id != 0);
}

void AnnotationPane::retranslate() {
    m_title->setText(tr("Annotations"));
    m_toPlots->setText(tr("Show in the plots"));
    m_toTimeline->setText(tr("Show in the Timeline"));
    m_edit->setText(tr("Edit…"));
    m_remove->setText(tr("Delete"));
    m_undo->setText(tr("Undo"));
    m_undo->setToolTip(tr("Undo the last change of an annotation"));
    m_close->setToolTip(tr("Close; View > Annotations brings it back"));
    m_close->setAccessibleName(tr("Close"));
    m_table->setAccessibleName(tr("Annotations"));
    m_empty->setText(m_read
                         ? tr("No annotations yet. Press A to write one at the crosshair, or choose Annotate here in a "
                              "plot's context menu. With a filter, it covers the filtered steps.")
                         : tr("Reading…"));
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0);
}

} // namespace rankscope::ui
