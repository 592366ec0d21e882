// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/column_chooser.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

namespace rankscope::ui {

static constexpr int kKeyRole = Qt::UserRole + 1;

ColumnChooser::ColumnChooser(QWidget* parent)
    : QFrame(parent, Qt::Popup), m_search(new QLineEdit(this)), m_list(new QListWidget(this)), m_hint(new QLabel(this)),
      m_defaults(new QPushButton(this)) {
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
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void ColumnChooser::retranslate() {
    m_search->setPlaceholderText(tr("Search columns and settings"));
    m_search->setAccessibleName(tr("Search columns and settings"));
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
