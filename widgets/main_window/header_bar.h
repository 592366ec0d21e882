// SPDX-License-Identifier: GPL-3.0-or-later
// 56 px: which run this is, how it is, how far, how fast, how long still; what can be done with it.
#pragma once

#include "widgets/models/run_session.h"

#include <QFrame>
#include <QList>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace rankscope::ui {

/// The header's figures as text; pure, so that they can be tested.
struct HeaderTexts {
    QString name, under, step, rate, left;
    double share = -1; ///< of the planned steps; -1: unknown
    static HeaderTexts of(const RunView& view);
};

class HeaderBar final : public QFrame {
    Q_OBJECT
public:
    explicit HeaderBar(QWidget* parent = nullptr);
    void setView(const RunView& view);
    void setButtons(const QList<QAction*>& actions);
    void retranslate();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showTexts();
    QPushButton* addButton(QAction* action);

    struct Figure {
        QLabel* caption;
        QLabel* value;
    };
    Figure addFigure(int minimumWidth);

    RunView m_view;
    HeaderTexts m_texts;
    QLabel* m_name;
    QLabel* m_under;
    Figure m_step, m_rate, m_left;
    QHBoxLayout* m_row;
    QList<QPushButton*> m_buttons;
};

} // namespace rankscope::ui
