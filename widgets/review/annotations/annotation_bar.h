// SPDX-License-Identifier: GPL-3.0-or-later
// A line edit for an annotation, below the plots' switches. Enter saves it, Escape cancels.
#pragma once

#include "core/launch/run/run_annotations.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace rankscope::ui {

class AnnotationBar final : public QWidget {
    Q_OBJECT
public:
    explicit AnnotationBar(QWidget* parent = nullptr);

    /// Edits an annotation; id 0: a new one.
    void edit(const launch::Annotation& annotation);
    /// Answers kept(): hides the bar, or keeps it with the text and shows why it was refused.
    void answer(const QString& problem);
    bool isWaiting() const { return m_waiting; } ///< for answer()
    QString problem() const;
    QLineEdit* line() const { return m_line; }

signals:
    void kept(const rankscope::launch::Annotation& annotation); ///< saved by the user; its text is not empty
    void removed(qint64 id);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void retranslate();
    void keep();

    launch::Annotation m_annotation;
    bool m_waiting = false;
    QLabel* m_where;
    QLabel* m_problem;
    QLineEdit* m_line;
    QToolButton *m_keep, *m_remove, *m_leave;
};

} // namespace rankscope::ui
