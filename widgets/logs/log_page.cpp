// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_page_impl.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QFontDatabase>
#include <QHeaderView>
#include <QScrollBar>
#include <QShortcut>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kNotesAtOnce = 2000;
constexpr int kFilterDelayMs = 180;
constexpr int kMostShown = 4'000;  ///< characters of a line that can be scrolled to
constexpr int kPaintSteps = 5'000; ///< of a pattern on one line: what is painted may not be waited for
} // namespace

LogPage::Impl::Impl(LogPage* logPage) : page(logPage), model(new LogModel(LogFeed::kMaxLines, logPage)) {
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    buildBar(column);
    patternHint = new QLabel;
    patternHint->setObjectName(QStringLiteral("patternHint"));
    patternHint->setContentsMargins(8, 0, 8, 6);
    patternHint->setWordWrap(true);
    patternHint->setTextFormat(Qt::PlainText);
    patternHint->hide();
    column->addWidget(patternHint);
    buildGoTo(column);
    buildTable();
    empty = new QLabel;
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setForegroundRole(QPalette::PlaceholderText);
    stack = new QStackedWidget;
    stack->addWidget(empty);
    stack->addWidget(table);
    auto* body = new QHBoxLayout;
    body->setSpacing(0);
    position = new LogPosition;
    position->hide(); // until there is more than what is shown
    body->addWidget(stack, 1);
    body->addWidget(position);
    column->addLayout(body, 1);
    connect(position, &LogPosition::asked, this, [this](double fraction) {
        LogPlace place;
        place.fraction = fraction;
        ask(place, true);
    });
    filterTimer.setSingleShot(true);
    filterTimer.setInterval(kFilterDelayMs);
    connect(&filterTimer, &QTimer::timeout, this, &Impl::applyFilter);
    connect(thread.feed(), &LogFeed::replaced, this, &Impl::takeReplaced);
    connect(thread.feed(), &LogFeed::appended, this, &Impl::takeAppended);
    connect(thread.feed(), &LogFeed::placed, this, &Impl::takePart);
    connect(thread.feed(), &LogFeed::searched, this, &Impl::takeSearch);
    connect(thread.feed(), &LogFeed::message, this, [this](const QString& text) {
        told = text;
        updateCount(total);
    });
    connect(&Theme::instance(), &Theme::changed, this, &Impl::applyTheme);
    retranslate();
}

void LogPage::Impl::buildBar(QBoxLayout* column) {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(8);
    rank = new QComboBox;
    level = new QComboBox;
    for (const auto severity : {telemetry::Severity::Debug, telemetry::Severity::Info, telemetry::Severity::Warning,
                                telemetry::Severity::Error})
        level->addItem(QString(), static_cast<int>(severity));
    filter = new QLineEdit;
    filter->setClearButtonEnabled(true);
    follow = new QToolButton;
    follow->setCheckable(true);
    follow->setChecked(true);
    follow->setAutoRaise(true);
    count = new QLabel;
    count->setObjectName(QStringLiteral("count"));
    count->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(rank);
    row->addWidget(level);
    row->addWidget(filter, 1);
    buildSearch(row);
    row->addWidget(count);
    row->addWidget(follow);
    buildMore(row);
    column->addWidget(bar);
    connect(rank, &QComboBox::currentIndexChanged, this, &Impl::applyFilter);
    connect(level, &QComboBox::currentIndexChanged, this, &Impl::applyFilter);
    connect(filter, &QLineEdit::textChanged, this, [this] { filterTimer.start(); });
    connect(follow, &QToolButton::toggled, this, &Impl::setFollow);
}

void LogPage::Impl::buildTable() {
    table = new QTableView;
    table->setTabKeyNavigation(false);
    table->setModel(model);
    delegate = new LogDelegate(table);
    table->setItemDelegate(delegate);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setMinimumSectionSize(16);
    auto* header = table->horizontalHeader();
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(true); // and wider where a line in view is: see fitText()
    connect(table->verticalScrollBar(), &QScrollBar::valueChanged, this, &Impl::scrolled);
    for (QAction* action : {copyAction, saveAction, goToAction, wrapAction})
        table->addAction(action);
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(table->verticalScrollBar(), &QScrollBar::valueChanged, this, &Impl::fitRows);
    connect(table->verticalScrollBar(), &QScrollBar::valueChanged, this, &Impl::fitText);
    connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, &Impl::fitRows);
    connect(table->horizontalHeader(), &QHeaderView::geometriesChanged, this, &Impl::fitText);
}

void LogPage::Impl::applyTheme() {
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(9);
    table->setFont(mono);
    const QFontMetrics metrics(mono);
    table->verticalHeader()->setDefaultSectionSize(metrics.height() + 4);
    auto* header = table->horizontalHeader();
    QFont plain = QApplication::font();
    plain.setPointSizeF(9);
    header->setFont(plain);
    const auto wide = [&](const QString& text) { return metrics.horizontalAdvance(text) + 24; };
    header->resizeSection(LogModel::RankColumn, wide(LogPage::tr("supervisor")));
    header->resizeSection(LogModel::TimeColumn, wide(QStringLiteral("00:00:00.000")));
    header->resizeSection(LogModel::LevelColumn, wide(LogPage::tr("Warning")));
    table->viewport()->update();
}

void LogPage::Impl::setSession(RunSession* next) {
    if (session)
        session->disconnect(this);
    session = next;
    looked = page->isVisible();
    worldSize = -1;
    lastNote = 0;
    olderThere = olderAsked = newerThere = partShown = false;
    search = {};
    told.clear();
    model->replace({});
    rank->setCurrentIndex(0);
    thread.post([](LogFeed& feed) { feed.close(); });
    updateEmpty();
    updateCount(0);
    follow->setChecked(true); // whatever was looked at in the run before
    toTheEnd = true;
    updateFollow();
    if (!next)
        return;
    connect(next, &RunSession::viewChanged, this, &Impl::open);
    connect(next, &RunSession::viewChanged, this, &Impl::updateFollow);
    connect(next, &RunSession::storeChanged, this, [this] {
        if (worldSize >= 0)
            session->requestNotes(lastNote, kNotesAtOnce);
    });
    connect(next, &RunSession::notesReady, this, [this](const std::vector<store::Note>& notes) {
        if (notes.empty())
            return;
        lastNote = std::max(lastNote, notes.back().id);
        auto copy = std::make_shared<const std::vector<store::Note>>(notes);
        thread.post([copy](LogFeed& feed) { feed.addNotes(copy); });
        if (static_cast<int>(notes.size()) >= kNotesAtOnce)
            session->requestNotes(lastNote, kNotesAtOnce);
    });
    open();
}

/// Opens the files as soon as the number of ranks is known, and once somebody looks: the lines of three weeks are
/// neither read nor held for a page that nobody opened.
void LogPage::Impl::open() {
    if (!session || !looked)
        return;
    const RunView& view = session->view();
    if (view.nowNs == 0 || view.info.worldSize == worldSize)
        return;
    worldSize = view.info.worldSize;
    fillRanks();
    const LogRun run{session->run(), static_cast<int>(view.ranks.size()), view.info.startRealtimeNs};
    lastNote = 0;
    thread.post([run](LogFeed& feed) { feed.open(run); });
    session->requestNotes(0, kNotesAtOnce);
    updateEmpty();
}

void LogPage::Impl::look() {
    looked = true;
    open();
}

void LogPage::Impl::retranslate() {
    rank->setAccessibleName(LogPage::tr("Rank"));
    level->setAccessibleName(LogPage::tr("Level"));
    level->setItemText(0, LogPage::tr("All levels"));
    level->setItemText(1, LogPage::tr("Info and above"));
    level->setItemText(2, LogPage::tr("Warnings and errors"));
    level->setItemText(3, LogPage::tr("Errors"));
    filter->setPlaceholderText(LogPage::tr("Filter by text or regular expression (/)"));
    filter->setAccessibleName(LogPage::tr("Filter"));
    follow->setText(LogPage::tr("Follow"));
    updateFollow();
    if (!patternHint->isHidden())
        showPatternProblem(QRegularExpression(filter->text()).errorString());
    table->setAccessibleName(LogPage::tr("Log lines"));
    retranslateSearch();
    model->retranslate();
    fillRanks();
    applyTheme();
    updateCount(total);
    updateEmpty();
}

void LogPage::Impl::fillRanks() {
    const QSignalBlocker block(rank);
    const QVariant kept = rank->currentData();
    rank->clear();
    rank->addItem(LogPage::tr("All ranks"), -2);
    for (std::size_t r = 0; session && r < session->view().ranks.size(); ++r)
        rank->addItem(LogPage::tr("rank %1").arg(r), static_cast<int>(r));
    rank->addItem(LogPage::tr("Supervisor"), -1);
    rank->setCurrentIndex(std::max(0, rank->findData(kept)));
}

void LogPage::Impl::applyFilter() {
    LogFilter wanted;
    wanted.rank = rank->currentData().toInt();
    wanted.least = static_cast<telemetry::Severity>(level->currentData().toInt());
    wanted.text = QRegularExpression(filter->text(), QRegularExpression::CaseInsensitiveOption);
    showPatternProblem(wanted.text.isValid() ? QString() : wanted.text.errorString());
    if (!wanted.text.isValid()) { // half-typed: taken as plain text
        wanted.text =
            QRegularExpression(QRegularExpression::escape(filter->text()), QRegularExpression::CaseInsensitiveOption);
    }
    delegate->setPattern(boundedPattern(wanted.text, kPaintSteps));
    told.clear();
    const bool onlyMatches = only->isChecked();
    thread.post([wanted, onlyMatches](LogFeed& feed) { feed.setFilter(wanted, onlyMatches); });
}

/// Said where it is seen: without it "0 matches" of a half-typed pattern looks like an answer.
void LogPage::Impl::showPatternProblem(const QString& problem) {
    patternHint->setText(problem.isEmpty() ? QString()
                                           : LogPage::tr("Not a complete regular expression (%1). Lines with exactly "
                                                         "this text are searched for.")
                                                 .arg(problem));
    QPalette colours = page->palette();
    colours.setColor(QPalette::WindowText, Theme::instance().palette().holder);
    patternHint->setPalette(colours);
    patternHint->setVisible(!problem.isEmpty());
}

void LogPage::Impl::showLevels() {
    table->setColumnHidden(LogModel::LevelColumn, !model->hasLevels());
}

bool LogPage::Impl::isLive() const {
    return session && session->view().nowNs != 0 && launch::isLive(session->view().info.state);
}

/// What has ended has no newest line to follow.
void LogPage::Impl::updateFollow() {
    const bool known = session && session->view().nowNs != 0, live = isLive();
    follow->setEnabled(live);
    if (known && !live) {
        const QSignalBlocker block(follow);
        follow->setChecked(false);
    }
    follow->setToolTip(known && !live ? LogPage::tr("The run has ended: no new lines will come")
                                      : LogPage::tr("Keep the newest line in view"));
}

/// As wide as the longest line in view, but never narrower than what is left of the page: it can be scrolled to its
/// end.
void LogPage::Impl::fitText() {
    if (fitting)
        return;
    fitting = true;
    auto* header = table->horizontalHeader();
    const QFontMetrics metrics(table->font());
    int wanted = 0;
    const int first = std::max(0, table->rowAt(0)), last = table->rowAt(table->viewport()->height() - 1);
    const int end = last < 0 ? model->rowCount() - 1 : last;
    for (int row = first; row <= end && !wrapAction->isChecked(); ++row)
        wanted = std::max(wanted, metrics.horizontalAdvance(model->line(row).text.left(kMostShown)) + 16);
    header->setMinimumSectionSize(16);
    header->setStretchLastSection(false); // it would keep the width of a line that is not in view any more
    const int left = table->viewport()->width() - header->sectionPosition(LogModel::TextColumn);
    header->resizeSection(LogModel::TextColumn, std::max(wanted, left));
    fitting = false;
}

void LogPage::Impl::takeReplaced(const LogLinesPtr& lines, bool older, qsizetype held) {
    // what was on top stays on top when older lines came before it
    const int top = table->rowAt(0);
    const bool keep = !follow->isChecked() && !toTheEnd && top >= 0;
    const LogLine anchor = keep ? model->line(top) : LogLine{};
    settingFollow = true; // the view goes to the top by itself: that is no wish of the user
    model->replace(*lines);
    table->doItemsLayout();
    settingFollow = false;
    olderThere = older;
    olderAsked = newerThere = partShown = jumping = false;
    updateSpan();
    updateCount(held);
    updateEmpty();
    showLevels();
    if (follow->isChecked() || toTheEnd)
        toEnd();
    else if (const int row = keep ? model->find(anchor) : -1; row >= 0)
        table->scrollTo(model->index(row, 0), QAbstractItemView::PositionAtTop);
    fitText();
}

void LogPage::Impl::takeAppended(const LogLinesPtr& lines, qsizetype held) {
    const int top = table->verticalScrollBar()->value();
    const int dropped = model->append(*lines);
    if (follow->isChecked())
        toEnd();
    else if (dropped > 0)
        table->verticalScrollBar()->setValue(std::max(0, top - dropped));
    updateCount(held);
    updateEmpty();
    showLevels();
    fitText();
}

void LogPage::Impl::toEnd() {
    settingFollow = true;
    table->scrollToBottom();
    settingFollow = false;
}

void LogPage::Impl::scrolled(int value) {
    const auto* bar = table->verticalScrollBar();
    if (!settingFollow && bar->maximum() > 0) {
        toTheEnd = false;
        follow->setChecked(isLive() && value >= bar->maximum() && !newerThere);
    }
    if (!settingFollow && newerThere && value >= bar->maximum() && bar->maximum() > 0 && !olderAsked)
        if (const auto place = placeOf(model->rowCount() - 1))
            ask(*place, false);
    if (!settingFollow && value == 0 && bar->maximum() > 0 && olderThere && !olderAsked) {
        const auto place = partShown ? placeOf(0) : std::nullopt;
        if (place)
            return ask(*place, false);
        olderAsked = true;
        thread.post([](LogFeed& feed) { feed.loadOlder(); });
    }
}

void LogPage::Impl::setFollow(bool on) {
    if (on && partShown)
        thread.post([](LogFeed& feed) { feed.toTail(); });
    else if (on)
        toEnd();
}

void LogPage::Impl::copySelection() const {
    QStringList lines;
    auto rows = table->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    for (const auto& row : rows) {
        QStringList cells;
        for (int c = 0; c < LogModel::ColumnCount; ++c)
            if (const QString cell = model->index(row.row(), c).data().toString(); !cell.isEmpty())
                cells << cell;
        lines << cells.join(QStringLiteral("  "));
    }
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

void LogPage::Impl::updateEmpty() {
    const bool filtered = !filter->text().isEmpty() || rank->currentIndex() > 0 || level->currentIndex() > 0;
    empty->setText(
        !session ? LogPage::tr("<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
                               "one from the Configure page.")
        : filtered ? LogPage::tr("No line passes the filter.")
                   : LogPage::tr("Nothing has been logged."));
    stack->setCurrentIndex(model->rowCount() > 0 ? 1 : 0);
}

LogPage::LogPage(QWidget* parent) : QWidget(parent), m(std::make_unique<Impl>(this)) {}

LogPage::~LogPage() = default;

void LogPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange)
        m->retranslate();
    QWidget::changeEvent(event);
}

void LogPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m->look();
}

void LogPage::setSession(RunSession* session) {
    m->setSession(session);
}

void LogPage::showRank(int rank) {
    const int index = m->rank->findData(rank < 0 ? -2 : rank);
    m->rank->setCurrentIndex(std::max(0, index));
}

void LogPage::focusFilter() {
    m->filter->setFocus(Qt::ShortcutFocusReason);
    m->filter->selectAll();
}

} // namespace rankscope::ui
