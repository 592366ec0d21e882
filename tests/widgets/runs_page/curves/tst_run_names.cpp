// SPDX-License-Identifier: GPL-3.0-or-later
// Names of compared runs are distinct, even where there is little room.
#include "tests/support/test_runner.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/theme/theme.h"

#include <QDateTime>
#include <QListWidget>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

RunRow row(const std::string& id, const std::string& name) {
    RunRow run;
    run.paths.dir = "/runs/" + id;
    run.info.id = id;
    run.info.name = name;
    return run;
}

const QList<RunRow> kAlike{
    row("20260101-100000-quickstart-1a2b", "quickstart"), row("20260102-100000-quickstart-3c4d", "quickstart"),
    row("20260103-110000-quickstart-3c4d", "quickstart"),
    row("20260103-100000-nest-large-9999", "nest-large-with-a-name-that-goes-on-and-on-lr-1e-3")};

QStringList wholeNames(const QList<RunRow>& runs) {
    QStringList names;
    for (const RunName& name : distinctNames(runs))
        names << name.whole;
    return names;
}

} // namespace

class RunNames : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void theShortestEndThatTells() {
        const QStringList names = wholeNames(kAlike.mid(0, 2) + kAlike.mid(3));
        QCOMPARE(names[0], QStringLiteral("quickstart · 1a2b"));
        QCOMPARE(names[1], QStringLiteral("quickstart · 3c4d"));
        QCOMPARE(names[2], QString::fromStdString(kAlike[3].info.name)); // no other run has this name
        const QStringList more = wholeNames(kAlike);
        QVERIFY(more[1] != more[2]); // the last four characters are the same
        QVERIFY(more[1].endsWith(QStringLiteral("quickstart-3c4d")));
        QCOMPARE(QSet<QString>(more.begin(), more.end()).size(), 4);
        QVERIFY(distinctNames({}).isEmpty());
    }

    /// A different setting or start time says more than an id.
    void settingsAndStartsTellRunsApart() {
        const auto pool = std::make_shared<StringInterner>();
        QList<RunRow> runs{kAlike[0], kAlike[1], kAlike[2]};
        runs[0].settings = settingsOf("model: {sync: false}\n", "x", pool).value();
        runs[1].settings = settingsOf("model: {sync: true}\n", "x", pool).value();
        runs[2].settings = runs[0].settings;
        const QList<RunName> names = distinctNames(runs);
        QCOMPARE(names[1].whole, QStringLiteral("quickstart · sync true"));
        QCOMPARE(names[1].brief, QStringLiteral("true · sync"));
        QCOMPARE(elidedName(names[1], QFontMetrics(QFont()), 90).left(4), QStringLiteral("true"));
        QVERIFY(names[0].whole != names[2].whole);
        for (RunRow& run : runs)
            run.info.startRealtimeNs =
                QDateTime::fromString(QStringLiteral("2026-01-0%1T20:18:00").arg(1 + (&run - runs.data())), Qt::ISODate)
                    .toMSecsSinceEpoch() *
                1'000'000;
        QCOMPARE(wholeNames(runs), (QStringList{"quickstart · 2026-01-01 20:18", "quickstart · sync true",
                                                "quickstart · 2026-01-03 20:18"}));
    }

    void theMiddleGivesWay() {
        const QFontMetrics metrics{QFont()};
        const QString name = wholeNames(kAlike)[0];
        const auto elidedName = [](const QString& text, const QFontMetrics& font, int width) {
            return ui::elidedName({text, {}}, font, width);
        };
        QCOMPARE(elidedName(name, metrics, 1000), name);
        for (int width = metrics.horizontalAdvance(name) - 1; width > 120; width -= 7) {
            const QString shown = elidedName(name, metrics, width);
            QVERIFY(metrics.horizontalAdvance(shown) <= width);
            QVERIFY2(shown.endsWith(QStringLiteral(" · 1a2b")) && shown.startsWith(QLatin1Char('q')),
                     qPrintable(shown));
        }
        const QString longName = QString::fromStdString(kAlike[3].info.name);
        const QString shown = elidedName(longName, metrics, metrics.horizontalAdvance(longName) / 2);
        QVERIFY(shown.startsWith(QStringLiteral("nest")) && shown.endsWith(QStringLiteral("1e-3")));
        QVERIFY(!elidedName(name, metrics, 20).isEmpty());
    }

    void baselineAndLegendKeepThemApart() {
        ComparePane pane;
        pane.resize(900, 400);
        pane.show();
        pane.setRuns(kAlike);
        QTRY_VERIFY(pane.isComplete());
        auto* baseline = pane.findChild<RunCombo*>();
        const auto* legend = pane.findChild<QListWidget*>();
        QCOMPARE(baseline->count(), 4);
        baseline->setFixedWidth(130);
        QCoreApplication::processEvents();
        QVERIFY2(baseline->shownText().endsWith(QStringLiteral("1a2b")), qPrintable(baseline->shownText()));
        QSet<QString> shown;
        for (int i = 0; i < legend->count(); ++i) {
            const auto* item = legend->item(i);
            shown.insert(item->text());
            QVERIFY(item->toolTip().contains(QString::fromStdString(pane.runs()[i].info.name)));
            QVERIFY(item->toolTip().contains(QString::fromStdString(pane.runs()[i].info.id)));
            QVERIFY(baseline->itemData(i, Qt::ToolTipRole).toString() == item->toolTip());
        }
        QCOMPARE(shown.size(), 4);
        QVERIFY(legend->item(0)->text().contains(QStringLiteral("1a2b")));
        QVERIFY(legend->item(0)->text().contains(QStringLiteral("baseline")));
        QVERIFY(legend->width() <= 300);
    }
};

RANKSCOPE_GUI_TEST(RunNames)
#include "tst_run_names.moc"
