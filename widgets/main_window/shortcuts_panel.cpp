// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/shortcuts_panel.h"

#include "widgets/main_window/actions.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kRow = 22, kPad = 24, kColumn = 340, kGap = 24, kKeyWidth = 118, kTitle = 48, kBetween = 10;
}

/// Sections in as many columns as fit; none is broken.
class KeyList final : public QWidget {
public:
    explicit KeyList(QWidget* parent) : QWidget(parent) {}

    void setSections(const QList<KeySection>* sections) { m_sections = sections; }

    QSize arrange(int columns) {
        m_places.clear();
        int all = 0, tallest = 0;
        for (const KeySection& section : *m_sections) {
            all += heightOf(section);
            tallest = std::max(tallest, heightOf(section));
        }
        // the lowest height at which the columns are enough
        int height = std::max(tallest, all / columns);
        while (!fits(height, columns))
            height += kRow;
        resize(columns * (kColumn + kGap) - kGap, height);
        return size();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        for (qsizetype i = 0; i < m_places.size(); ++i)
            draw(painter, (*m_sections)[i], m_places[i]);
    }

private:
    static int heightOf(const KeySection& section) {
        return static_cast<int>(section.lines.size() + 1) * kRow + kBetween;
    }

    bool fits(int height, int columns) {
        m_places.clear();
        int column = 0, y = 0;
        for (const KeySection& section : *m_sections) {
            if (y > 0 && y + heightOf(section) > height + kBetween) {
                ++column;
                y = 0;
            }
            m_places << QPoint(column * (kColumn + kGap), y);
            y += heightOf(section);
        }
        return column < columns;
    }

    static void draw(QPainter& painter, const KeySection& section, QPoint at) {
        const Palette& p = Theme::instance().palette();
        QRect row(at.x(), at.y(), kColumn, kRow);
        painter.setFont(headingFont());
        painter.setPen(p.secondary);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, section.title);
        for (const KeyLine& line : section.lines) {
            row.translate(0, kRow);
            painter.setFont(monoFont(9));
            painter.setPen(p.accent);
            painter.drawText(QRect(row.left(), row.top(), kKeyWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter, line.key);
            painter.setFont(bodyFont());
            painter.setPen(p.text);
            const QRect words = row.adjusted(kKeyWidth + 8, 0, 0, 0);
            painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(line.text, Qt::ElideRight, words.width()));
        }
    }

    const QList<KeySection>* m_sections = nullptr;
    QList<QPoint> m_places;
};

ShortcutsPanel::ShortcutsPanel(const Actions* actions, QWidget* window)
    : QFrame(window), m_actions(actions), m_scroll(new QScrollArea(this)), m_list(new KeyList(this)) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Keys"));
    m_list->setSections(&m_sections);
    m_scroll->setWidget(m_list);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (QWidget* part : {static_cast<QWidget*>(m_scroll), m_scroll->viewport(), static_cast<QWidget*>(m_list)})
        part->setAutoFillBackground(false);
    window->installEventFilter(this);
    hide();
}

void ShortcutsPanel::collect() {
    m_sections.clear();
    for (Group group : {Group::File, Group::Edit, Group::Run, Group::View, Group::Plots, Group::Help}) {
        KeySection section{plainText(Actions::groupTitle(group)), {}};
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
            section.lines << KeyLine{keys.mid(0, 2).join(QStringLiteral("  ")), text};
        }
        if (!section.lines.isEmpty())
            m_sections << section;
    }
    m_sections << pageKeys();
}

void ShortcutsPanel::place() {
    const QSize room = parentWidget()->size() - QSize(32, 32);
    const int frame = 2 * kPad, bar = m_scroll->verticalScrollBar()->sizeHint().width();
    const int columns = std::clamp((room.width() - frame - bar + kGap) / (kColumn + kGap), 1, 4);
    const QSize list = m_list->arrange(columns);
    const int height = std::min(room.height(), list.height() + kTitle + kPad);
    resize(std::min(room.width(), list.width() + frame + bar), height);
    m_scroll->setGeometry(kPad, kTitle, width() - kPad - 2, height - kTitle - kPad / 2);
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height) / 2);
}

void ShortcutsPanel::toggle() {
    if (isVisible()) {
        hide();
        return;
    }
    collect();
    place();
    m_scroll->verticalScrollBar()->setValue(0);
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
}

void ShortcutsPanel::keyPressEvent(QKeyEvent* event) {
    auto* bar = m_scroll->verticalScrollBar();
    switch (event->key()) {
    case Qt::Key_Escape:
        return hide();
    case Qt::Key_Up:
    case Qt::Key_Down:
        return bar->setValue(bar->value() + (event->key() == Qt::Key_Up ? -kRow : kRow));
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        return bar->setValue(bar->value() + (event->key() == Qt::Key_PageUp ? -1 : 1) * bar->pageStep());
    default:
        QFrame::keyPressEvent(event);
    }
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
