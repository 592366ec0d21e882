// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/problems/problem_list.h"

#include "widgets/config/problems/problem_model.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kMargin = 8, kText = 30, kGap = 4, kLine = 4;

QString actionOf(const QModelIndex& index) {
    return index.data(ProblemModel::ActionRole).toString();
}

QSize buttonSize(const QFontMetrics& metrics, const QString& label, int room) {
    return {std::min(metrics.horizontalAdvance(label) + 20, std::max(60, room)), metrics.height() + 6};
}

class ProblemDelegate final : public QStyledItemDelegate {
public:
    explicit ProblemDelegate(ProblemList* list) : QStyledItemDelegate(list), m_list(list) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const int room = m_list->viewport()->width() - kText - kMargin;
        const QRect text = option.fontMetrics.boundingRect(QRect(0, 0, std::max(60, room), 10000), Qt::TextWordWrap,
                                                           index.data().toString());
        int height = std::max(text.height(), 16) + 2 * kLine;
        if (const QString action = actionOf(index); !action.isEmpty())
            height += kGap + buttonSize(option.fontMetrics, action, room).height();
        return {60, height};
    }

    static QRect buttonIn(const QRect& row, const QFontMetrics& metrics, const QString& action) {
        const QSize size = buttonSize(metrics, action, row.width() - kText - kMargin);
        return {QPoint(row.left() + kText, row.bottom() - kLine - size.height() + 1), size};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem back(option);
        initStyleOption(&back, index);
        const QString text = back.text;
        back.text.clear();
        back.icon = {};
        QStyle* style = m_list->style();
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &back, painter, m_list);
        const QRect r = option.rect;
        painter->drawPixmap(QRect(r.left() + kMargin, r.top() + kLine - 1, 16, 16),
                            index.data(Qt::DecorationRole).value<QPixmap>());
        const QString action = actionOf(index);
        painter->save();
        painter->setFont(option.font);
        painter->setPen(
            option.palette.color(option.state & QStyle::State_Selected ? QPalette::HighlightedText : QPalette::Text));
        painter->drawText(r.adjusted(kText, kLine, -kMargin, 0), Qt::TextWordWrap, text);
        painter->restore();
        if (action.isEmpty())
            return;
        QStyleOptionButton button;
        button.rect = buttonIn(r, option.fontMetrics, action);
        button.fontMetrics = option.fontMetrics;
        button.palette = m_list->palette();
        button.state = QStyle::State_Enabled | QStyle::State_Raised;
        if (option.state & QStyle::State_MouseOver)
            button.state |= QStyle::State_MouseOver;
        button.text = option.fontMetrics.elidedText(action, Qt::ElideRight, button.rect.width() - 12);
        painter->save();
        painter->setFont(option.font);
        style->drawControl(QStyle::CE_PushButton, &button, painter, m_list);
        painter->restore();
    }

    bool editorEvent(QEvent* event, QAbstractItemModel*, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override {
        const QString action = actionOf(index);
        if (action.isEmpty())
            return false;
        if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space)
            return press(index);
        if (event->type() != QEvent::MouseButtonRelease && event->type() != QEvent::MouseButtonPress)
            return false;
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() != Qt::LeftButton ||
            !buttonIn(option.rect, option.fontMetrics, action).contains(mouse->position().toPoint()))
            return false;
        return event->type() == QEvent::MouseButtonRelease ? press(index) : true;
    }

private:
    bool press(const QModelIndex& index) const {
        if (index.data(ProblemModel::ManifestRole).toBool())
            emit m_list->manifestRequested(index.data(ProblemModel::KeyRole).toString());
        else
            emit m_list->remedyRequested(index.data(ProblemModel::RemedyRole).value<KeySettings>());
        return true;
    }

    ProblemList* m_list;
};

} // namespace

ProblemList::ProblemList(QWidget* parent) : QListView(parent) {
    setItemDelegate(new ProblemDelegate(this));
    setFont(secondaryFont());
    setFrameShape(QFrame::NoFrame);
    setWordWrap(true);
    setMouseTracking(true);
    setResizeMode(QListView::Adjust);
    setLayoutMode(QListView::Batched); // a long recipe may have hundreds
    setBatchSize(40);
    setSpacing(1);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void ProblemList::showProblem(const QString& key) {
    const auto found = model()->match(model()->index(0, 0), ProblemModel::KeyRole, key, 1, Qt::MatchExactly);
    if (found.isEmpty())
        return;
    setCurrentIndex(found.front());
    scrollTo(found.front());
    setFocus();
}

void ProblemList::paintEvent(QPaintEvent* event) {
    QListView::paintEvent(event);
    if (!model() || model()->rowCount() > 0)
        return;
    QPainter painter(viewport());
    painter.setFont(font());
    painter.setPen(Theme::instance().palette().secondary);
    painter.drawText(viewport()->rect().adjusted(12, 8, -12, -8), Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap,
                     tr("No problems"));
}

void ProblemList::resizeEvent(QResizeEvent* event) {
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout(); // sentences wrap differently
}

} // namespace rankscope::ui
