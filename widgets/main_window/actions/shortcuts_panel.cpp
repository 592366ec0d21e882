// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/shortcuts_panel.h"

#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/shortcut_list.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kPad = 24, kTitle = 52, kSearchWidth = 280, kAround = 32, kLeastWidth = 520;
}

ShortcutsPanel::ShortcutsPanel(const Actions* actions, QWidget* window)
    : OverlayPanel(window), m_actions(actions), m_title(new QLabel(this)), m_none(new QLabel(this)),
      m_search(new QLineEdit(this)), m_scroll(new QScrollArea(this)), m_list(new KeyList(this)) {
    setObjectName(QStringLiteral("shortcutsPanel"));
    m_title->setFont(titleFont());
    m_none->setForegroundRole(QPalette::PlaceholderText);
    m_search->setClearButtonEnabled(true);
    m_search->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, &ShortcutsPanel::search);
    m_scroll->setWidget(m_list);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (QWidget* part : {static_cast<QWidget*>(m_scroll), m_scroll->viewport(), static_cast<QWidget*>(m_list)})
        part->setAutoFillBackground(false);
}

QList<KeySection> ShortcutsPanel::collect() const {
    QList<KeySection> all;
    for (ActionGroup group : {ActionGroup::File, ActionGroup::Edit, ActionGroup::Run, ActionGroup::View,
                              ActionGroup::Plots, ActionGroup::Help}) {
        KeySection section{plainText(Actions::groupTitle(group)), {}};
        for (int i = 0; i < static_cast<int>(ActionId::Count); ++i) {
            const ActionId act = static_cast<ActionId>(i);
            const QAction* action = (*m_actions)[act];
            if (Actions::group(act) != group || keyText(action).isEmpty())
                continue;
            if (act > ActionId::Solo1 && act <= ActionId::Solo9)
                continue; // one line for all nine
            QStringList keys{keyText(action)};
            if (action->shortcuts().size() > 1)
                keys << action->shortcuts().at(1).toString(QKeySequence::NativeText);
            QString text = plainText(Actions::text(act)).remove(QStringLiteral("…"));
            if (act == ActionId::Solo1) {
                keys = {QStringLiteral("1 … 9")};
                text = tr("Only rank 1 … 9 (again: all ranks)");
            }
            section.lines << KeyLine{keys.join(QStringLiteral("  ")), text};
        }
        if (!section.lines.isEmpty())
            all << section;
    }
    return all << pageKeys();
}

void ShortcutsPanel::prepare() {
    setAccessibleName(tr("Keyboard shortcuts"));
    m_title->setText(tr("Keyboard shortcuts"));
    m_search->setPlaceholderText(tr("Search keyboard shortcuts"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_none->setText(tr("No matching shortcuts."));
    m_all = collect();
    m_search->clear();
    search();
    m_scroll->verticalScrollBar()->setValue(0);
}

/// Filters the list; a section whose title matches stays complete.
void ShortcutsPanel::search() {
    const QString wanted = m_search->text().trimmed();
    const auto has = [&](const QString& text) { return text.contains(wanted, Qt::CaseInsensitive); };
    m_sections.clear();
    for (const KeySection& section : std::as_const(m_all)) {
        KeySection kept{section.title, {}};
        for (const KeyLine& line : section.lines)
            if (has(section.title) || has(line.key) || has(line.text))
                kept.lines << line;
        if (!kept.lines.isEmpty())
            m_sections << kept;
    }
    m_none->setVisible(m_sections.isEmpty());
    m_scroll->setVisible(!m_sections.isEmpty());
    if (isVisible())
        place();
}

void ShortcutsPanel::place() {
    const QSize room = parentWidget()->size() - QSize(kAround, kAround);
    const int bar = m_scroll->verticalScrollBar()->sizeHint().width();
    const QSize list = m_list->arrange(m_sections, room.width() - 2 * kPad - bar);
    // a search keeps the panel's size, so that it does not jump while the user types
    if (m_search->text().isEmpty() || width() > room.width() || height() > room.height())
        resize(std::clamp(list.width() + 2 * kPad + bar, std::min(kLeastWidth, room.width()), room.width()),
               std::min(room.height(), list.height() + kTitle + kPad));
    const int close = closeButton()->sizeHint().width();
    closeButton()->setGeometry(width() - close - 12, 12, close, close);
    const int line = std::min(kSearchWidth, width() / 2);
    m_search->setGeometry(width() - close - 20 - line, 12, line, m_search->sizeHint().height());
    m_title->setGeometry(kPad, 10, m_search->x() - kPad - 8, 30);
    m_none->setGeometry(kPad, kTitle, width() - 2 * kPad, KeyList::kRow);
    m_scroll->setGeometry(kPad, kTitle, width() - kPad - 2, height() - kTitle - kPad / 2);
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

QWidget* ShortcutsPanel::focusTarget() const {
    return m_search;
}

void ShortcutsPanel::keyPressEvent(QKeyEvent* event) {
    auto* bar = m_scroll->verticalScrollBar();
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        return bar->setValue(bar->value() + (event->key() == Qt::Key_Up ? -KeyList::kRow : KeyList::kRow));
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        return bar->setValue(bar->value() + (event->key() == Qt::Key_PageUp ? -1 : 1) * bar->pageStep());
    default:
        OverlayPanel::keyPressEvent(event);
    }
}

bool ShortcutsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress && m_search->text().isEmpty() &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Question) {
        leave(); // the key that opened the panel also closes it
        return true;
    }
    return OverlayPanel::eventFilter(watched, event);
}

} // namespace rankscope::ui
