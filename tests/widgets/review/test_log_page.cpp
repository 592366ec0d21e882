// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic_run.h"
#include "tests/support/test_runner.h"
#include "widgets/logs/log_page.h"
#include "widgets/logs/log_position.h"
#include "widgets/models/log_model.h"
#include "widgets/models/run_session.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QDateTime>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

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
    void brokenPatternIsPlainText();
    void followsAndLetsGo();
    void tellsWhenThereIsNothing();
    void goesAboutInLargeLogs();

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
    m_run->addNote(telemetry::Severity::Warning, "a note of the store");
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

void TestLogPage::brokenPatternIsPlainText() {
    m_run->writeLog(0, "tensor [4, 80\n", true);
    QVERIFY(shows(QStringLiteral("tensor [4, 80")));
    auto* filter = m_page->findChild<QLineEdit*>();
    filter->setText(QStringLiteral("[4, 8"));
    QVERIFY(hides(QStringLiteral("rank one")));
    QVERIFY(text().contains(QStringLiteral("tensor")));
    QVERIFY(!filter->toolTip().isEmpty());
}

void TestLogPage::followsAndLetsGo() {
    std::string many;
    for (int i = 0; i < 300; ++i)
        many += "line " + std::to_string(i) + "\n";
    m_run->writeLog(0, many, true);
    QVERIFY(shows(QStringLiteral("line 299")));
    auto* bar = table()->verticalScrollBar();
    QVERIFY(QTest::qWaitFor([&] { return bar->maximum() > 0 && bar->value() == bar->maximum(); }, 5000));
    bar->setValue(10); // reading something: it must stay there
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
        told = told || (label->isVisible() && label->text().contains(QStringLiteral("No line passes the filter")));
    QVERIFY(told);
    m_page->setSession(nullptr);
    QCOMPARE(table()->model()->rowCount(), 0);
}

/// More than is held: found, stepped through, gone to by time and by place, and back to the end.
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
#include "test_log_page.moc"
