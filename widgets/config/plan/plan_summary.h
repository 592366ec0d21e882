// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/labels/severity_marks.h"

#include <QColor>
#include <QStringList>
#include <QWidget>

#include <optional>

class QLabel;

namespace rankscope::ui {

class PlanRequest;

/// One line about the dry run: its main figures or what prevents a launch, and a link to the details.
class PlanSummary final : public QWidget {
    Q_OBJECT
public:
    explicit PlanSummary(QWidget* parent = nullptr);
    /// `manifestOpen`: the recipe leaves a manifest open, so the link leads to the choice of one instead of the
    /// problems.
    void showPlan(const PlanRequest& run, bool manifestOpen);

signals:
    void planRequested();     ///< the user wants to see the whole dry run
    void problemsRequested(); ///< the user wants to see what prevents a launch
    void manifestRequested(); ///< the user wants to choose a manifest

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void say(const QStringList& facts, const QColor& colour, const QString& link, const QString& linkText,
             std::optional<MarkSeverity> mark = std::nullopt);
    void fit();

    QLabel* m_mark;
    QLabel* m_line;
    QStringList m_facts; ///< most important first
    QColor m_colour;
    QString m_link, m_linkText; ///< as rich and as plain text
};

} // namespace rankscope::ui
