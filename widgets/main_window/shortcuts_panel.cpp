// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/shortcuts_panel.h"

#include "widgets/main_window/actions.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QPainter>

namespace rankscope::ui {

static constexpr int kRow = 24, kPad = 24, kColumn = 330, kKeyWidth = 110;

ShortcutsPanel::ShortcutsPanel(const Actions* actions, QWidget* window) : QFrame(window), m_actions(actions) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Keys"));
    window->installEventFilter(this);
    hide();
}

void ShortcutsPanel::collect() {
    m_rows.clear();
    for (Group group : {Group::File, Group::Edit, Group::Run, Group::View, Group::Plots, Group::Help}) {
        const qsizetype heading = m_rows.size();
        for (int i = 0; i < static_cast<int>(Act::Count); ++i) {
            const Act act = static_cast<Act>(i);
            const QAction* action = (*m_actions)[act];
            if (Actions::group(act) != group || action->shortcut().isEmpty())
                continue;
            if (act > Act::Solo1 && act <= Act::Solo9)
                continue; // one line for all nine
            QStringList keys;
            for (const QKeySequence& key : action->shortcuts())
                keys << key.toString(QKeySequence::NativeText);
            QString text = plainText(Actions::text(act)).remove(QStringLiteral("…"));
            if (act == Act::Solo1) {
                keys = {QStringLiteral("1 … 9")};
                text = tr("Only rank 1 … 9; again: all ranks");
            }
            m_rows << qMakePair(keys.mid(0, 2).join(QStringLiteral("  ")), text);
        }
        if (m_rows.size() > heading)
            m_rows.insert(heading, qMakePair(QString(), plainText(Actions::groupTitle(group))));
    }
}

void ShortcutsPanel::place() {
    const int rows = static_cast<int>(m_rows.size() + 1) / 2 + 1;
    resize(std::min(parentWidget()->width() - 32, 2 * kColumn + 2 * kPad),
           std::min(parentWidget()->height() - 32, rows * kRow + 2 * kPad + 20));
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

void ShortcutsPanel::toggle() {
    if (isVisible()) {
        hide();
        return;
    }
    collect();
    place();
    show();
    raise();
    setFocus();
}

void ShortcutsPanel::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.hairline);
    painter.setBrush(p.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.setFont(titleFont());
    painter.setPen(p.text);
    painter.drawText(QRect(kPad, 12, width() - 2 * kPad, 28), Qt::AlignLeft | Qt::AlignVCenter, tr("Keys"));
    const int perColumn = std::max(1, (height() - kPad - 48) / kRow);
    const int column = (width() - 2 * kPad) / 2;
    for (int i = 0; i < m_rows.size() && i < 2 * perColumn; ++i) {
        const QRect row(kPad + (i / perColumn) * column, 48 + (i % perColumn) * kRow, column - 16, kRow);
        const auto& [key, text] = m_rows[i];
        if (key.isEmpty()) {
            painter.setFont(headingFont());
            painter.setPen(p.secondary);
            painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, text);
            continue;
        }
        painter.setFont(monoFont(9));
        painter.setPen(p.accent);
        painter.drawText(QRect(row.left(), row.top(), kKeyWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter, key);
        painter.setFont(bodyFont());
        painter.setPen(p.text);
        const QRect words = row.adjusted(kKeyWidth + 8, 0, 0, 0);
        painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, words.width()));
    }
}

void ShortcutsPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

void ShortcutsPanel::mousePressEvent(QMouseEvent*) {
    hide();
}

bool ShortcutsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (isVisible() && event->type() == QEvent::Resize)
        place();
    return QFrame::eventFilter(watched, event);
}

} // namespace rankscope::ui
