// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/column_chooser.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QScreen>
#include <QVBoxLayout>

namespace rankscope::ui {

static constexpr int kKeyRole = Qt::UserRole + 1;

ColumnChooser::ColumnChooser(QWidget* parent)
    : QFrame(parent, Qt::Popup), m_search(new QLineEdit(this)), m_list(new QListWidget(this)), m_hint(new QLabel(this)),
      m_defaults(new QPushButton(this)), m_loss(new QComboBox(this)), m_step(new QLineEdit(this)),
      m_addStep(new QPushButton(this)) {
    setFrameShape(QFrame::StyledPanel);
    m_search->setClearButtonEnabled(true);
    m_search->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_hint->setFont(secondaryFont());
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    m_step->setObjectName(QStringLiteral("step"));
    m_step->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,12}")), m_step));
    m_addStep->setObjectName(QStringLiteral("addStep"));
    m_addStep->setAutoDefault(false);
    m_addStep->setEnabled(false);
    auto* atStep = new QHBoxLayout;
    atStep->addWidget(m_loss);
    atStep->addWidget(m_step, 1);
    atStep->addWidget(m_addStep);
    layout->addLayout(atStep);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(m_hint, 1);
    bottom->addWidget(m_defaults);
    layout->addLayout(bottom);
    resize(380, 460);
    connect(m_search, &QLineEdit::textChanged, this, &ColumnChooser::filter);
    connect(m_list, &QListWidget::itemChanged, this, &ColumnChooser::tell);
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, &ColumnChooser::tell);
    connect(m_defaults, &QPushButton::clicked, this, [this] {
        emit defaultsWanted();
        hide();
    });
    connect(m_step, &QLineEdit::textChanged, this, [this] { m_addStep->setEnabled(m_step->hasAcceptableInput()); });
    connect(m_step, &QLineEdit::returnPressed, this, &ColumnChooser::addAtStep);
    connect(m_addStep, &QPushButton::clicked, this, &ColumnChooser::addAtStep);
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void ColumnChooser::retranslate() {
    m_search->setPlaceholderText(tr("Search columns and settings"));
    m_search->setAccessibleName(tr("Search columns and settings"));
    const int loss = std::max(0, m_loss->currentIndex());
    m_loss->clear();
    m_loss->addItems({tr("Loss at step"), tr("Validation at step")});
    m_loss->setCurrentIndex(loss);
    m_loss->setAccessibleName(tr("Value at a step"));
    m_step->setPlaceholderText(tr("Step"));
    m_step->setAccessibleName(tr("Step"));
    m_addStep->setText(tr("Add"));
    m_hint->setText(tr("Drag to reorder"));
    m_defaults->setText(tr("Default columns"));
}

void ColumnChooser::open(QWidget* under, const QList<RunField>& shown, const QStringList& settings) {
    m_search->clear();
    fill(shown, settings);
    QPoint at = under->mapToGlobal(QPoint(under->width() - width(), under->height() + 2));
    const QRect screen = under->screen()->availableGeometry();
    at.setX(std::max(screen.left(), at.x()));
    at.setY(std::max(screen.top(), std::min(at.y(), screen.bottom() - height())));
    move(at);
    show();
    m_search->setFocus();
}

void ColumnChooser::addItem(const RunField& field, bool on) {
    auto* item = new QListWidgetItem(field.title(), m_list);
    item->setData(kKeyRole, QString::fromStdString(field.key));
    item->setToolTip(plainToolTip(field.hint()));
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemIsDragEnabled);
    item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
}

void ColumnChooser::fill(const QList<RunField>& shown, const QStringList& settings) {
    m_filling = true;
    m_list->clear();
    QSet<QString> there;
    for (const RunField& field : shown) {
        there.insert(QString::fromStdString(field.key));
        if (field.id != FieldId::Favourite)
            addItem(field, true);
    }
    for (const RunField& field : builtinFields())
        if (field.id != FieldId::Favourite && !there.contains(QString::fromStdString(field.key)))
            addItem(field, false);
    for (const QString& key : settings)
        if (!there.contains(key) && !builtinField(key))
            addItem(settingField(key), false);
    m_filling = false;
}

void ColumnChooser::filter(const QString& words) {
    const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int i = 0; i < m_list->count(); ++i) {
        const QListWidgetItem* item = m_list->item(i);
        const QString text = item->text() + QLatin1Char(' ') + item->data(kKeyRole).toString();
        const bool found = std::all_of(wanted.begin(), wanted.end(),
                                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
        m_list->item(i)->setHidden(!found);
    }
    // dragging makes no sense while some entries are hidden
    m_list->setDragDropMode(wanted.isEmpty() ? QAbstractItemView::InternalMove : QAbstractItemView::NoDragDrop);
}

/// Adds a column for the loss at the step that was typed.
void ColumnChooser::addAtStep() {
    if (!m_step->hasAcceptableInput())
        return;
    const RunField field = stepField(m_loss->currentIndex() == 1, m_step->text().toLongLong());
    const QString key = QString::fromStdString(field.key);
    m_step->clear();
    for (int i = 0; i < m_list->count(); ++i)
        if (m_list->item(i)->data(kKeyRole).toString() == key)
            return m_list->item(i)->setCheckState(Qt::Checked);
    m_filling = true;
    addItem(field, true);
    m_filling = false;
    m_list->scrollToBottom();
    tell();
}

void ColumnChooser::tell() {
    if (m_filling)
        return;
    QList<RunField> columns;
    for (int i = 0; i < m_list->count(); ++i)
        if (m_list->item(i)->checkState() == Qt::Checked)
            columns << fieldOf(m_list->item(i)->data(kKeyRole).toString());
    emit chosen(columns);
}

} // namespace rankscope::ui
