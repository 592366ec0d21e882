// SPDX-License-Identifier: GPL-3.0-or-later
// 56 px: which run this is, how it is, how far, how fast, how long still; what can be done with it.
#pragma once

#include "widgets/models/run_view.h"

#include <QFrame>
#include <QList>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace rankscope::ui {

/// Runs that belong to the one that is shown.
struct RunKin {
    struct One {
        QString id, dir; ///< dir empty: it is not in the folder of runs any more
        friend bool operator==(const One&, const One&) = default;
    };
    One resumed, repeated; ///< that it goes on from; that it repeats. An empty id: none
    QList<One> later;      ///< that go on from it or repeat it, newest first
    friend bool operator==(const RunKin&, const RunKin&) = default;
};

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
    void setKin(const RunKin& kin);
    void setButtons(const QList<QAction*>& actions);
    void retranslate();
    QString kinText() const; ///< as it is read

signals:
    void runRequested(const QString& dir);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What this widget paints itself; its labels know for themselves when they change.
    struct Painted {
        bool none = true;
        launch::RunState state = launch::RunState::Finished;
        int progress = -1; ///< pixels
        friend bool operator==(const Painted&, const Painted&) = default;
    };

    void showTexts();
    void showKin();
    int progressPixels() const;
    QPushButton* addButton(QAction* action);

    struct Figure {
        QLabel* caption;
        QLabel* value;
    };
    Figure addFigure(int minimumWidth);

    RunView m_view; ///< info, step and rate alone
    HeaderTexts m_texts;
    Painted m_painted;
    QLabel* m_name;
    QLabel* m_under;
    QLabel* m_related;
    RunKin m_kin;
    Figure m_step, m_rate, m_left;
    QHBoxLayout* m_row;
    QList<QPushButton*> m_buttons;
};

} // namespace rankscope::ui
