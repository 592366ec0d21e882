// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/check_panel.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/plain_table.h"
#include "widgets/models/tables/check_model.h"
#include "widgets/theme/mark.h"
#include "widgets/theme/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>

namespace rankscope::ui {

using telemetry::CheckStatus;

namespace {

constexpr int kMarkWidth = 22, kRowsShown = 8;

/// Draws a tick, cross or dash before the word.
class MarkDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem item = option;
        item.rect.adjust(kMarkWidth, 0, 0, 0);
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, option.palette.highlight());
        QStyledItemDelegate::paint(painter, item, index);
        const auto status = static_cast<CheckStatus>(index.data(CheckModel::StatusRole).toInt());
        const Palette& palette = Theme::instance().palette();
        QColor colour = status == CheckStatus::Passed   ? palette.good
                        : status == CheckStatus::Failed ? palette.dead
                                                        : palette.secondary;
        if (option.state & QStyle::State_Selected)
            colour = option.palette.color(QPalette::HighlightedText);
        const QRectF square(option.rect.left() + 6, option.rect.center().y() - 6, 14, 14);
        if (status == CheckStatus::Passed || status == CheckStatus::Failed) {
            drawMark(*painter, square, status == CheckStatus::Passed ? Mark::Tick : Mark::Cross, colour);
        } else {
            painter->setPen(QPen(colour, 2));
            painter->drawLine(QPointF(square.left() + 2, square.center().y()),
                              QPointF(square.right() - 2, square.center().y()));
        }
    }
};

} // namespace

CheckPanel::CheckPanel(QWidget* parent)
    : QWidget(parent), m_model(new CheckModel(this)), m_fold(new QToolButton), m_table(new QTableView) {
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_table->setModel(m_model);
    setPlainTableLook(m_table);
    m_table->setItemDelegateForColumn(CheckModel::ResultColumn, new MarkDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->horizontalHeader()->setSectionResizeMode(CheckModel::FoundColumn, QHeaderView::Stretch);
    m_table->horizontalHeader()->resizeSection(CheckModel::ResultColumn, 160);
    m_table->horizontalHeader()->resizeSection(CheckModel::CheckColumn, 160);
    m_table->setFixedHeight((kRowsShown + 1) * m_table->verticalHeader()->defaultSectionSize());
    m_table->hide();
    filledBox(new QVBoxLayout(this), {}, 0, {m_fold, m_table});
    connect(m_fold, &QToolButton::toggled, this, [this] { update(); });
    setVisible(false);
    update();
}

void CheckPanel::setChecks(const std::vector<store::CheckSummary>& checks) {
    const bool failedBefore = m_model->count(CheckStatus::Failed) > 0;
    m_model->setChecks(checks);
    if (checks.empty())
        m_fold->setChecked(false);
    else if (!failedBefore && m_model->count(CheckStatus::Failed) > 0)
        m_fold->setChecked(true);
    setVisible(!checks.empty());
    update();
}

void CheckPanel::update() {
    const int failed = m_model->count(CheckStatus::Failed), passed = m_model->count(CheckStatus::Passed);
    m_fold->setText(failed > 0 ? tr("Start-up checks: %1 failed, %2 passed").arg(failed).arg(passed)
                               : tr("Start-up checks: %1 passed").arg(passed));
    m_fold->setArrowType(m_fold->isChecked() ? Qt::DownArrow : Qt::RightArrow);
    m_table->setVisible(m_fold->isChecked());
    m_table->setAccessibleName(tr("Start-up checks"));
}

void CheckPanel::retranslate() {
    m_model->retranslate();
    update();
}

} // namespace rankscope::ui
