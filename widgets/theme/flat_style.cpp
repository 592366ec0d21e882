// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/flat_style.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QToolButton>

namespace rankscope::ui {

namespace {

void roundedBox(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& border, double radius = 3) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(fill);
    painter->setPen(QPen(border, 1));
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter->restore();
}

void chevron(QPainter* painter, const QRectF& rect, bool up, const QColor& colour) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = rect.center();
    const double dy = up ? -1.75 : 1.75;
    painter->drawPolyline(
        QPolygonF{QPointF(c.x() - 3.5, c.y() - dy), QPointF(c.x(), c.y() + dy), QPointF(c.x() + 3.5, c.y() - dy)});
    painter->restore();
}

QColor fieldBorder(const Palette& p, QStyle::State state) {
    if (state & QStyle::State_HasFocus)
        return p.accent;
    return state & QStyle::State_MouseOver ? blend(p.hairline, p.secondary, 0.5) : p.hairline;
}

QColor fieldFill(const Palette& p, QStyle::State state) {
    return state & QStyle::State_Enabled ? p.panel : p.window;
}

} // namespace

FlatStyle::FlatStyle(const Palette& colours) : QProxyStyle(QStringLiteral("Fusion")), m_colours(colours) {}

void FlatStyle::drawButton(const QStyleOption* option, QPainter* painter) const {
    const Palette& p = m_colours;
    const bool enabled = option->state & State_Enabled;
    const bool down = option->state & (State_Sunken | State_On);
    const bool hover = enabled && (option->state & State_MouseOver);
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    const bool primary = enabled && button && (button->features & QStyleOptionButton::DefaultButton);
    QColor fill = down ? blend(p.raised, p.secondary, 0.3) : hover ? blend(p.raised, p.secondary, 0.12) : p.raised;
    QColor border = p.hairline;
    if (primary) {
        fill = down ? blend(p.accent, Qt::black, 0.2) : hover ? blend(p.accent, Qt::white, 0.12) : p.accent;
        border = fill;
    } else if (!enabled) {
        fill = p.window;
    }
    if (option->state & State_HasFocus && !primary)
        border = p.accent;
    roundedBox(painter, option->rect, fill, border);
    if (primary && option->state & State_HasFocus)
        roundedBox(painter, option->rect.adjusted(2, 2, -2, -2), Qt::transparent, blend(p.accent, Qt::white, 0.6), 2);
}

void FlatStyle::drawCheckBox(const QStyleOption* option, QPainter* painter) const {
    const Palette& p = m_colours;
    const bool on = option->state & State_On, enabled = option->state & State_Enabled;
    const QColor edge =
        option->state & (State_HasFocus | State_MouseOver) ? p.accent : blend(p.hairline, p.secondary, 0.6);
    const QColor fill = on ? (enabled ? p.accent : p.hairline) : p.panel;
    roundedBox(painter, option->rect, fill, on ? fill : edge, 2);
    if (!on)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(p.dark ? p.window : p.panel, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QRectF r(option->rect);
    const auto at = [&](double x, double y) { return QPointF(r.left() + x * r.width(), r.top() + y * r.height()); };
    painter->drawPolyline(QPolygonF{at(0.24, 0.52), at(0.43, 0.72), at(0.77, 0.30)});
    painter->restore();
}

void FlatStyle::drawButtonLabel(const QStyleOption* option, QPainter* painter) const {
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    if (!button)
        return;
    const Palette& p = m_colours;
    const bool enabled = option->state & State_Enabled;
    const bool primary = enabled && button->features & QStyleOptionButton::DefaultButton;
    const int side = button->icon.isNull() ? 0 : 16, gap = side && !button->text.isEmpty() ? 6 : 0;
    const int width = side + gap + button->fontMetrics.horizontalAdvance(button->text);
    QRect at(0, 0, std::min(width, option->rect.width()), option->rect.height());
    at.moveCenter(option->rect.center());
    if (side)
        button->icon.paint(painter, QRect(at.left(), at.center().y() - side / 2 + 1, side, side), Qt::AlignCenter,
                           enabled ? QIcon::Normal : QIcon::Disabled);
    painter->setPen(primary
                        ? (p.dark ? p.window : p.panel)
                        : option->palette.color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText));
    painter->drawText(at.adjusted(side + gap, 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextHideMnemonic,
                      button->text);
}

void FlatStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    const Palette& p = m_colours;
    switch (element) {
    case PE_PanelButtonCommand:
        return drawButton(option, painter);
    case PE_PanelButtonTool: {
        const bool on = option->state & (State_On | State_Sunken);
        if (on || (option->state & State_MouseOver && option->state & State_Enabled))
            roundedBox(painter, option->rect, blend(p.window, p.secondary, on ? 0.24 : 0.12), Qt::transparent);
        return;
    }
    case PE_PanelLineEdit:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option); frame && frame->lineWidth > 0)
            roundedBox(painter, option->rect, fieldFill(m_colours, option->state),
                       fieldBorder(m_colours, option->state));
        else
            painter->fillRect(option->rect, fieldFill(m_colours, option->state));
        return;
    case PE_FrameLineEdit:
        return roundedBox(painter, option->rect, Qt::transparent, fieldBorder(m_colours, option->state));
    case PE_IndicatorCheckBox:
        return drawCheckBox(option, painter);
    case PE_IndicatorHeaderArrow:
        // up if the values ascend; QHeaderView calls that SortDown
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            header && header->sortIndicator != QStyleOptionHeader::None)
            chevron(painter, option->rect, header->sortIndicator == QStyleOptionHeader::SortDown, p.secondary);
        return;
    case PE_FrameTabBarBase:
        return painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1, p.hairline);
    case PE_FrameTabWidget:
    case PE_FrameStatusBarItem:
        return;
    case PE_PanelStatusBar:
        return painter->fillRect(option->rect.left(), option->rect.top(), option->rect.width(), 1, p.hairline);
    case PE_PanelScrollAreaCorner:
        return painter->fillRect(option->rect, p.panel);
    case PE_FrameFocusRect: // otherwise the accent border and the selection show the focus
        if (qobject_cast<const QToolButton*>(widget))
            roundedBox(painter, widget->rect(), Qt::transparent, p.accent);
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void FlatStyle::drawTab(const QStyleOption* option, QPainter* painter) const {
    const Palette& p = m_colours;
    const QRect r = option->rect;
    painter->fillRect(r.left(), r.bottom(), r.width(), 1, p.hairline);
    if (option->state & State_MouseOver && !(option->state & State_Selected))
        painter->fillRect(r.adjusted(0, 0, 0, -1), blend(p.window, p.secondary, 0.08));
    if (option->state & State_Selected)
        painter->fillRect(r.left(), r.bottom() - 1, r.width(), 2, p.accent);
    if (option->state & State_HasFocus)
        roundedBox(painter, r.adjusted(1, 1, -1, -2), Qt::transparent, p.accent);
}

void FlatStyle::drawHeaderSection(const QStyleOption* option, QPainter* painter) const {
    const Palette& p = m_colours;
    const QRect r = option->rect;
    painter->fillRect(r, p.window);
    painter->fillRect(r.left(), r.bottom(), r.width(), 1, p.hairline);
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
    if (header && header->orientation == Qt::Horizontal && header->position != QStyleOptionHeader::End &&
        header->position != QStyleOptionHeader::OnlyOneSection)
        painter->fillRect(r.right(), r.top() + 5, 1, r.height() - 10, p.hairline);
}

void FlatStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                            const QWidget* widget) const {
    const Palette& p = m_colours;
    switch (element) {
    case CE_TabBarTabShape:
        return drawTab(option, painter);
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            QStyleOptionTab copy = *tab;
            if (!(tab->state & State_Selected))
                copy.palette.setColor(QPalette::WindowText, p.secondary);
            copy.state &= ~State_HasFocus;
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_PushButtonLabel:
        return drawButtonLabel(option, painter);
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            header && header->icon.isNull()) {
            painter->setPen(header->palette.color(QPalette::ButtonText));
            const auto align = header->textAlignment | Qt::TextSingleLine;
            painter->drawText(header->rect, static_cast<int>(align),
                              header->fontMetrics.elidedText(header->text, Qt::ElideRight, header->rect.width()));
            return;
        }
        break;
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        return drawHeaderSection(option, painter);
    case CE_Splitter: {
        const QRect r = option->rect;
        const QPoint c = r.center();
        if (option->state & State_MouseOver)
            painter->fillRect(r, blend(p.window, p.accent, 0.35));
        else if (r.width() < r.height())
            painter->fillRect(c.x(), r.top(), 1, r.height(), p.hairline);
        else
            painter->fillRect(r.left(), c.y(), r.width(), 1, p.hairline);
        return;
    }
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void FlatStyle::drawScrollBar(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
    const Palette& p = m_colours;
    const QRect track = option->rect;
    painter->fillRect(track, p.panel);
    const QRect slider = proxy()->subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget);
    if (!slider.isValid() || !(option->state & State_Enabled))
        return;
    const bool active = option->activeSubControls & SC_ScrollBarSlider;
    const QRect thumb = slider.adjusted(3, 3, -3, -3);
    roundedBox(painter, thumb, blend(p.panel, p.secondary, active ? 0.6 : 0.35), Qt::transparent, 3);
}

void FlatStyle::drawComboBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
    const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (!combo)
        return;
    if (combo->frame)
        roundedBox(painter, option->rect, fieldFill(m_colours, option->state), fieldBorder(m_colours, option->state));
    else
        painter->fillRect(option->rect, fieldFill(m_colours, option->state));
    const QRect arrow = proxy()->subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
    chevron(painter, arrow, false, option->state & State_Enabled ? m_colours.secondary : m_colours.hairline);
}

void FlatStyle::drawSpinBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (!spin)
        return;
    roundedBox(painter, option->rect, fieldFill(m_colours, option->state), fieldBorder(m_colours, option->state));
    if (spin->buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    const Palette& p = m_colours;
    const QColor idle = p.secondary, off = p.hairline;
    const QRect up = proxy()->subControlRect(CC_SpinBox, option, SC_SpinBoxUp, widget);
    const QRect down = proxy()->subControlRect(CC_SpinBox, option, SC_SpinBoxDown, widget);
    chevron(painter, up, true, spin->stepEnabled & QAbstractSpinBox::StepUpEnabled ? idle : off);
    chevron(painter, down, false, spin->stepEnabled & QAbstractSpinBox::StepDownEnabled ? idle : off);
}

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                   const QWidget* widget) const {
    switch (control) {
    case CC_ScrollBar:
        return drawScrollBar(option, painter, widget);
    case CC_ComboBox:
        return drawComboBox(option, painter, widget);
    case CC_SpinBox:
        return drawSpinBox(option, painter, widget);
    default:
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

int FlatStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_ScrollBarExtent:
        return 12;
    case PM_SplitterWidth:
        return 5;
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize:
    case PM_TabBarIconSize:
        return 16;
    case PM_HeaderMargin:
        return 6;
    case PM_FocusFrameHMargin: // aligns an item's text with its header's
        return 5;
    case PM_TabBarTabHSpace:
        return 28;
    case PM_TabBarTabVSpace:
        return 14;
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabOverlap:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    case PM_DefaultFrameWidth:
        // views are flush with their panels; line edits and boxes keep their border
        return widget && widget->inherits("QAbstractScrollArea") ? 0 : QProxyStyle::pixelMetric(metric, option, widget);
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* data) const {
    switch (hint) {
    case SH_UnderlineShortcut:
    case SH_ItemView_ActivateItemOnSingleClick:
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
        return 0;
    case SH_ItemView_ShowDecorationSelected:
        return 1;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QRect FlatStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    const bool inBox = widget && (qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                                  qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()));
    return element == SE_LineEditContents && frame && frame->lineWidth > 0 && !inBox ? rect.adjusted(3, 0, -3, 0)
                                                                                     : rect;
}

QRect FlatStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl subControl,
                                const QWidget* widget) const {
    const QRect rect = QProxyStyle::subControlRect(control, option, subControl, widget);
    const bool field = (control == CC_ComboBox && subControl == SC_ComboBoxEditField) ||
                       (control == CC_SpinBox && subControl == SC_SpinBoxEditField);
    return field ? rect.adjusted(3, 0, 0, 0) : rect;
}

QPixmap FlatStyle::generatedIconPixmap(QIcon::Mode mode, const QPixmap& pixmap, const QStyleOption* option) const {
    // marks keep their colours when their row is selected
    return mode == QIcon::Selected ? pixmap : QProxyStyle::generatedIconPixmap(mode, pixmap, option);
}

QSize FlatStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                  const QWidget* widget) const {
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_PushButton:
        result.setHeight(std::max(result.height(), 28));
        result.rwidth() += 8;
        break;
    case CT_LineEdit:
    case CT_ComboBox:
    case CT_SpinBox:
    case CT_HeaderSection:
        result.setHeight(std::max(result.height(), 26));
        break;
    case CT_ToolButton:
        result = result.expandedTo(QSize(26, 26));
        break;
    default:
        break;
    }
    return result;
}

} // namespace rankscope::ui
