// SPDX-License-Identifier: GPL-3.0-or-later
// Going about in the whole of the logs: matches, times and steps, parts, saving, long lines.
#include "widgets/logs/log_page_impl.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QDateTime>
#include <QFileDialog>
#include <QFontMetrics>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kStepTag = 77'001;    ///< of the series that tells when a step was
constexpr double kTailShare = 0.02; ///< drawn for the end of the logs, whose share is not known

QToolButton* toolButton(QBoxLayout* row) {
    auto* button = new QToolButton;
    button->setAutoRaise(true);
    row->addWidget(button);
    return button;
}
} // namespace

void LogPage::Impl::buildSearch(QBoxLayout* row) {
    only = toolButton(row);
    only->setCheckable(true);
    only->setChecked(true);
    previous = toolButton(row);
    nextButton = toolButton(row);
    previous->setText(QStringLiteral("▲"));
    nextButton->setText(QStringLiteral("▼"));
    previous->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F3));
    nextButton->setShortcut(QKeySequence(Qt::Key_F3));
    cancel = toolButton(row);
    cancel->hide();
    connect(only, &QToolButton::toggled, this, &Impl::applyFilter);
    connect(previous, &QToolButton::clicked, this, [this] { step(false); });
    connect(nextButton, &QToolButton::clicked, this, [this] { step(true); });
    connect(filter, &QLineEdit::returnPressed, this, [this] { step(true); });
    connect(cancel, &QToolButton::clicked, this, [this] { thread.post([](LogFeed& feed) { feed.cancelSearch(); }); });
}

void LogPage::Impl::buildMore(QBoxLayout* row) {
    more = toolButton(row);
    more->setPopupMode(QToolButton::InstantPopup);
    more->setText(QStringLiteral("⋯"));
    auto* menu = new QMenu(more);
    const auto action = [&](const QKeySequence& keys) {
        auto* a = new QAction(page);
        a->setShortcut(keys);
        a->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        page->addAction(a);
        menu->addAction(a);
        return a;
    };
    copyAction = action(QKeySequence::Copy);
    saveAction = action({});
    goToAction = action(QKeySequence(Qt::CTRL | Qt::Key_G));
    wrapAction = action({});
    wrapAction->setCheckable(true);
    more->setMenu(menu);
    connect(copyAction, &QAction::triggered, this, &Impl::copySelection);
    connect(saveAction, &QAction::triggered, this, &Impl::saveLines);
    connect(goToAction, &QAction::triggered, this, &Impl::openGoTo);
    connect(wrapAction, &QAction::toggled, this, &Impl::setWrap);
}

void LogPage::Impl::buildGoTo(QBoxLayout* column) {
    goToBar = new QWidget;
    auto* row = new QHBoxLayout(goToBar);
    row->setContentsMargins(8, 0, 8, 6);
    goToEdit = new QLineEdit;
    goToEdit->setFixedWidth(280);
    goToHint = new QLabel;
    goToHint->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(goToEdit);
    row->addWidget(goToHint, 1);
    goToBar->hide();
    column->addWidget(goToBar);
    connect(goToEdit, &QLineEdit::returnPressed, this, [this] { goTo(goToEdit->text().trimmed()); });
    auto* leave = new QAction(goToBar);
    leave->setShortcut(QKeySequence(Qt::Key_Escape));
    leave->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    goToBar->addAction(leave);
    connect(leave, &QAction::triggered, this, [this] {
        goToBar->hide();
        table->setFocus();
    });
}

void LogPage::Impl::retranslateSearch() {
    only->setText(LogPage::tr("Only matches"));
    only->setToolTip(LogPage::tr("Show only the lines that match; off: show all and step from match to match"));
    previous->setToolTip(LogPage::tr("Previous match (Shift+F3)"));
    previous->setAccessibleName(LogPage::tr("Previous match"));
    nextButton->setToolTip(LogPage::tr("Next match (F3)"));
    nextButton->setAccessibleName(LogPage::tr("Next match"));
    cancel->setText(LogPage::tr("Cancel"));
    cancel->setToolTip(LogPage::tr("Stop looking; what was found stays"));
    more->setToolTip(LogPage::tr("More"));
    copyAction->setText(LogPage::tr("Copy lines"));
    saveAction->setText(LogPage::tr("Save filtered lines…"));
    goToAction->setText(LogPage::tr("Go to time or step…"));
    wrapAction->setText(LogPage::tr("Wrap long lines"));
    goToEdit->setPlaceholderText(LogPage::tr("12:04:31, or step 1200"));
    goToEdit->setAccessibleName(LogPage::tr("Go to time or step…"));
    position->setToolTip(LogPage::tr("Where in the whole of the logs you are; click to go elsewhere"));
}

std::optional<LogPlace> LogPage::Impl::placeOf(int row) const {
    if (row < 0 || row >= model->rowCount())
        return {};
    const LogLine& line = model->line(row);
    LogPlace place;
    if (line.source == LogLine::Source::Note)
        place.timeMs = line.timeMs;
    else
        place.line = LogMatch{line.timeMs, line.offset, line.rank + 1};
    return place;
}

void LogPage::Impl::ask(const LogPlace& place, bool jump) {
    if (!session)
        return;
    olderAsked = true;
    jumping = jump;
    thread.post([place](LogFeed& feed) { feed.around(place); });
}

void LogPage::Impl::takePart(const LogPartPtr& part) {
    const int top = table->rowAt(0);
    const int bottom = std::max(top, table->rowAt(table->viewport()->height() - 1));
    const bool keep = !jumping && top >= 0;
    // scrolled to an end: the line at that end stays where it was
    const bool atEnd = keep && table->verticalScrollBar()->value() >= table->verticalScrollBar()->maximum();
    const LogLine anchor = keep ? model->line(atEnd ? bottom : top) : LogLine{};
    const bool wasFollowing = follow->isChecked() || toTheEnd;
    toTheEnd = toTheEnd && !jumping;
    settingFollow = true;
    model->replace(part->lines);
    table->doItemsLayout();
    partShown = true;
    partFrom = part->from;
    partTo = part->to;
    olderThere = part->older;
    newerThere = part->newer;
    olderAsked = false;
    if (newerThere)
        follow->setChecked(false);
    const int row = keep ? model->find(anchor) : -1;
    if (row >= 0)
        table->scrollTo(model->index(row, 0),
                        atEnd ? QAbstractItemView::PositionAtBottom : QAbstractItemView::PositionAtTop);
    else if (jumping && part->focus >= 0) {
        table->scrollTo(model->index(static_cast<int>(part->focus), 0), QAbstractItemView::PositionAtCenter);
        table->selectRow(static_cast<int>(part->focus));
    } else if (!newerThere && wasFollowing) {
        table->scrollToBottom();
    }
    jumping = false;
    settingFollow = false;
    updateSpan();
    updateCount(total);
    updateEmpty();
    showLevels();
    fitRows();
    fitText();
}

void LogPage::Impl::updateSpan() {
    // a part's share is known; of the end that is followed it is the end
    const int rows = model->rowCount();
    position->setVisible(olderThere || newerThere);
    if (!olderThere && !newerThere)
        position->setSpan(0, 1);
    else if (!partShown || rows == 0)
        position->setSpan(1 - kTailShare, 1);
    else
        position->setSpan(partFrom, partTo);
}

void LogPage::Impl::takeSearch(const LogSearch& now) {
    search = now;
    updateCount(total);
    updateEmpty();
}

void LogPage::Impl::step(bool forward) {
    if (filterTimer.isActive()) { // typed and Enter at once
        filterTimer.stop();
        applyFilter();
    }
    const auto rows = table->selectionModel()->selectedRows();
    int row = rows.isEmpty() ? std::max(0, table->rowAt(0)) : rows.first().row();
    if (model->rowCount() == 0)
        row = -1;
    const bool listed = only->isChecked() && rows.size() > 0 && row + (forward ? 1 : -1) >= 0 &&
                        row + (forward ? 1 : -1) < model->rowCount();
    if (listed) { // the next row is the next match
        table->selectRow(row + (forward ? 1 : -1));
        table->scrollTo(model->index(row + (forward ? 1 : -1), 0));
        return;
    }
    if (filter->text().isEmpty() || row < 0)
        return;
    if (only->isChecked() && rows.isEmpty()) {
        table->selectRow(row);
        return;
    }
    LogLine from = model->line(row);
    if (rows.isEmpty())
        from.offset = -1; // the line on top may match itself
    jumping = true;
    thread.post([from, forward](LogFeed& feed) { feed.toMatch(from, forward); });
}

void LogPage::Impl::openGoTo() {
    goToBar->show();
    goToHint->clear();
    goToEdit->setFocus(Qt::ShortcutFocusReason);
    goToEdit->selectAll();
}

void LogPage::Impl::goTo(const QString& where) {
    if (!session)
        return;
    goToHint->clear();
    const QString word = LogPage::tr("step");
    QString number = where;
    for (const QString& prefix : {word, QStringLiteral("step")})
        if (number.startsWith(prefix, Qt::CaseInsensitive))
            number = number.mid(prefix.size()).trimmed();
    bool isStep = false;
    if (const qlonglong step = number.remove(u',').toLongLong(&isStep); isStep && step >= 0)
        return goToStep(step);
    const QDateTime began = QDateTime::fromMSecsSinceEpoch(session->view().info.startRealtimeNs / 1'000'000);
    QDateTime moment = QDateTime::fromString(where, QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    if (!moment.isValid()) {
        QTime time = QTime::fromString(where, QStringLiteral("H:mm:ss"));
        if (!time.isValid())
            time = QTime::fromString(where, QStringLiteral("H:mm"));
        if (time.isValid())
            moment = QDateTime(began.date(), time);
        if (moment.isValid() && moment < began.addSecs(-60))
            moment = moment.addDays(1); // the run went on over midnight
    }
    if (!moment.isValid()) {
        goToHint->setText(LogPage::tr("Enter a time (12:04:31 or 2025-01-31 12:04:31) or a step (1200)."));
        return;
    }
    LogPlace place;
    place.timeMs = moment.toMSecsSinceEpoch();
    ask(place, true);
}

/// When it was is in the store.
void LogPage::Impl::goToStep(std::int64_t step) {
    auto* once = new QObject(this);
    connect(session, &RunSession::seriesReady, once, [this, once, step](int tag, const SeriesReply& reply) {
        if (tag != kStepTag)
            return;
        once->deleteLater();
        for (const auto& ranks : reply.points)
            for (const auto& points : ranks)
                if (!points.empty()) {
                    LogPlace place;
                    place.timeMs = (session->view().info.startRealtimeNs + points.front().beginNs) / 1'000'000;
                    return ask(place, true);
                }
        goToHint->setText(LogPage::tr("There is no step %1; the newest is %2").arg(step).arg(reply.lastStep));
    });
    session->requestSeries(kStepTag, {{store::Metric::StepTime, store::Metric::Loss}, CurveAxis::Step, step, step, 4});
}

void LogPage::showTime(qint64 ns) {
    if (!m->session || ns < 0) {
        m->toTheEnd = true;
        if (m->isLive())
            m->follow->setChecked(true);
        else
            m->setFollow(true);
        return;
    }
    LogPlace place;
    place.timeMs = (m->session->view().info.startRealtimeNs + ns) / 1'000'000;
    m->ask(place, true);
}

void LogPage::Impl::saveLines() {
    auto* dialog = new QFileDialog(page, LogPage::tr("Save filtered lines"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(LogPage::tr("Logs (*.txt *.log)"));
    dialog->setDefaultSuffix(QStringLiteral("txt"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { thread.post([file](LogFeed& feed) { feed.save(file); }); });
    dialog->open();
}

void LogPage::Impl::setWrap(bool on) {
    delegate->setWrap(on);
    fitText();
    table->verticalHeader()->setDefaultSectionSize(QFontMetrics(table->font()).height() + 4);
    fitRows();
    table->viewport()->update();
}

/// Of the rows in view alone: the others have their height when they come into view.
void LogPage::Impl::fitRows() {
    if (!wrapAction || !wrapAction->isChecked() || model->rowCount() == 0)
        return;
    const int first = std::max(0, table->rowAt(0));
    for (int row = first, y = 0; row < model->rowCount() && y < table->viewport()->height(); ++row) {
        table->resizeRowToContents(row);
        y += table->rowHeight(row);
    }
}

void LogPage::Impl::updateCount(qsizetype held) {
    total = held;
    const int rows = model->rowCount();
    QString text = partShown       ? LogPage::tr("%1 lines of a part").arg(countText(rows))
                   : rows == total ? LogPage::tr("%1 lines").arg(countText(total))
                                   : LogPage::tr("%1 of %2 lines").arg(countText(rows), countText(total));
    if (search.running)
        text = LogPage::tr("looking, %1 %: %2 matches")
                   .arg(static_cast<int>(search.progress * 100))
                   .arg(countText(search.matches));
    else if (search.needed && search.whole)
        text = LogPage::tr("%1 matches").arg(countText(search.matches));
    else if (search.needed)
        text = LogPage::tr("%1 matches in %2 % of the logs")
                   .arg(countText(search.matches))
                   .arg(static_cast<int>(search.progress * 100));
    if (!told.isEmpty())
        text = told;
    count->setText(text);
    QString tip =
        olderThere && !search.needed ? LogPage::tr("The files have older lines: scroll up for them.") : QString();
    if (search.givenUp > 0)
        tip = LogPage::tr("The pattern took too long on %1 lines, which were left out: make it simpler")
                  .arg(countText(search.givenUp));
    count->setToolTip(tip);
    cancel->setVisible(search.running);
    const bool searching = !filter->text().isEmpty();
    previous->setEnabled(searching);
    nextButton->setEnabled(searching);
}

} // namespace rankscope::ui
