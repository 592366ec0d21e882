// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/sync/sync_value_box.h"

#include "widgets/config/tree/value_line.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QWheelEvent>

namespace rankscope::ui {

SyncValueBox::SyncValueBox(QWidget* parent) : QComboBox(parent) {
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setCompleter(nullptr); // it would complete to a value the user did not mean
    lineEdit()->installEventFilter(this);
    connect(this, &QComboBox::textActivated, this, [this](const QString& value) {
        lineEdit()->setModified(false);
        check();
        emit chosen(value);
    });
    connect(lineEdit(), &QLineEdit::textEdited, this, &SyncValueBox::check);
    connect(lineEdit(), &QLineEdit::editingFinished, this, &SyncValueBox::take);
}

void SyncValueBox::setChoices(const QStringList& values, const std::optional<QString>& yours,
                              const config::KeySpec* spec) {
    m_yours = yours;
    m_spec = spec;
    if (isEdited())
        return check();
    const QSignalBlocker quiet(this);
    clear();
    addItems(values);
    setCurrentIndex(static_cast<int>(values.indexOf(yours.value_or(QString()))));
    setEditText(yours.value_or(QString()));
    lineEdit()->setModified(false);
    lineEdit()->setCursorPosition(0);
}

bool SyncValueBox::isEdited() const {
    return lineEdit()->isModified() && lineEdit()->text().trimmed() != m_yours.value_or(QString());
}

void SyncValueBox::reset() {
    setEditText(m_yours.value_or(QString()));
    lineEdit()->setModified(false);
    check();
}

void SyncValueBox::check() {
    const QString typed = lineEdit()->text().trimmed();
    const QString problem = isEdited() && !typed.isEmpty() ? valueProblem(m_spec, typed) : QString();
    QPalette colours = lineEdit()->palette();
    const Palette& p = Theme::instance().palette();
    colours.setColor(QPalette::Text, problem.isEmpty() ? p.text : p.dead);
    lineEdit()->setPalette(colours);
    if (problem == m_problem)
        return;
    m_problem = problem;
    setAccessibleDescription(problem);
    emit problemChanged(problem);
}

/// Called when Enter is pressed or the focus moves elsewhere.
void SyncValueBox::take() {
    if (!isEdited())
        return;
    const QString typed = lineEdit()->text().trimmed();
    if (typed.isEmpty())
        return reset(); // a key is removed by its own button
    check();
    if (!m_problem.isEmpty())
        return;
    lineEdit()->setModified(false);
    emit chosen(typed);
}

void SyncValueBox::wheelEvent(QWheelEvent* event) {
    event->ignore(); // the page may scroll, but the wheel must not change a setting by accident
}

void SyncValueBox::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && isEdited())
        reset();
    else
        QComboBox::keyPressEvent(event);
}

/// No value contains a slash, so the slash starts a search as everywhere on the page.
static bool isSearchKey(QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Slash)
        return false;
    event->ignore();
    return true;
}

bool SyncValueBox::event(QEvent* event) {
    return isSearchKey(event) || QComboBox::event(event);
}

bool SyncValueBox::eventFilter(QObject* watched, QEvent* event) {
    if (isSearchKey(event))
        return true;
    if (watched != lineEdit() || event->type() != QEvent::MouseButtonPress || isEdited())
        return QComboBox::eventFilter(watched, event);
    lineEdit()->setFocus();
    showPopup();
    return true;
}

/// Selects the text unless it was edited, so that typing replaces the value.
void SyncValueBox::hidePopup() {
    QComboBox::hidePopup();
    if (!isEdited())
        lineEdit()->selectAll();
}

void SyncValueBox::changeEvent(QEvent* event) {
    QComboBox::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && lineEdit() && !m_problem.isEmpty())
        check();
}

} // namespace rankscope::ui
