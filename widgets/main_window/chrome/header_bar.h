// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/chrome/header_texts.h"
#include "widgets/main_window/chrome/lineage_chips.h"
#include "widgets/models/view/run_view.h"

#include <QFrame>
#include <QList>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace rankscope::ui {

/// Shows the open run's name, state, progress, speed and time left, and its actions; 56 px high.
class HeaderBar final : public QFrame {
    Q_OBJECT
public:
    explicit HeaderBar(QWidget* parent = nullptr);
    void setView(const RunView& view);
    /// What the run is called; empty: as its recipe.
    void setTitle(const QString& title);
    void setKin(const RunKin& kin) { m_chips->setKin(kin); }
    void setButtons(const QList<QAction*>& actions);
    void retranslate();

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
        diagnosis::RankState mark = diagnosis::RankState::Unknown;
        int progress = -1; ///< pixels
        friend bool operator==(const Painted&, const Painted&) = default;
    };

    void showTexts();
    void showFigures();
    QString underFor(int width) const;
    void arrangeName();
    int progressPixels() const;
    QPushButton* addButton(QAction* action);

    struct Figure {
        QLabel* caption;
        QLabel* value;
    };
    Figure addFigure(int minimumWidth);
    static void setTip(const Figure& figure, const QString& text);

    RunView m_view; ///< what is shown of it alone
    QString m_title;
    HeaderTexts m_texts;
    Painted m_painted;
    QWidget* m_first; ///< the line of the name and the chips
    QLabel* m_name;
    LineageChips* m_chips;
    QLabel* m_under;
    Figure m_step, m_rate, m_left;
    QHBoxLayout* m_row;
    QList<QPushButton*> m_buttons;
};

} // namespace rankscope::ui
