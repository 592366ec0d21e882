// SPDX-License-Identifier: GPL-3.0-or-later
// How a plot looks at its edges, under an incident, under the crosshair and without values.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/plots/plot/plot_background.h"
#include "widgets/plots/plot/resume_marks.h"

#include <QAccessible>
#include <QLocale>
#include <QSignalSpy>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

namespace {

double distance(const QColor& a, const QColor& b) {
    return std::hypot(a.red() - b.red(), a.green() - b.green(), a.blue() - b.blue());
}

/// Counts the pixels that do not have the plot's background colour.
int inkIn(const QImage& image, const QRect& where) {
    const QColor ground = Theme::instance().palette().panel;
    int ink = 0;
    for (int y = where.top(); y <= where.bottom(); ++y)
        for (int x = where.left(); x <= where.right(); ++x)
            ink += distance(image.pixelColor(x, y), ground) > 40;
    return ink;
}

/// An imported run: no rank has recorded steps, and only the loss exists.
struct ImportedLoss {
    ImportedLoss() : run(2, RunState::Running) {
        run.finishStore();
        run.setState(RunState::Finished);
        auto store = store::RunWriter::reopen(run.paths().store());
        std::vector<store::ImportedValue> values;
        for (int rank = 0; rank < 2; ++rank)
            for (std::int64_t step = 0; step < 200; ++step) {
                store::ImportedValue v;
                v.kind = store::ImportedValue::ImportedKind::Metric;
                v.metric = store::Metric::Loss;
                v.rank = rank;
                v.step = step;
                v.timeNs = step * 100'000'000;
                v.value = 5 + rank;
                values.push_back(v);
            }
        written = store && store->import(values) && store->finishImport();
    }
    SyntheticRun run;
    bool written = false;
};

} // namespace

class TestPlotLooks : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::English); }
    void init() { Theme::instance().apply(Theme::Mode::Light); }
    void cleanup() { Theme::instance().apply(Theme::Mode::Light); }

    /// At the right edge both labels are to the left of their lines, and would cover each other.
    void labelsOfNearbyResumesAreBelowEachOther() {
        QCustomPlot plot;
        plot.setViewport({0, 0, 600, 300});
        plot.xAxis->setRange(0, 100);
        auto* marks = new ResumeMarksItem(&plot);
        marks->showLabels = true;
        marks->joints = {{96, QStringLiteral("resumed from aaaa"), QStringLiteral("first"), {}},
                         {98, QStringLiteral("resumed from bbbb"), QStringLiteral("second"), {}}};
        plot.replot();
        const double x = plot.xAxis->coordToPixel(96) - 40;
        QStringList below; // the labels at x, from the top
        for (int y = plot.axisRect()->top(); y < plot.axisRect()->bottom(); ++y)
            if (const ResumeMark* mark = marks->at({x, double(y)});
                mark && (below.isEmpty() || below.last() != mark->text))
                below << mark->text;
        QCOMPARE(below, (QStringList{QStringLiteral("first"), QStringLiteral("second")}));
    }

    void marksAtTheLastStepAreWhole() {
        SyntheticRun run(2, RunState::Running);
        run.addSteps(400, describe);
        run.addCheckpoint(399);
        run.addValidation(4);
        run.finishStore();
        run.setState(RunState::Finished);
        Shown shown(run);
        QVERIFY(shown.complete());
        for (RankPlot* plot : shown.plots()) {
            const QImage image = plot->grab().toImage();
            const QRect rect = plot->axisRect()->rect();
            const int beside = inkIn(image, QRect(rect.right() + 2, rect.top(), 3, rect.height() - 1));
            if (plot == shown.plots()[2]) // it has the marks on the axis
                QVERIFY2(beside >= 4, qPrintable(QString::number(beside)));
            else if (plot == shown.plots()[0]) // it has the validation curve
                QVERIFY2(beside >= 4, qPrintable(QString::number(beside)));
            else
                QCOMPARE(beside, 0);
        }
        shown.page.zoomIn(); // what is out of view must not be drawn next to the plot
        QVERIFY(shown.complete());
        for (RankPlot* plot : shown.plots()) {
            const QRect rect = plot->axisRect()->rect();
            QCOMPARE(inkIn(plot->grab().toImage(), QRect(rect.right() + 2, rect.top(), 10, rect.height() - 1)), 0);
        }
    }

    void anIncidentHasTheColourOfNoRank() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            Theme::instance().apply(mode);
            QVERIFY(shown.complete());
            const QColor incident = Theme::instance().palette().incident;
            for (int rank = 0; rank < 8; ++rank)
                QVERIFY2(distance(incident, Theme::instance().rankPen(rank).color()) > 50,
                         qPrintable(QString::number(rank)));
            RankPlot* plot = shown.plots()[1];
            QCOMPARE(plot->spans().size(), 1);
            const QImage strip = shown.page.findChild<OverviewStrip*>()->grab().toImage();
            QVERIFY(pixelsLike(strip, incident, strip.rect()) >= 6); // the mark
            const QImage image = plot->grab().toImage();
            const QRect rect = plot->axisRect()->rect();
            const auto at = [&](double step) {
                return image.pixelColor(static_cast<int>(plot->xAxis->coordToPixel(step)), rect.top() + 2);
            };
            const QColor shade = at(60.2), beside = at(64.2);
            QVERIFY2(distance(shade, beside) > 15, qPrintable(shade.name() + u' ' + beside.name()));
            QVERIFY2(shade.red() > shade.blue() + 15, qPrintable(shade.name()));
        }
    }

    /// Draws the line of the rank that holds up the others wider, while the incident is open or selected.
    void theHoldersLineStandsOut() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        RankPlot* plot = shown.plots()[0];
        const auto width = [plot](int rank) { return plot->line(rank)->pen().widthF(); };
        QCOMPARE(plot->spans().size(), 1);
        QCOMPARE(plot->spans()[0].holders, std::vector<int>{1});
        QCOMPARE(width(1), width(0)); // the incident is over
        shown.page.nextIncident();
        QVERIFY(shown.complete());
        QVERIFY(width(1) > width(0) + 1);
        auto spans = plot->spans();
        spans[0].open = true;
        plot->setSpans(spans, 0);
        QTRY_VERIFY(plot->isDrawn() && width(1) > width(0) + 1);
        plot->setSpans({}, 0);
        QTRY_VERIFY(plot->isDrawn());
        QCOMPARE(width(1), width(0));
    }

    void aPauseOnTheStripIsNeutral() {
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            Theme::instance().apply(mode);
            OverviewStrip strip;
            strip.resize(800, strip.height());
            strip.setRanges({0, 100}, {0, 100}, 4);
            const auto shade = [&](bool pause) {
                strip.setSpans({{.id = 1, .lo = 40, .hi = 60, .pause = pause}}, 0);
                return strip.grab().toImage().pixelColor(static_cast<int>(strip.geometryNow().toPixel(55)), 20);
            };
            const QColor incident = shade(false), pause = shade(true);
            QVERIFY2(incident.red() > incident.blue() + 15, qPrintable(incident.name()));
            QVERIFY2(std::abs(pause.red() - pause.blue()) < 15, qPrintable(pause.name()));
            const QImage image = strip.grab().toImage();
            QCOMPARE(pixelsLike(image, Theme::instance().palette().incident, image.rect()), 0); // its mark, too
        }
    }

    void aBarSaysHowLongAnIncidentLasted() {
        SyntheticRun run(2, RunState::Running, 400);
        run.addSteps(80, describe);
        run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 3'000'000'000);
        run.finishStore();
        run.setState(RunState::Finished);
        Shown shown(run);
        QVERIFY(shown.complete());
        RankPlot* plot = shown.plots()[2];
        QCOMPARE(plot->spans().size(), 1);
        const IncidentSpan span = plot->spans()[0];
        QCOMPARE(span.hi - span.lo, 1.0); // one step is shaded
        QVERIFY2(span.timeWidth > 15 && span.timeWidth < 40, qPrintable(QString::number(span.timeWidth)));
        const QImage image = plot->grab().toImage();
        const int y = plot->axisRect()->bottom() - 1;
        const auto at = [&](double step) {
            return image.pixelColor(static_cast<int>(plot->xAxis->coordToPixel(step)), y);
        };
        const double end = std::min(span.lo + span.timeWidth, 79.0);
        QCOMPARE(at(end - 1), Theme::instance().palette().incident);
        QVERIFY(at(span.lo - 2) != Theme::instance().palette().incident);
    }

    /// Keeps the mark of the incident at step 60 apart from the label "60" below it.
    void aMarkKeepsAwayFromTheLabels() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        RankPlot* plot = shown.plots()[2];
        QVERIFY(plot->xAxis->tickVector().contains(60));
        const QImage image = plot->grab().toImage();
        const int x = static_cast<int>(std::lround(plot->xAxis->coordToPixel(60)));
        int y = plot->axisRect()->bottom() + 3;
        const auto inkAt = [&](int row) { return inkIn(image, QRect(x - 8, row, 17, 1)) > 0; };
        QVERIFY(inkAt(y)); // the mark
        while (inkAt(y))
            ++y;
        int free = 0;
        while (!inkAt(y) && free < 30)
            ++y, ++free;
        QVERIFY2(free >= 2 && free < 12, qPrintable(QString::number(free)));
        const QString label = plot->xAxis->label(); // the axis title is inside the plot, too
        QCOMPARE(label, QStringLiteral("step"));
        QCOMPARE(inkIn(image, QRect(0, image.height() - 1, image.width(), 1)), 0);
    }

    void aSingleValidationIsNoLine() {
        for (const int count : {1, 2}) {
            SyntheticRun run(2, RunState::Running);
            for (int i = 0; i < count; ++i) {
                run.addSteps(100, describe);
                run.addValidation(5.25);
            }
            run.finishStore();
            run.setState(RunState::Finished);
            Shown shown(run);
            QVERIFY(shown.complete());
            const RankPlot* plot = shown.plots()[0];
            const PlotFrameItem* frame = nullptr; // it has no meta object
            for (int i = 0; i < plot->itemCount() && !frame; ++i)
                frame = dynamic_cast<const PlotFrameItem*>(plot->item(i));
            QVERIFY(frame);
            QTRY_COMPARE(frame->remark.contains(QStringLiteral("dashed: validation")), count > 1);
        }
    }
    void aValidationSaysItsSteps() {
        SyntheticRun run(2, RunState::Running);
        run.addSteps(100, describe);
        run.addValidation(5.25);
        run.addSteps(100, describe);
        run.addValidation(4.25);
        run.addSteps(100, describe);
        run.finishStore();
        run.setState(RunState::Finished);
        Shown shown(run);
        QVERIFY(shown.complete());
        RankPlot* plot = shown.plots()[0];
        const auto saidAt = [&](double step) {
            emit plot->gestures()->hovered(step);
            return spoken(plot);
        };
        QVERIFY2(!saidAt(50).contains(QLatin1String("validation")), qPrintable(saidAt(50)));
        QVERIFY2(saidAt(99).endsWith(QLatin1String("; validation, step 99 5.2500")), qPrintable(saidAt(99)));
        QVERIFY2(saidAt(149).endsWith(QStringLiteral("; validation, steps 99 and 199 5.2500 → 4.2500")),
                 qPrintable(saidAt(149)));
        QVERIFY2(saidAt(250).endsWith(QLatin1String("; validation, step 199 4.2500")), qPrintable(saidAt(250)));
        (void)saidAt(149); // there is also a dot on the dashed line, halfway between the two values
        const QImage image = plot->grab().toImage();
        const QPoint dot(static_cast<int>(plot->xAxis->coordToPixel(149)),
                         static_cast<int>(plot->yAxis->coordToPixel(4.75)));
        QVERIFY(pixelsLike(image, Theme::instance().palette().text, QRect(dot - QPoint(3, 3), QSize(7, 7))) >= 20);
    }

    void whatIsNotRecordedSaysSo() {
        const ImportedLoss imported;
        QVERIFY(imported.written);
        Shown shown(imported.run);
        QVERIFY(shown.complete());
        RankPlot* loss = shown.plots()[0];
        QVERIFY2(spoken(loss).isEmpty() && loss->yAxis->tickLabels(), qPrintable(spoken(loss)));
        for (RankPlot* plot : {shown.plots()[1], shown.plots()[2]}) {
            QCOMPARE(spoken(plot), QStringLiteral("Not recorded in this run"));
            QVERIFY(!plot->yAxis->tickLabels());
            const QImage image = plot->grab().toImage();
            const QRect rect = plot->axisRect()->rect();
            QCOMPARE(inkIn(image, QRect(0, rect.top(), rect.left() - 1, rect.height())), 0); // no invented axis
            QVERIFY(inkIn(image, rect) > 100);                                               // the sentence
        }
        shown.page.zoomIn();
        QVERIFY(shown.complete());
        QCOMPARE(spoken(shown.plots()[2]), QStringLiteral("Nothing recorded in this part of the run"));
    }

    void aMutedRankIsNotAnEmptyPlot() {
        RankPlot plot({});
        plot.resize(600, 200);
        plot.setNothingText(QStringLiteral("none"));
        plot.setRange({-0.5, 9.5});
        plot.show();
        QTRY_VERIFY(plot.isDrawn());
        QCOMPARE(spoken(&plot), QString()); // nothing has been read yet
        Samples samples(10), gaps(10);
        for (std::size_t i = 0; i < 10; ++i) {
            samples[i].x = gaps[i].x = static_cast<double>(i);
            samples[i].count = 1;
        }
        plot.setSeries({samples, gaps});
        plot.setLines({}, false);
        QTRY_VERIFY(plot.isDrawn());
        QCOMPARE(spoken(&plot), QString());
        plot.setSeries({gaps, {}});
        QTRY_VERIFY(plot.isDrawn());
        QCOMPARE(spoken(&plot), QStringLiteral("none"));
        gaps[3].notFinite = 1; // a value that is not finite counts as recorded
        plot.setSeries({gaps, {}});
        QTRY_VERIFY(plot.isDrawn());
        QCOMPARE(spoken(&plot), QString());
    }

    /// Several sizes in one pass of the layout are drawn once, and no frame shows a picture of another size.
    void aSizeIsDrawnOnce() {
        RankPlot plot({});
        plot.resize(600, 200);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        QTRY_VERIFY(plot.isDrawn());
        QSignalSpy drawn(&plot, &QCustomPlot::afterReplot);
        for (const int height : {300, 250, 280, 220})
            plot.resize(600, height);
        QCOMPARE(drawn.size(), 0);
        QTRY_VERIFY(drawn.size() > 0 && plot.isDrawn());
        QCOMPARE(drawn.size(), 1);
        plot.resize(500, 260);
        (void)plot.grab(); // painted before any posted event is handled
        QCOMPARE(plot.axisRect()->right(), 500 - kPlotRightMargin - 1);
    }
};

RANKSCOPE_GUI_TEST(TestPlotLooks)
#include "tst_plot_looks.moc"
