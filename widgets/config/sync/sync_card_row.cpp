// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/sync/sync_card_row.h"

#include "widgets/config/problems/problem_model.h"
#include "widgets/config/sync/sync_card.h"

#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

SyncCardRow::SyncCardRow(QWidget* parent) : QWidget(parent), m_fold(new QToolButton(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 2, 8, 6);
    layout->setSpacing(8);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        auto* card = m_cards[i] = new SyncCard(static_cast<int>(i), this);
        card->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // all are equally wide
        layout->addWidget(card, 1);
        connect(card, &SyncCard::editRequested, this, &SyncCardRow::editRequested);
        connect(card, &SyncCard::removeRequested, this, &SyncCardRow::removeRequested);
        connect(card, &SyncCard::revealRequested, this, &SyncCardRow::revealRequested);
        connect(card, &SyncCard::targetRequested, this, &SyncCardRow::targetRequested);
        connect(card, &SyncCard::problemsRequested, this, &SyncCardRow::problemsRequested);
    }
    m_fold->setAutoRaise(true);
    m_fold->setObjectName(QStringLiteral("foldCards"));
    m_fold->setFixedWidth(20);
    layout->addWidget(m_fold, 0, Qt::AlignTop);
    connect(m_fold, &QToolButton::clicked, this, [this] {
        bool& folded = m_low ? m_foldedLow : m_folded;
        folded = !folded;
        arrange();
    });
}

void SyncCardRow::setEvaluation(const Evaluation& evaluation, bool readable) {
    const auto row = [&](const std::string& key) { return evaluation ? evaluation->find(key) : nullptr; };
    for (SyncCard* card : m_cards) {
        card->setRow(row(card->key().toStdString()));
        card->setUnread(!readable);
    }
    const config::KeyRow* timeout = row("rankscope.length_sync.timeout_s");
    m_timed = timeout && timeout->effective && *timeout->effective != "null";
}

void SyncCardRow::setPlan(const PlanRequest& run, const PlanRequest& other) {
    for (SyncCard* card : m_cards)
        card->setPlan(run, other, m_timed);
}

void SyncCardRow::setProblems(const std::vector<ProblemRow>& problems) {
    for (SyncCard* card : m_cards) {
        int count = 0;
        MarkSeverity worst = MarkSeverity::Caution;
        for (const ProblemRow& one : problems)
            if (one.key == card->key() && one.severity != MarkSeverity::Note) {
                ++count;
                worst = std::max(worst, one.severity);
            }
        card->setProblems(count, worst);
    }
}

void SyncCardRow::setCompact(bool on) {
    for (SyncCard* card : m_cards)
        card->setCompact(on);
}

void SyncCardRow::setFolded(bool on) {
    m_folded = on;
    arrange();
}

void SyncCardRow::setLow(bool on) {
    if (std::exchange(m_low, on) == on)
        return;
    m_foldedLow = true;
    arrange();
}

void SyncCardRow::arrange() {
    const bool folded = m_low ? m_foldedLow : m_folded;
    for (SyncCard* card : m_cards)
        card->setFolded(folded);
    m_fold->setArrowType(folded ? Qt::DownArrow : Qt::UpArrow);
    m_fold->setToolTip(folded ? tr("Expand the three settings to show their effect")
                              : tr("Collapse the three settings to value and cost"));
    m_fold->setAccessibleName(m_fold->toolTip());
    emit arranged(); // a folded card words its cost differently
}

void SyncCardRow::retranslate() {
    for (SyncCard* card : m_cards)
        card->retranslate();
    arrange();
}

} // namespace rankscope::ui
