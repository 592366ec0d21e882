// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/view/run_view.h"

#include <QCoreApplication>
#include <QString>
#include <QStringList>

namespace rankscope::ui {

/// The header's figures as text.
struct HeaderTexts {
    Q_DECLARE_TR_FUNCTIONS(HeaderTexts)
public:
    static constexpr QStringView kBetweenFacts = u" \u00b7 ";
    /// Where in the facts the start stands, if it is known: behind state and ranks.
    static constexpr qsizetype kWhenFact = 2;

    QString name, under, step, rate, left;
    QStringList facts; ///< what `under` is made of
    QString audio;     ///< hours of audio a second of a live run; empty: not known, or not true
    QString epoch;     ///< what is left of its epoch; empty: not known, or not true
    QString whyNoRate; ///< of a live run that has neither a rate nor a time left; empty: it has
    diagnosis::RankState mark = diagnosis::RankState::Unknown;
    double share = -1; ///< of the planned steps; -1: unknown
    static HeaderTexts of(const RunView& view);
};

} // namespace rankscope::ui
