// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/missing_folder_notice.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/mark.h"
#include "widgets/theme/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace rankscope::ui {

MissingFolderNotice::MissingFolderNotice(QWidget* parent)
    : QFrame(parent), m_text(new QLabel), m_close(new QPushButton), m_look(new QPushButton) {
    setObjectName(QStringLiteral("goneNotice"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = filledBox(new QHBoxLayout(this), {36, 6, 8, 6}, 8);
    row->addWidget(m_text, 1);
    row->addWidget(m_look);
    row->addWidget(m_close);
    setMinimumHeight(40);
    connect(m_close, &QPushButton::clicked, this, &MissingFolderNotice::closeRequested);
    connect(m_look, &QPushButton::clicked, this, &MissingFolderNotice::checkAgainRequested);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    retranslate();
    hide();
    onLanguageChange(this, [this] { retranslate(); });
}

void MissingFolderNotice::setGone(const QString& folder, std::int64_t sinceRealtimeNs) {
    const bool isNew = sinceRealtimeNs != 0 && m_sinceNs == 0;
    m_folder = folder;
    m_sinceNs = sinceRealtimeNs;
    retranslate();
    setVisible(sinceRealtimeNs != 0);
    if (isNew)
        announce(this, m_text->text());
}

void MissingFolderNotice::retranslate() {
    setAccessibleName(tr("This run's folder is gone"));
    m_close->setText(tr("Close run"));
    m_look->setText(tr("Check again"));
    m_text->setText(
        m_sinceNs == 0
            ? QString()
            : tr("This run's folder is gone: %1. It was moved, renamed or deleted. What you see was read before %2.")
                  .arg(m_folder, clockText(m_sinceNs)));
}

void MissingFolderNotice::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.fillRect(rect(), p.tinted(p.dead));
    painter.fillRect(QRect(0, 0, 3, height()), p.dead);
    painter.fillRect(QRect(0, height() - 1, width(), 1), p.hairline);
    drawMark(painter, QRectF(12, height() / 2.0 - 7, 14, 14), Mark::DottedRing, p.dead);
}

} // namespace rankscope::ui
