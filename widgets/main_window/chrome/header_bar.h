// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/chrome/lineage_chips.h"
#include "widgets/models/view/run_view.h"

#include <QCoreApplication>
#include <QFrame>
#include <QList>
#include <QString>
#include <QStringList>

#include <utility>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace rankscope::ui {

/// The header's figures as text.
struct HeaderTexts {
    Q_DECLARE_TR_FUNCTIONS(HeaderTexts)
public:
    static constexpr QStringView kBetweenFacts = u" \u00b7 ";
    /// Index of the start time in `facts`, if it is known: after state and ranks.
    static constexpr qsizetype kWhenFact = 2;

    QString name, under, step, rate, left;
    QString lost;      ///< time lost to waiting: "18.6 s, 24 %"; empty: no rank waits for another, or unknown
    QString lostTip;   ///< explains `lost`
    QStringList facts; ///< the parts of `under`
    QString audio;     ///< a live run's hours of audio per second; empty: unknown or not valid
    QString epoch;     ///< time left in its epoch; empty: unknown or not valid
    QString whyNoRate; ///< why a live run has neither a rate nor a time left; empty: it has them
    diagnosis::RankState mark = diagnosis::RankState::Unknown;
    double share = -1; ///< share of the planned steps; -1: unknown
    /// `kin`: the runs that it was resumed from count in its duration.
    static HeaderTexts of(const RunView& view, const RelatedRuns& kin = {});
};

/// Shows the open run's name, state, progress, speed and time left, and its actions; 56 px high.
class HeaderBar final : public QFrame {
    Q_OBJECT
public:
    explicit HeaderBar(QWidget* parent = nullptr);
    void setView(const RunView& view);
    /// Sets the run's name; empty: the recipe's name.
    void setTitle(const QString& title);
    void setKin(const RelatedRuns& kin);
    /// Sets whether the page below is about something else, such as all runs or a recipe that this run was not launched
    /// from. If so, the name is marked as the open run's, name and figures recede, and the launching actions are hidden
    /// in favor of the page's own. The height stays: the tabs below must not move.
    void setBeside(bool beside);
    /// `starting`: the actions among them that launch something.
    void setButtons(const QList<QAction*>& actions, const QList<QAction*>& starting = {});
    void retranslate();

signals:
    void runRequested(const QString& dir);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// The values that this widget paints itself; its labels update themselves.
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
    void follow(QPushButton* button, const QAction* action) const;

    struct HeaderFigure {
        QLabel* caption;
        QLabel* value;
    };
    HeaderFigure addFigure(int minimumWidth);
    static void setTip(const HeaderFigure& figure, const QString& text);

    RunView m_view; ///< only the parts that are shown
    RelatedRuns m_kin;
    QString m_title;
    HeaderTexts m_texts;
    Painted m_painted;
    QWidget* m_first; ///< the row with the name and the chips
    QLabel* m_name;
    LineageChips* m_chips;
    QLabel* m_under;
    HeaderFigure m_step, m_rate, m_lost, m_left;
    QHBoxLayout* m_row;
    QList<std::pair<QPushButton*, QAction*>> m_buttons;
    QList<QAction*> m_starting;
    bool m_beside = false;
};

} // namespace rankscope::ui
