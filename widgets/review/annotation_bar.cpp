// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/annotation_bar.h"

#include "widgets/models/words.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace rankscope::ui {

static constexpr int kLongest = 1000;

AnnotationBar::AnnotationBar(QWidget* parent)
    : QWidget(parent), m_where(new QLabel(this)), m_line(new QLineEdit(this)), m_keep(new QToolButton(this)),
      m_remove(new QToolButton(this)), m_leave(new QToolButton(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 8, 4);
    row->setSpacing(6);
    row->addWidget(m_where);
    row->addWidget(m_line, 1);
    m_line->setMaxLength(kLongest);
    for (auto* button : {m_keep, m_remove, m_leave}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
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
}

void AnnotationBar::retranslate() {
    const auto& a = m_annotation;
    m_where->setText(a.firstStep == a.lastStep
                         ? tr("Annotation at step %1:").arg(countText(a.firstStep))
                         : tr("Annotation of steps %1 to %2:").arg(countText(a.firstStep), countText(a.lastStep)));
    m_line->setPlaceholderText(tr("What happened here; Enter keeps it, Escape leaves it"));
    m_line->setAccessibleName(m_where->text());
    m_keep->setText(tr("Keep"));
    m_remove->setText(tr("Delete"));
    m_leave->setText(tr("Cancel"));
}

void AnnotationBar::edit(const launch::Annotation& annotation) {
    m_annotation = annotation;
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
        return; // to take one away there is a button
    m_annotation.text = text.toStdString();
    hide();
    emit kept(m_annotation);
}

void AnnotationBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QWidget::keyPressEvent(event);
}

void AnnotationBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QWidget::changeEvent(event);
}

} // namespace rankscope::ui
