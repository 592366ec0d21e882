// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_page.h"

#include "widgets/controls/box_layout.h"
#include "widgets/logs/log_filter_bar.h"
#include "widgets/logs/log_go_to_bar.h"
#include "widgets/logs/log_position_bar.h"
#include "widgets/logs/log_table.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kNotesAtOnce = 2000;
constexpr double kTailShare = 0.02; ///< drawn for the end of the logs, whose real share is not known
} // namespace

LogPage::LogPage(QWidget* parent) : QWidget(parent) {
    auto* column = filledBox(new QVBoxLayout(this), {}, 0, {buildBar()});
    m_patternHint = new QLabel;
    m_patternHint->setObjectName(QStringLiteral("patternHint"));
    m_patternHint->setContentsMargins(8, 0, 8, 6);
    m_patternHint->setWordWrap(true);
    m_patternHint->setTextFormat(Qt::PlainText);
    m_patternHint->hide();
    column->addWidget(m_patternHint);
    m_goTo = new LogGoToBar(this);
    column->addWidget(m_goTo);
    m_table = new LogTable;
    m_lines = m_table->lines();
    m_table->addActions({m_copyAction, m_saveAction, m_goToAction, m_wrapAction});
    m_empty = new QLabel;
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_table);
    auto* body = new QHBoxLayout;
    body->setSpacing(0);
    m_position = new LogPosition;
    m_position->hide(); // hidden until there is more than what is shown
    body->addWidget(m_stack, 1);
    body->addWidget(m_position);
    column->addLayout(body, 1);
    connect(m_goTo, &LogGoToBar::timeChosen, this, &LogPage::goToTime);
    connect(m_goTo, &LogGoToBar::closed, m_table, qOverload<>(&QWidget::setFocus));
    connect(m_table, &LogTable::scrolled, this, &LogPage::scrolled);
    connect(m_position, &LogPosition::asked, this, [this](double fraction) {
        LogPlace place;
        place.fraction = fraction;
        place.jump = true;
        goTo(place);
    });
    connectFeed();
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void LogPage::connectFeed() {
    const LogFeed* feed = m_thread.feed();
    connect(feed, &LogFeed::replaced, this, &LogPage::takeReplaced);
    connect(feed, &LogFeed::appended, this, &LogPage::takeAppended);
    connect(feed, &LogFeed::placed, this, &LogPage::takePart);
    connect(feed, &LogFeed::searched, this, [this](const LogSearch& search) {
        m_search = search;
        updateCount();
        updateEmpty();
    });
    connect(feed, &LogFeed::message, this, [this](const QString& text) {
        m_message = text;
        updateCount();
    });
}

QWidget* LogPage::buildBar() {
    auto* bar = new QWidget;
    auto* row = filledBox(new QHBoxLayout(bar), {8, 6, 8, 6}, 8);
    m_filter = new LogFilterBar;
    m_follow = new QToolButton;
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setAutoRaise(true);
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("count"));
    m_count->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(m_filter, 1);
    row->addWidget(m_count);
    row->addWidget(m_follow);
    buildMenu(row);
    connect(m_filter, &LogFilterBar::changed, this, &LogPage::applyFilter);
    connect(m_filter, &LogFilterBar::stepRequested, this, &LogPage::step);
    connect(m_filter, &LogFilterBar::cancelRequested, this,
            [this] { m_thread.post([](LogFeed& feed) { feed.cancelSearch(); }); });
    connect(m_follow, &QToolButton::toggled, this, &LogPage::setFollow);
    return bar;
}

void LogPage::buildMenu(QBoxLayout* row) {
    m_more = new QToolButton;
    m_more->setAutoRaise(true);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setText(QStringLiteral("⋯"));
    row->addWidget(m_more);
    auto* menu = new QMenu(m_more);
    const auto action = [&](const QKeySequence& keys) {
        auto* a = new QAction(this);
        a->setShortcut(keys);
        a->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(a);
        menu->addAction(a);
        return a;
    };
    m_copyAction = action(QKeySequence::Copy);
    m_saveAction = action({});
    m_goToAction = action(QKeySequence(Qt::CTRL | Qt::Key_G));
    m_wrapAction = action({});
    m_wrapAction->setCheckable(true);
    m_more->setMenu(menu);
    connect(m_copyAction, &QAction::triggered, this, [this] { m_table->copySelection(); });
    connect(m_saveAction, &QAction::triggered, this, &LogPage::saveLines);
    connect(m_goToAction, &QAction::triggered, this, [this] { m_goTo->open(); });
    connect(m_wrapAction, &QAction::toggled, this, [this](bool on) { m_table->setWrap(on); });
}

void LogPage::setSession(RunSession* next) {
    if (m_session)
        m_session->disconnect(this);
    m_session = next;
    m_seen = isVisible();
    m_worldSize = -1;
    m_held = 0;
    m_lastNote = 0;
    m_olderThere = m_olderAsked = m_newerThere = m_partShown = false;
    m_search = {};
    m_message.clear();
    m_lines->replace({});
    m_filter->chooseRank(-2);
    m_goTo->setSession(next);
    m_thread.post([](LogFeed& feed) { feed.close(); });
    updateEmpty();
    updateCount();
    m_follow->setChecked(true); // independent of what was viewed in the previous run
    m_toTheEnd = true;
    updateFollow();
    if (!next)
        return;
    connect(next, &RunSession::viewChanged, this, &LogPage::openFiles);
    connect(next, &RunSession::viewChanged, this, &LogPage::updateFollow);
    connect(next, &RunSession::storeChanged, this, [this] {
        if (m_worldSize >= 0)
            m_session->requestNotes(m_lastNote, kNotesAtOnce);
    });
    connect(next, &RunSession::notesReady, this, [this](const std::vector<store::Note>& notes) {
        if (notes.empty())
            return;
        m_lastNote = std::max(m_lastNote, notes.back().id);
        auto copy = std::make_shared<const std::vector<store::Note>>(notes);
        m_thread.post([copy](LogFeed& feed) { feed.addNotes(copy); });
        if (static_cast<int>(notes.size()) >= kNotesAtOnce)
            m_session->requestNotes(m_lastNote, kNotesAtOnce);
    });
    openFiles();
}

/// Opens the files as soon as the number of ranks is known and the page is visible: weeks of log lines are neither read
/// nor held for a page that was never opened.
void LogPage::openFiles() {
    if (!m_session || !m_seen)
        return;
    const RunView& view = m_session->view();
    if (view.nowNs == 0 || view.info.worldSize == m_worldSize)
        return;
    m_worldSize = view.info.worldSize;
    fillRanks();
    const LogRun run{m_session->run(), static_cast<int>(view.ranks.size()), view.info.startRealtimeNs,
                     view.info.watched()};
    m_lastNote = 0;
    m_thread.post([run](LogFeed& feed) { feed.open(run); });
    m_session->requestNotes(0, kNotesAtOnce);
    updateEmpty();
}

void LogPage::fillRanks() {
    if (m_session)
        m_filter->setRanks(m_session->view().ranks.size(), !m_session->view().info.command.empty());
    else
        m_filter->setRanks(0);
}

void LogPage::applyFilter() {
    showPatternProblem();
    const LogFilter filter = m_filter->filter();
    m_table->setPattern(filter.text);
    m_message.clear();
    m_thread.post(
        [filter, onlyMatches = m_filter->onlyMatches()](LogFeed& feed) { feed.setFilter(filter, onlyMatches); });
}

/// Shows the pattern's error; without it, "0 matches" of an incomplete pattern would look like a result.
void LogPage::showPatternProblem() {
    const QString problem = m_filter->problem();
    m_patternHint->setText(problem.isEmpty()
                               ? QString()
                               : tr("Invalid regular expression (%1). Searching for the literal text.").arg(problem));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::instance().palette().caution);
    m_patternHint->setPalette(colours);
    m_patternHint->setVisible(!problem.isEmpty());
}

void LogPage::retranslate() {
    m_filter->retranslate();
    m_follow->setText(tr("Follow"));
    updateFollow();
    if (!m_patternHint->isHidden())
        showPatternProblem();
    m_more->setToolTip(tr("More"));
    m_copyAction->setText(tr("Copy lines"));
    m_saveAction->setText(tr("Save filtered lines…"));
    m_goToAction->setText(tr("Go to time or step…"));
    m_wrapAction->setText(tr("Wrap long lines"));
    m_goTo->retranslate();
    m_position->setToolTip(tr("Your position in the complete logs; click to go elsewhere"));
    fillRanks();
    m_table->retranslate();
    updateCount();
    updateEmpty();
}

bool LogPage::isLive() const {
    return m_session && m_session->view().nowNs != 0 && launch::isLive(m_session->view().info.state);
}

/// Updates the Follow switch: a run that has ended has no newest line to follow.
void LogPage::updateFollow() {
    const bool known = m_session && m_session->view().nowNs != 0, live = isLive();
    m_follow->setEnabled(live);
    if (known && !live) {
        const QSignalBlocker block(m_follow);
        m_follow->setChecked(false);
    }
    m_follow->setToolTip(known && !live ? tr("The run has ended: there will be no new lines")
                                        : tr("Keep the newest line in view"));
}

void LogPage::takeReplaced(const LogLinesPtr& lines, bool older, qsizetype held) {
    m_held = held;
    // keeps the top line in place when older lines are added before it
    const int top = m_table->topRow();
    const bool keep = !m_follow->isChecked() && !m_toTheEnd && top >= 0;
    const LogLine anchor = keep ? m_lines->line(top) : LogLine{};
    m_settingFollow = true; // the view goes to the top by itself, which is not the user's choice
    m_lines->replace(*lines);
    m_table->doItemsLayout();
    m_settingFollow = false;
    m_olderThere = older;
    m_olderAsked = m_newerThere = m_partShown = false;
    updateSpan();
    updateCount();
    updateEmpty();
    if (m_follow->isChecked() || m_toTheEnd)
        toEnd();
    else if (const int row = keep ? m_lines->find(anchor) : -1; row >= 0)
        m_table->scrollTo(m_lines->index(row, 0), QAbstractItemView::PositionAtTop);
    m_table->fitText();
}

void LogPage::takeAppended(const LogLinesPtr& lines, qsizetype held) {
    m_held = held;
    const int top = m_table->verticalScrollBar()->value();
    const int dropped = m_lines->append(*lines);
    if (m_follow->isChecked())
        toEnd();
    else if (dropped > 0)
        m_table->verticalScrollBar()->setValue(std::max(0, top - dropped));
    updateCount();
    updateEmpty();
    m_table->fitText();
}

void LogPage::toEnd() {
    m_settingFollow = true;
    m_table->scrollToBottom();
    m_settingFollow = false;
}

void LogPage::scrolled(int value) {
    const auto* bar = m_table->verticalScrollBar();
    if (!m_settingFollow && bar->maximum() > 0) {
        m_toTheEnd = false;
        m_follow->setChecked(isLive() && value >= bar->maximum() && !m_newerThere);
    }
    if (!m_settingFollow && m_newerThere && value >= bar->maximum() && bar->maximum() > 0 && !m_olderAsked)
        if (const auto place = m_table->placeOf(m_lines->rowCount() - 1))
            goTo(*place);
    if (!m_settingFollow && value == 0 && bar->maximum() > 0 && m_olderThere && !m_olderAsked) {
        const auto place = m_partShown ? m_table->placeOf(0) : std::nullopt;
        if (place)
            return goTo(*place);
        m_olderAsked = true;
        m_thread.post([](LogFeed& feed) { feed.loadOlder(); });
    }
}

void LogPage::setFollow(bool on) {
    if (on && m_partShown)
        m_thread.post([](LogFeed& feed) { feed.toTail(); });
    else if (on)
        toEnd();
}

void LogPage::takePart(const LogPartPtr& part) {
    const int top = m_table->topRow();
    const int bottom = m_table->bottomRow();
    const bool keep = !part->jump && top >= 0;
    // if scrolled to an end, the line at that end keeps its place
    const bool atEnd = keep && m_table->verticalScrollBar()->value() >= m_table->verticalScrollBar()->maximum();
    const LogLine anchor = keep ? m_lines->line(atEnd ? bottom : top) : LogLine{};
    const bool wasFollowing = m_follow->isChecked() || m_toTheEnd;
    m_toTheEnd = m_toTheEnd && !part->jump;
    m_settingFollow = true;
    m_lines->replace(part->lines);
    m_table->doItemsLayout();
    m_partShown = true;
    m_partFrom = part->from;
    m_partTo = part->to;
    m_olderThere = part->older;
    m_newerThere = part->newer;
    m_olderAsked = false;
    if (m_newerThere)
        m_follow->setChecked(false);
    const int row = keep ? m_lines->find(anchor) : -1;
    if (row >= 0)
        m_table->scrollTo(m_lines->index(row, 0),
                          atEnd ? QAbstractItemView::PositionAtBottom : QAbstractItemView::PositionAtTop);
    else if (part->jump && part->focus >= 0) {
        m_table->scrollTo(m_lines->index(static_cast<int>(part->focus), 0), QAbstractItemView::PositionAtCenter);
        m_table->selectRow(static_cast<int>(part->focus));
    } else if (!m_newerThere && wasFollowing) {
        m_table->scrollToBottom();
    }
    m_settingFollow = false;
    updateSpan();
    updateCount();
    updateEmpty();
    m_table->fitRows();
    m_table->fitText();
}

void LogPage::updateSpan() {
    // the position is known only for a part; otherwise the end of the logs is shown
    const int rows = m_lines->rowCount();
    m_position->setVisible(m_olderThere || m_newerThere);
    if (!m_olderThere && !m_newerThere)
        m_position->setSpan(0, 1);
    else if (!m_partShown || rows == 0)
        m_position->setSpan(1 - kTailShare, 1);
    else
        m_position->setSpan(m_partFrom, m_partTo);
}

void LogPage::step(bool forward) {
    m_filter->applyPending(); // the user typed and pressed Enter immediately
    const auto rows = m_table->selectionModel()->selectedRows();
    int row = rows.isEmpty() ? std::max(0, m_table->topRow()) : rows.first().row();
    if (m_lines->rowCount() == 0)
        row = -1;
    const int next = row + (forward ? 1 : -1);
    if (m_filter->onlyMatches() && rows.size() > 0 && next >= 0 && next < m_lines->rowCount()) {
        m_table->selectRow(next); // the next row is the next match
        m_table->scrollTo(m_lines->index(next, 0));
        return;
    }
    if (!m_filter->hasText() || row < 0)
        return;
    if (m_filter->onlyMatches() && rows.isEmpty())
        return m_table->selectRow(row);
    LogLine from = m_lines->line(row);
    if (rows.isEmpty())
        from.offset = -1; // the top line itself may match
    m_thread.post([from, forward](LogFeed& feed) { feed.toMatch(from, forward); });
}

void LogPage::saveLines() {
    auto* dialog = new QFileDialog(this, tr("Save filtered lines"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Logs (*.txt *.log)"));
    dialog->setDefaultSuffix(QStringLiteral("txt"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { m_thread.post([file](LogFeed& feed) { feed.save(file); }); });
    dialog->open();
}

void LogPage::updateCount() {
    const int rows = m_lines->rowCount();
    QString text = m_partShown      ? tr("%1 lines of an excerpt").arg(countText(rows))
                   : rows == m_held ? tr("%1 lines").arg(countText(m_held))
                                    : tr("%1 of %2 lines").arg(countText(rows), countText(m_held));
    if (m_search.running)
        text = tr("searching, %1 %: %2 matches")
                   .arg(static_cast<int>(m_search.progress * 100))
                   .arg(countText(m_search.matches));
    else if (m_search.needed && m_search.whole)
        text = tr("%1 matches").arg(countText(m_search.matches));
    else if (m_search.needed)
        text = tr("%1 matches in %2 % of the logs")
                   .arg(countText(m_search.matches))
                   .arg(static_cast<int>(m_search.progress * 100));
    if (!m_message.isEmpty())
        text = m_message;
    m_count->setText(text);
    QString tip =
        m_olderThere && !m_search.needed ? tr("The files have older lines. Scroll up to see them.") : QString();
    if (m_search.givenUp > 0)
        tip = tr("The pattern took too long on %1 lines, which were skipped; simplify it")
                  .arg(countText(m_search.givenUp));
    m_count->setToolTip(tip);
    m_filter->setSearching(m_search.running);
}

void LogPage::updateEmpty() {
    m_empty->setText(!m_session
                         ? tr("<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
                              "one from the Configure page.")
                     : m_filter->isFiltered() ? tr("No lines pass the filter.")
                                              : tr("Nothing has been logged."));
    m_stack->setCurrentIndex(m_lines->rowCount() > 0 ? 1 : 0);
}

void LogPage::goTo(const LogPlace& place) {
    if (!m_session)
        return;
    m_olderAsked = true;
    m_thread.post([place](LogFeed& feed) { feed.around(place); });
}

void LogPage::goToTime(qint64 timeMs) {
    LogPlace place;
    place.timeMs = timeMs;
    place.jump = true;
    goTo(place);
}

void LogPage::showTime(qint64 ns) {
    if (m_session && ns >= 0)
        return goToTime((m_session->view().info.startRealtimeNs + ns) / 1'000'000);
    m_toTheEnd = true;
    if (isLive())
        m_follow->setChecked(true);
    else
        setFollow(true);
}

void LogPage::showRank(int rank) {
    const bool command = m_session && !m_session->view().info.command.empty(); // what its ranks print is in its log
    m_filter->chooseRank(rank < 0 ? -2 : command ? kCommandLog : rank);
}

void LogPage::focusFilter() {
    m_filter->focusText();
}

void LogPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_seen = true;
    openFiles();
}

} // namespace rankscope::ui
