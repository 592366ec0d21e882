// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_filter_bar.h"

#include "widgets/controls/box_layout.h"

#include <QComboBox>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kFilterDelayMs = 180;

LogFilterBar::LogFilterBar(QWidget* parent) : QWidget(parent) {
    auto* row = filledBox(new QHBoxLayout(this), {}, 8);
    m_rank = new QComboBox;
    m_level = new QComboBox;
    for (const auto severity : {telemetry::NoteSeverity::Debug, telemetry::NoteSeverity::Info,
                                telemetry::NoteSeverity::Warning, telemetry::NoteSeverity::Error})
        m_level->addItem(QString(), static_cast<int>(severity));
    m_text = new QLineEdit;
    m_text->setClearButtonEnabled(true);
    row->addWidget(m_rank);
    row->addWidget(m_level);
    row->addWidget(m_text, 1);
    m_only = addButton();
    m_only->setCheckable(true);
    m_only->setChecked(true);
    m_previous = addButton();
    m_next = addButton();
    m_previous->setText(QStringLiteral("▲"));
    m_next->setText(QStringLiteral("▼"));
    m_previous->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F3));
    m_next->setShortcut(QKeySequence(Qt::Key_F3));
    m_cancel = addButton();
    m_cancel->hide();
    m_typed.setSingleShot(true);
    m_typed.setInterval(kFilterDelayMs);
    for (QComboBox* box : {m_rank, m_level})
        connect(box, &QComboBox::currentIndexChanged, this, &LogFilterBar::changed);
    connect(m_text, &QLineEdit::textChanged, &m_typed, qOverload<>(&QTimer::start));
    connect(&m_typed, &QTimer::timeout, this, &LogFilterBar::changed);
    connect(m_only, &QToolButton::toggled, this, &LogFilterBar::changed);
    connect(m_previous, &QToolButton::clicked, this, [this] { emit stepRequested(false); });
    connect(m_next, &QToolButton::clicked, this, [this] { emit stepRequested(true); });
    connect(m_text, &QLineEdit::returnPressed, this, [this] { emit stepRequested(true); });
    connect(m_cancel, &QToolButton::clicked, this, &LogFilterBar::cancelRequested);
}

QToolButton* LogFilterBar::addButton() {
    auto* button = new QToolButton;
    button->setAutoRaise(true);
    layout()->addWidget(button);
    return button;
}

LogFilter LogFilterBar::filter() const {
    LogFilter filter;
    filter.rank = m_rank->currentData().toInt();
    filter.least = static_cast<telemetry::NoteSeverity>(m_level->currentData().toInt());
    filter.text = QRegularExpression(m_text->text(), QRegularExpression::CaseInsensitiveOption);
    if (!filter.text.isValid()) // an incomplete pattern is searched as plain text
        filter.text.setPattern(QRegularExpression::escape(m_text->text()));
    return filter;
}

QString LogFilterBar::problem() const {
    const QRegularExpression pattern(m_text->text(), QRegularExpression::CaseInsensitiveOption);
    return pattern.isValid() ? QString() : pattern.errorString();
}

bool LogFilterBar::onlyMatches() const {
    return m_only->isChecked();
}

bool LogFilterBar::hasText() const {
    return !m_text->text().isEmpty();
}

bool LogFilterBar::isFiltered() const {
    return hasText() || m_rank->currentIndex() > 0 || m_level->currentIndex() > 0;
}

void LogFilterBar::applyPending() {
    if (!m_typed.isActive())
        return;
    m_typed.stop();
    emit changed();
}

void LogFilterBar::setRanks(std::size_t count, bool command) {
    const QSignalBlocker block(m_rank);
    const QVariant kept = m_rank->currentData();
    m_rank->clear();
    m_rank->addItem(command ? tr("All") : tr("All ranks"), -2);
    if (command)
        m_rank->addItem(tr("Command"), kCommandLog);
    for (std::size_t r = 0; r < count; ++r)
        m_rank->addItem(tr("rank %1").arg(r), static_cast<int>(r));
    m_rank->addItem(tr("Supervisor"), -1);
    m_rank->setCurrentIndex(std::max(0, m_rank->findData(kept)));
}

void LogFilterBar::chooseRank(int rank) {
    m_rank->setCurrentIndex(std::max(0, m_rank->findData(rank)));
}

void LogFilterBar::focusText() {
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

void LogFilterBar::setSearching(bool running) {
    m_cancel->setVisible(running);
    m_previous->setEnabled(hasText());
    m_next->setEnabled(hasText());
}

void LogFilterBar::retranslate() {
    m_rank->setAccessibleName(tr("Rank"));
    m_level->setAccessibleName(tr("Level"));
    m_level->setItemText(0, tr("All levels"));
    m_level->setItemText(1, tr("Info and above"));
    m_level->setItemText(2, tr("Warnings and errors"));
    m_level->setItemText(3, tr("Errors"));
    m_text->setPlaceholderText(tr("Filter by text or regular expression (/)"));
    m_text->setAccessibleName(tr("Filter"));
    m_only->setText(tr("Only matches"));
    m_only->setToolTip(tr("Show only matching lines; when off, show all lines and step from match to match"));
    m_previous->setToolTip(tr("Previous match (Shift+F3)"));
    m_previous->setAccessibleName(tr("Previous match"));
    m_next->setToolTip(tr("Next match (F3)"));
    m_next->setAccessibleName(tr("Next match"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop searching; the matches found so far stay"));
}

} // namespace rankscope::ui
