// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/lineage_chips.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QMenu>
#include <QPainter>
#include <QStyleOption>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kChipGap = 6, kChipPad = 8;

/// A text in a rounded frame, in a link's colour if it opens a run.
class LineageChip final : public QToolButton {
public:
    using QToolButton::QToolButton;
    QSize sizeHint() const override {
        return {fontMetrics().horizontalAdvance(text()) + 2 * kChipPad, LineageChips::kHeight};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Palette& p = Theme::instance().palette();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF frame = QRectF(rect()).adjusted(0.5, 1.5, -0.5, -1.5);
        painter.setPen(QPen(hasFocus() ? p.accent : p.hairline, 1));
        painter.setBrush(underMouse() && isEnabled() ? p.hoveredLink() : p.raised);
        painter.drawRoundedRect(frame, 4, 4);
        painter.setPen(isEnabled() ? p.accent : p.secondary);
        painter.setFont(font());
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
};

} // namespace

LineageChips::LineageChips(QWidget* parent) : QWidget(parent), m_folded(new LineageChip(this)) {
    setObjectName(QStringLiteral("lineage"));
    m_folded->setFont(secondaryFont());
    m_folded->setFocusPolicy(Qt::TabFocus);
    m_folded->hide();
    connect(m_folded, &QToolButton::clicked, this, [this] { openMenu(m_folded, m_parts); });
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LineageChips::setKin(const RelatedRuns& kin) {
    if (m_kin == kin)
        return;
    m_kin = kin;
    rebuild();
}

void LineageChips::retranslate() {
    rebuild();
}

void LineageChips::rebuild() {
    m_parts.clear();
    const auto one = [this](const QString& text, const RelatedRuns::One& run) {
        if (!run.id.isEmpty())
            m_parts.append({text.arg(shortRunId(run.id)),
                            run.dir.isEmpty() ? tr("%1, no longer in the runs folder").arg(run.id) : run.id,
                            {run}});
    };
    const auto several = [this, &one](const QString& text, const QString& many, const QList<RelatedRuns::One>& runs) {
        QStringList ids;
        for (const RelatedRuns::One& run : runs)
            ids << run.id;
        if (runs.size() == 1)
            one(text, runs.front());
        else if (!runs.isEmpty())
            m_parts.append({many, ids.join(QLatin1Char('\n')), runs});
    };
    one(tr("repeats %1"), m_kin.repeated);
    one(tr("resumed from %1"), m_kin.resumed);
    several(tr("resumed by %1"), tr("resumed by %n run(s)", nullptr, static_cast<int>(m_kin.resumedBy.size())),
            m_kin.resumedBy);
    several(tr("repeated by %1"), tr("repeated by %n run(s)", nullptr, static_cast<int>(m_kin.repeatedBy.size())),
            m_kin.repeatedBy);
    for (QToolButton* chip : std::as_const(m_chips)) {
        chip->hide();
        chip->deleteLater();
    }
    m_chips.clear();
    for (const ChipPart& part : std::as_const(m_parts))
        m_chips << makeChip(part);
    m_folded->setText(tr("%n related run(s)", nullptr, static_cast<int>(m_parts.size())));
    m_folded->setToolTip(plainToolTip(text()));
    emit changed();
}

QToolButton* LineageChips::makeChip(const ChipPart& part) {
    auto* chip = new LineageChip(this);
    chip->setFont(secondaryFont());
    chip->setFocusPolicy(Qt::TabFocus);
    chip->setText(part.text);
    chip->setToolTip(plainToolTip(part.tip));
    chip->setEnabled(
        std::any_of(part.runs.begin(), part.runs.end(), [](const auto& run) { return !run.dir.isEmpty(); }));
    connect(chip, &QToolButton::clicked, this, [this, chip, part] {
        if (part.runs.size() == 1)
            emit runRequested(part.runs.front().dir);
        else
            openMenu(chip, {part});
    });
    return chip;
}

void LineageChips::openMenu(QToolButton* under, const QList<ChipPart>& parts) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const ChipPart& part : parts)
        for (const RelatedRuns::One& run : part.runs) {
            const QString text = part.runs.size() == 1 && parts.size() > 1 ? part.text : run.id;
            menu->addAction(text, this, [this, dir = run.dir] { emit runRequested(dir); })
                ->setEnabled(!run.dir.isEmpty());
        }
    menu->popup(under->mapToGlobal(QPoint(0, under->height() + 2)));
}

int LineageChips::fit(int room) {
    int all = 0;
    for (const QToolButton* chip : std::as_const(m_chips))
        all += chip->sizeHint().width() + (all > 0 ? kChipGap : 0);
    const int one = m_chips.isEmpty() ? 0 : m_folded->sizeHint().width();
    const bool whole = all <= room, folded = !whole && one <= room;
    int x = 0;
    for (QToolButton* chip : std::as_const(m_chips)) {
        chip->setVisible(whole);
        chip->setGeometry(x, 0, chip->sizeHint().width(), kHeight);
        x += chip->width() + kChipGap;
    }
    m_folded->setVisible(folded);
    m_folded->setGeometry(0, 0, one, kHeight);
    setVisible(whole ? all > 0 : folded);
    return whole ? all : folded ? one : 0;
}

QString LineageChips::text() const {
    QStringList texts;
    for (const ChipPart& part : m_parts)
        texts << part.text;
    return texts.join(QStringLiteral(" · "));
}

} // namespace rankscope::ui
