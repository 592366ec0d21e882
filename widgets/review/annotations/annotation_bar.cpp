// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/annotations/annotation_bar.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <utility>

namespace rankscope::ui {

static constexpr int kLongest = 1000;

AnnotationBar::AnnotationBar(QWidget* parent)
    : QWidget(parent), m_where(new QLabel(this)), m_problem(new QLabel(this)), m_line(new QLineEdit(this)),
      m_keep(new QToolButton(this)), m_remove(new QToolButton(this)), m_leave(new QToolButton(this)) {
    auto* row = rowOf({m_where, {m_line, 1}, m_keep, m_remove, m_leave}, 6);
    setLayout(columnOf({row, m_problem}, 2, {12, 0, 8, 4}));
    m_problem->setFont(secondaryFont());
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->hide();
    m_line->setMaxLength(kLongest);
    for (auto* button : {m_keep, m_remove, m_leave}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    connect(m_line, &QLineEdit::returnPressed, this, &AnnotationBar::keep);
    connect(m_keep, &QToolButton::clicked, this, &AnnotationBar::keep);
    connect(m_leave, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_remove, &QToolButton::clicked, this, [this] {
        hide();
        emit removed(m_annotation.id);
    });
    retranslate();
    hide();
    onLanguageChange(this, [this] { retranslate(); });
}

void AnnotationBar::retranslate() {
    const auto& a = m_annotation;
    m_where->setText(a.firstStep == a.lastStep
                         ? tr("Annotation at step %1:").arg(countText(a.firstStep))
                         : tr("Annotation of steps %1 to %2:").arg(countText(a.firstStep), countText(a.lastStep)));
    m_line->setPlaceholderText(tr("Note for this step (Enter saves, Esc cancels)"));
    m_line->setAccessibleName(m_where->text());
    m_keep->setText(tr("Save"));
    m_remove->setText(tr("Delete"));
    m_leave->setText(tr("Cancel"));
}

void AnnotationBar::edit(const launch::Annotation& annotation) {
    m_annotation = annotation;
    m_waiting = false;
    m_problem->hide();
    m_line->setText(toQString(annotation.text));
    m_remove->setVisible(annotation.id != 0);
    retranslate();
    show();
    m_line->setFocus();
    m_line->selectAll();
}

void AnnotationBar::keep() {
    const QString text = m_line->text().trimmed();
    if (text.isEmpty())
        return; // removing has its own button
    m_annotation.text = text.toStdString();
    m_waiting = true;
    emit kept(m_annotation);
}

void AnnotationBar::answer(const QString& problem) {
    if (!std::exchange(m_waiting, false))
        return;
    if (problem.isEmpty())
        return hide();
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::instance().palette().dead);
    m_problem->setPalette(colours);
    m_problem->setText(tr("Not saved: %1").arg(problem));
    m_problem->show();
    m_line->setFocus();
}

QString AnnotationBar::problem() const {
    return m_problem->isHidden() ? QString() : m_problem->text();
}

void AnnotationBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QWidget::keyPressEvent(event);
}

} // namespace rankscope::ui
