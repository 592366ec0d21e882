// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/command_palette.h"

#include "widgets/main_window/actions/actions.h"
#include "widgets/theme/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kPaletteWidth = 560, kPaletteHeight = 420, kPaletteTop = 64, kInside = 12;

CommandPalette::CommandPalette(const Actions* actions, QWidget* window)
    : OverlayPanel(window), m_actions(actions), m_line(new QLineEdit(this)), m_list(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("commandPalette"));
    m_line->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_list->setColumnCount(2);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->header()->hide();
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_line->installEventFilter(this);
    connect(m_line, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_line, &QLineEdit::returnPressed, this, [this] { run(m_list->currentItem()); });
    connect(m_list, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { run(item); });
}

void CommandPalette::fill() {
    m_list->clear();
    for (int i = 0; i < static_cast<int>(ActionId::Count); ++i) {
        const ActionId act = static_cast<ActionId>(i);
        const QAction* action = (*m_actions)[act];
        if (act == ActionId::Commands || !action->isVisible())
            continue;
        auto* item = new QTreeWidgetItem(m_list);
        QStringList words{plainText(Actions::groupTitle(Actions::group(act))), Actions::heading(act),
                          plainText(Actions::text(act))};
        words.removeAll(QString());
        item->setText(0, words.join(QStringLiteral(": ")));
        item->setToolTip(0, action->toolTip());
        item->setText(1, keyText(action));
        item->setFont(1, monoFont(9));
        item->setForeground(1, Theme::instance().palette().secondary);
        item->setData(0, Qt::UserRole, i);
        item->setDisabled(!action->isEnabled());
    }
}

void CommandPalette::prepare() {
    setAccessibleName(tr("Commands"));
    m_line->setPlaceholderText(tr("Type what you want to do"));
    m_line->setAccessibleName(m_line->placeholderText());
    m_list->setAccessibleName(tr("Commands"));
    fill();
    m_line->clear();
    filter();
}

/// Lists the actions whose name or key contains each word and selects the first one that is enabled.
void CommandPalette::filter() {
    const QStringList words = m_line->text().split(u' ', Qt::SkipEmptyParts);
    QTreeWidgetItem* first = nullptr;
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = m_list->topLevelItem(i);
        const QString text = item->text(0) + u' ' + item->text(1);
        const bool shown = std::all_of(words.begin(), words.end(),
                                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
        item->setHidden(!shown);
        if (shown && !item->isDisabled() && !first)
            first = item;
    }
    m_list->setCurrentItem(first);
    if (first)
        m_list->scrollToItem(first);
}

void CommandPalette::step(int by) {
    const int count = m_list->topLevelItemCount();
    for (int at = m_list->indexOfTopLevelItem(m_list->currentItem()) + by; at >= 0 && at < count; at += by)
        if (QTreeWidgetItem* item = m_list->topLevelItem(at); !item->isHidden() && !item->isDisabled())
            return m_list->setCurrentItem(item);
}

void CommandPalette::run(QTreeWidgetItem* item) {
    if (!item || item->isDisabled())
        return;
    QAction* action = (*m_actions)[static_cast<ActionId>(item->data(0, Qt::UserRole).toInt())];
    leave(); // the action is for the widget that had the focus
    action->trigger();
}

void CommandPalette::place() {
    const QSize room = parentWidget()->size();
    resize(std::min(kPaletteWidth, room.width() - 32), std::min(kPaletteHeight, room.height() - 2 * kPaletteTop));
    move((room.width() - width()) / 2, kPaletteTop);
    const int close = closeButton()->sizeHint().width(), tall = m_line->sizeHint().height();
    closeButton()->setGeometry(width() - close - kInside, kInside, close, close);
    m_line->setGeometry(kInside, kInside, closeButton()->x() - kInside - 8, tall);
    m_list->setGeometry(kInside, 2 * kInside + tall, width() - 2 * kInside, height() - 3 * kInside - tall);
}

QWidget* CommandPalette::focusTarget() const {
    return m_line;
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_line && event->type() == QEvent::KeyPress)
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Up:
            step(-1);
            return true;
        case Qt::Key_Down:
            step(1);
            return true;
        default:
            break;
        }
    return OverlayPanel::eventFilter(watched, event);
}

} // namespace rankscope::ui
