// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/copy_line.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QLineEdit>
#include <QToolButton>

namespace rankscope::ui {

CopyLine::CopyLine(QWidget* parent) : QWidget(parent), m_line(new QLineEdit), m_copy(new QToolButton) {
    auto* row = filledBox(new QHBoxLayout(this), {}, 4);
    m_line->setReadOnly(true);
    m_line->setFont(monoFont(9));
    m_copy->setAutoRaise(true);
    m_copy->setFocusPolicy(Qt::TabFocus);
    row->addWidget(m_line, 1);
    row->addWidget(m_copy);
    connect(m_copy, &QToolButton::clicked, this, [this] { copyText(m_line->text(), m_copy); });
    m_copy->setIcon(Theme::instance().icon(QStringLiteral("copy")));
    retranslate();
}

void CopyLine::setText(const QString& text, const QString& name) {
    if (m_line->text() != text) {
        m_line->setText(text);
        m_line->setCursorPosition(0);
        m_line->setToolTip(plainToolTip(text));
    }
    m_line->setAccessibleName(name);
}

QString CopyLine::text() const {
    return m_line->text();
}

void CopyLine::retranslate() {
    m_copy->setToolTip(tr("Copy"));
    m_copy->setAccessibleName(tr("Copy"));
}

} // namespace rankscope::ui
