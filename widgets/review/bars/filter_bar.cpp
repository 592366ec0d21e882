// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/bars/filter_bar.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QLabel>
#include <QToolButton>

namespace rankscope::ui {

FilterBar::FilterBar(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_row(rowOf({m_title, kSpareRoom}, 6, {12, 0, 8, 4})) {
    setLayout(m_row);
    m_title->setForegroundRole(QPalette::PlaceholderText);
    connect(&Theme::instance(), &Theme::changed, this, &FilterBar::rebuild);
    rebuild();
    onLanguageChange(this, [this] { rebuild(); });
}

void FilterBar::setChips(const QList<Chip>& chips) {
    if (chips == m_chips)
        return;
    m_chips = chips;
    rebuild();
}

void FilterBar::rebuild() {
    m_title->setText(tr("Filter:"));
    for (auto* widget : std::as_const(m_widgets))
        widget->deleteLater(); // deleted later, because it may be the one that was clicked
    m_widgets.clear();
    const auto& palette = Theme::instance().palette();
    for (const Chip& chip : std::as_const(m_chips)) {
        auto* frame = new QWidget(this);
        frame->setObjectName(QStringLiteral("chip"));
        frame->setAttribute(Qt::WA_StyledBackground);
        frame->setStyleSheet(QStringLiteral("#chip{background:%1;border:1px solid %2;border-radius:10px;}"
                                            "QToolButton{border:none;background:transparent;padding:1px 4px;}"
                                            "QToolButton:focus{color:%3;}")
                                 .arg(palette.raised.name(), palette.hairline.name(), palette.accent.name()));
        auto* text = new QToolButton(frame);
        text->setText(chip.text);
        text->setToolTip(plainToolTip(chip.tip));
        text->setFocusPolicy(Qt::TabFocus);
        auto* close = new QToolButton(frame);
        close->setIcon(Theme::instance().icon(QStringLiteral("close")));
        close->setIconSize({12, 12});
        close->setFocusPolicy(Qt::TabFocus);
        close->setToolTip(tr("Clear this filter"));
        close->setAccessibleName(tr("Clear filter: %1").arg(chip.text));
        frame->setLayout(rowOf({text, close}, 0, {6, 0, 4, 0}));
        connect(text, &QToolButton::clicked, this, [this, kind = chip.kind] { emit clicked(kind); });
        connect(close, &QToolButton::clicked, this, [this, kind = chip.kind] { emit removed(kind); });
        m_row->insertWidget(m_row->count() - 1, frame);
        m_widgets << frame;
    }
    setVisible(!m_chips.isEmpty());
}

} // namespace rankscope::ui
