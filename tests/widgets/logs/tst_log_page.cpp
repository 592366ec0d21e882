// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/logs/log_page.h"
#include "widgets/logs/log_position_bar.h"
#include "widgets/models/logs/log_model.h"
#include "widgets/models/run/run_session.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QDateTime>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <fstream>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

class TestLogPage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void init();
    void cleanup();
    void mergesRanksSupervisorAndNotes();
    void filters();
    void theRanksOfACommandAreInItsLog();
    void brokenPatternIsPlainText();
    void followsAndLetsGo();
    void tellsWhenThereIsNothing();
    void goesAboutInLargeLogs();
    void levelsMarkTheLine();
    void aNoteThatIsInTheLogIsListedOnce();
    void nothingIsFollowedAfterTheEnd();
    void aLongLineCanBeReadToItsEnd();
    void theGoToLineShowsItsHint();

private:
    QString text() const;
    bool shows(const QString& what) const {
        return QTest::qWaitFor([&] { return text().contains(what); }, 10'000);
    }
    bool hides(const QString& what) const {
        return QTest::qWaitFor([&] { return !text().contains(what); }, 10'000);
    }
    QTableView* table() const { return m_page->findChild<QTableView*>(); }

    std::unique_ptr<SyntheticRun> m_run;
    std::unique_ptr<RunSession> m_session;
    std::unique_ptr<LogPage> m_page;
};

void TestLogPage::init() {
    m_run = std::make_unique<SyntheticRun>(2, RunState::Running);
    m_run->addSteps(3, [](int, std::int64_t) { return RankStep{}; });
    m_run->writeLog(0, "rank zero starts\nwarning: low memory\n");
    m_run->writeLog(1, "rank one starts\nERROR: cannot open utt_7.wav\n");
    m_run->writeLog(-1, "supervisor starts 2 ranks\n");
    m_run->addNote(telemetry::NoteSeverity::Warning, "a note of the store");
    m_session = std::make_unique<RunSession>(m_run->paths());
    m_page = std::make_unique<LogPage>();
    m_page->resize(1000, 300);
    m_page->show();
    m_page->setSession(m_session.get());
}

void TestLogPage::cleanup() {
    m_page.reset();
    m_session.reset();
    m_run.reset();
}

QString TestLogPage::text() const {
    QString all;
    const auto* model = table()->model();
    for (int row = 0; row < model->rowCount(); ++row)
        all += model->index(row, LogModel::RankColumn).data().toString() + u' ' +
               model->index(row, LogModel::TextColumn).data().toString() + u'\n';
    return all;
}

void TestLogPage::mergesRanksSupervisorAndNotes() {
    for (const char* line :
         {"rank 0 rank zero starts", "rank 1 rank one starts", "supervisor supervisor starts", "a note of the store"})
        QVERIFY2(shows(QLatin1String(line)), line);
}

void TestLogPage::filters() {
    QVERIFY(shows(QStringLiteral("a note of the store")) && shows(QStringLiteral("rank one starts")));
    m_page->showRank(1);
    QVERIFY(hides(QStringLiteral("rank zero")));
    QVERIFY(text().contains(QStringLiteral("rank one starts")));
    m_page->showRank(-1);
    QVERIFY(shows(QStringLiteral("rank zero")));
    m_page->focusFilter();
    auto* filter = m_page->findChild<QLineEdit*>();
    QTest::keyClicks(filter, QStringLiteral("utt_\\d+"));
    QVERIFY(hides(QStringLiteral("rank zero")));
    QVERIFY(text().contains(QStringLiteral("cannot open utt_7.wav")));
    filter->clear();
    QVERIFY(shows(QStringLiteral("rank zero")));
    auto* level = m_page->findChildren<QComboBox*>()[1];
    level->setCurrentIndex(3);
    QVERIFY(hides(QStringLiteral("low memory")));
    QVERIFY(text().contains(QStringLiteral("cannot open")));
}

void TestLogPage::theRanksOfACommandAreInItsLog() {
    launch::RunInfo info = m_run->info();
    info.command = {"torchrun", "train.py"};
    QVERIFY(launch::writeRunInfo(m_run->paths(), info));
    std::ofstream(m_run->paths().commandLog()) << "[rank1]: ValueError: no speech\n";
    RunSession watched(m_run->paths());
    m_page->setSession(&watched);
    QVERIFY(shows(QStringLiteral("no speech")) && shows(QStringLiteral("a note of the store")));
    m_page->showRank(1);
    QVERIFY(hides(QStringLiteral("a note of the store")));
    QVERIFY(text().contains(QStringLiteral("no speech")));
    m_page->setSession(nullptr);
}

void TestLogPage::brokenPatternIsPlainText() {
    m_run->writeLog(0, "tensor [4, 80\n", true);
    QVERIFY(shows(QStringLiteral("tensor [4, 80")));
    auto* filter = m_page->findChild<QLineEdit*>();
    filter->setText(QStringLiteral("[4, 8"));
    QVERIFY(hides(QStringLiteral("rank one")));
    QVERIFY(text().contains(QStringLiteral("tensor")));
    const auto* hint = m_page->findChild<QLabel*>(QStringLiteral("patternHint"));
    QVERIFY(hint->isVisible()); // "0 matches" alone would look like an answer
    QVERIFY2(hint->text().contains(QStringLiteral("Invalid regular expression")), qPrintable(hint->text()));
    filter->setText(QStringLiteral("tensor"));
    QVERIFY(QTest::qWaitFor([&] { return !hint->isVisible(); }, 5000));
}

void TestLogPage::followsAndLetsGo() {
    std::string many;
    for (int i = 0; i < 300; ++i)
        many += "line " + std::to_string(i) + "\n";
    m_run->writeLog(0, many, true);
    QVERIFY(shows(QStringLiteral("line 299")));
    auto* bar = table()->verticalScrollBar();
    QVERIFY(QTest::qWaitFor([&] { return bar->maximum() > 0 && bar->value() == bar->maximum(); }, 5000));
    bar->setValue(10); // the user reads here: the view must not move
    m_run->writeLog(0, "one more\n", true);
    QVERIFY(shows(QStringLiteral("one more")));
    QCOMPARE(bar->value(), 10);
    bar->setValue(bar->maximum());
    m_run->writeLog(0, "and another\n", true);
    QVERIFY(shows(QStringLiteral("and another")));
    QVERIFY(QTest::qWaitFor([&] { return bar->value() == bar->maximum(); }, 5000));
}

void TestLogPage::tellsWhenThereIsNothing() {
    QVERIFY(shows(QStringLiteral("rank zero")));
    m_page->findChild<QLineEdit*>()->setText(QStringLiteral("no such words"));
    QVERIFY(hides(QStringLiteral("rank zero")));
    bool told = false;
    for (const auto* label : m_page->findChildren<QLabel*>())
        told = told || (label->isVisible() && label->text().contains(QStringLiteral("No lines pass the filter")));
    QVERIFY(told);
    m_page->setSession(nullptr);
    QCOMPARE(table()->model()->rowCount(), 0);
}

void TestLogPage::levelsMarkTheLine() {
    m_page->setSession(nullptr);
    SyntheticRun plain(2, RunState::Running);
    plain.addSteps(3, [](int, std::int64_t) { return RankStep{}; });
    plain.writeLog(0, "2025-01-31 12:04:31.123 info rank 0: rank zero starts\n");
    RunSession session(plain.paths());
    m_page->setSession(&session);
    QVERIFY(shows(QStringLiteral("rank zero starts")));
    plain.writeLog(0, "warning: low memory\n", true);
    QVERIFY(shows(QStringLiteral("low memory")));
    const auto* model = table()->model();
    QCOMPARE(model->columnCount(), 3); // rank, time, message
    const auto edgeOf = [&](int row) { // right of the text
        const QRect cell = table()->visualRect(model->index(row, LogModel::TextColumn));
        return table()->viewport()->grab().toImage().pixelColor(
            QPoint(table()->viewport()->width() - 6, cell.center().y()) * table()->devicePixelRatioF());
    };
    int plainRow = -1, warningRow = -1;
    for (int row = 0; row < model->rowCount(); ++row) {
        const QModelIndex text = model->index(row, LogModel::TextColumn);
        if (text.data().toString() == QStringLiteral("low memory")) {
            warningRow = row;
            QCOMPARE(text.data(Qt::AccessibleTextRole).toString(), QStringLiteral("Warning: low memory"));
            QVERIFY(text.data(Qt::ToolTipRole).toString().contains(QStringLiteral("Warning")));
        } else if (text.data().toString().contains(QStringLiteral("rank zero starts"))) {
            plainRow = row;
            QCOMPARE(text.data(Qt::AccessibleTextRole), text.data());
            QVERIFY(text.data(Qt::ToolTipRole).toString().isEmpty());
        }
    }
    QVERIFY(plainRow >= 0 && warningRow >= 0);
    table()->clearSelection();
    const auto warmthOf = [](const QColor& colour) { return colour.red() - colour.blue(); };
    QVERIFY(warmthOf(edgeOf(warningRow)) > warmthOf(edgeOf(plainRow)) + 5);
    m_page->setSession(nullptr);
}

/// In either order: the rank's line first, or the store's note of the same event.
void TestLogPage::aNoteThatIsInTheLogIsListedOnce() {
    const std::int64_t ms = 1'000'000;
    const auto line = [](LogLine::LogOrigin source, std::int64_t timeMs, const char* text) {
        LogLine made;
        made.source = source;
        made.rank = 0;
        made.timeMs = timeMs;
        made.text = QString::fromLatin1(text);
        return made;
    };
    const LogLines lines{line(LogLine::LogOrigin::Rank, ms - 5000, "saved"),
                         line(LogLine::LogOrigin::Rank, ms, "saved"), line(LogLine::LogOrigin::Note, ms, "saved")};
    const LogLine same = line(LogLine::LogOrigin::Note, ms + 300, "saved"),
                  other = line(LogLine::LogOrigin::Note, ms, "lost"),
                  late = line(LogLine::LogOrigin::Note, ms + 60'000, "saved");
    QCOMPARE(withoutRepeated({same, other, late}, lines).size(), qsizetype{2});
    QCOMPARE(withoutRepeated({same}, lines.last(1)).size(), qsizetype{1}); // the line is a note, not a line of a log

    QVERIFY(shows(QStringLiteral("a note of the store")));
    const auto count = [this] { return text().count(QStringLiteral("a note of the store")); };
    QCOMPARE(count(), qsizetype{1});
    const auto* model = table()->model();
    std::int64_t noteMs = 0;
    for (int row = 0; row < model->rowCount(); ++row)
        if (model->index(row, LogModel::TextColumn).data().toString() == QLatin1String("a note of the store"))
            noteMs = model->index(row, 0).data(LogModel::TimeRole).toLongLong();
    const QString stamp = QDateTime::fromMSecsSinceEpoch(noteMs).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
    m_run->writeLog(-1, QStringLiteral("%1 a note of the store\nmore\n").arg(stamp).toStdString(), true);
    QVERIFY(shows(QStringLiteral("supervisor more")));
    QCOMPARE(count(), qsizetype{1});
}

void TestLogPage::nothingIsFollowedAfterTheEnd() {
    QToolButton* follow = nullptr;
    for (auto* button : m_page->findChildren<QToolButton*>())
        if (button->text() == QLatin1String("Follow"))
            follow = button;
    QVERIFY(follow);
    QVERIFY(shows(QStringLiteral("rank zero")));
    QVERIFY(follow->isChecked() && follow->isEnabled());
    m_page->setSession(nullptr);
    SyntheticRun ended(2, RunState::Running, 3);
    ended.addSteps(3, [](int, std::int64_t) { return RankStep{}; });
    std::string many;
    for (int i = 0; i < 300; ++i)
        many += "line " + std::to_string(i) + "\n";
    ended.writeLog(0, many);
    ended.addEnds(telemetry::EndCause::Finished);
    ended.finishStore();
    ended.setState(RunState::Finished);
    RunSession session(ended.paths());
    m_page->setSession(&session);
    QVERIFY(shows(QStringLiteral("line 299")));
    QVERIFY(!follow->isChecked() && !follow->isEnabled());
    QVERIFY(!follow->toolTip().isEmpty());
    auto* bar = table()->verticalScrollBar(); // even so, the end is shown first
    QVERIFY(QTest::qWaitFor([&] { return bar->maximum() > 0 && bar->value() == bar->maximum(); }, 5000));
    bar->setValue(10);
    bar->setValue(bar->maximum());
    QVERIFY(!follow->isChecked());
    m_page->setSession(nullptr);
}

void TestLogPage::aLongLineCanBeReadToItsEnd() {
    auto* bar = table()->horizontalScrollBar();
    QVERIFY(shows(QStringLiteral("rank zero")));
    QCOMPARE(bar->maximum(), 0);
    m_run->writeLog(0, "cannot reserve space: " + std::string(400, 'x') + " on the device\n", true);
    QVERIFY(shows(QStringLiteral("on the device")));
    QVERIFY(QTest::qWaitFor([&] { return bar->maximum() > 0; }, 5000));
    const QString text =
        QStringLiteral("cannot reserve space: ") + QString(400, u'x') + QStringLiteral(" on the device");
    QVERIFY(table()->columnWidth(LogModel::TextColumn) >= QFontMetrics(table()->font()).horizontalAdvance(text));
    m_run->writeLog(0, "a short one\n", true);
    m_page->findChild<QLineEdit*>()->setText(QStringLiteral("short"));
    QVERIFY(shows(QStringLiteral("a short one")));
    QVERIFY2(QTest::qWaitFor([&] { return bar->maximum() == 0; }, 5000), "of a line that is not in view");
}

void TestLogPage::theGoToLineShowsItsHint() {
    QVERIFY(shows(QStringLiteral("rank zero")));
    QLineEdit* line = nullptr;
    for (auto* one : m_page->findChildren<QLineEdit*>())
        if (one->placeholderText().startsWith(QStringLiteral("12:04:31")))
            line = one;
    QVERIFY(line);
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_G, Qt::ControlModifier);
    QTRY_VERIFY(line->isVisible());
    QVERIFY(line->width() > line->fontMetrics().horizontalAdvance(line->placeholderText()) + 16);
}

/// Logs larger than what is held in memory: search, step through matches, go to a time and a position, and back to the
/// end.
void TestLogPage::goesAboutInLargeLogs() {
    QVERIFY(shows(QStringLiteral("rank zero")));
    std::string many;
    const QDateTime begin = QDateTime::fromMSecsSinceEpoch(m_run->info().startRealtimeNs / 1'000'000);
    for (int i = 0; i < 60'000; ++i)
        many += begin.addMSecs(10 * i).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz")).toStdString() + " line " +
                std::to_string(i) + (i % 20'000 == 100 ? " needle " : " ") + std::string(50, 'x') + "\n";
    m_page->setSession(nullptr);
    m_run->writeLog(0, many);
    m_page->setSession(m_session.get());
    QVERIFY(shows(QStringLiteral("line 59999 ")));
    QVERIFY(!text().contains(QStringLiteral("line 100 ")));
    auto* position = m_page->findChild<LogPosition*>();
    QVERIFY(position->isVisible() && position->from() > 0.5);

    auto* filter = m_page->findChild<QLineEdit*>();
    filter->setText(QStringLiteral("needle"));
    QVERIFY(QTest::qWaitFor([&] { return table()->model()->rowCount() == 3; }, 20'000));
    const auto button = [&](const char* label) -> QToolButton* {
        for (auto* b : m_page->findChildren<QToolButton*>())
            if (b->text() == QLatin1String(label) || b->accessibleName() == QLatin1String(label))
                return b;
        return nullptr;
    };
    const auto selected = [&] {
        const auto rows = table()->selectionModel()->selectedRows(LogModel::TextColumn);
        return rows.isEmpty() ? QString() : rows.first().data().toString();
    };
    const auto reaches = [&](const QString& what) {
        return QTest::qWaitFor([&] { return selected().startsWith(what); }, 10'000);
    };
    button("Only matches")->setChecked(false);
    const auto* count = m_page->findChild<QLabel*>(QStringLiteral("count"));
    QVERIFY(QTest::qWaitFor([&] { return table()->model()->rowCount() > 1000; }, 20'000)); // all lines again
    QVERIFY(QTest::qWaitFor([&] { return count->text() == QStringLiteral("3 matches"); }, 20'000));
    table()->selectRow(table()->model()->rowCount() - 1);
    button("Previous match")->click();
    QVERIFY(reaches(QStringLiteral("line 40100 needle")));
    button("Previous match")->click();
    QVERIFY(reaches(QStringLiteral("line 20100 needle")));
    QVERIFY(table()->model()->rowCount() > 1000);
    button("Next match")->click();
    QVERIFY(reaches(QStringLiteral("line 40100 needle")));

    filter->clear();
    m_page->showTime(10'000'000LL * 30'000);
    QVERIFY(reaches(QStringLiteral("line 30000 ")));
    QVERIFY(!button("Follow")->isChecked());
    QVERIFY(position->from() < 0.5 && position->to() > 0.5);
    emit position->asked(0);
    QVERIFY(QTest::qWaitFor([&] { return text().contains(QStringLiteral("line 0 ")); }, 10'000));
    button("Follow")->setChecked(true);
    QVERIFY(QTest::qWaitFor([&] { return text().contains(QStringLiteral("line 59999 ")); }, 10'000));
}

RANKSCOPE_GUI_TEST(TestLogPage)
#include "tst_log_page.moc"
