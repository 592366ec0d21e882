// SPDX-License-Identifier: GPL-3.0-or-later
// A run has the same figures in the header, the list, the table, a comparison, on its tiles and on the command line;
// and in no store that tests write does a rank wait longer within a step than the step takes.
#include "core/store/figures/training_figures.h"
#include "core/store/read/run_reader.h"
#include "tests/core/store/wait_bounds.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/runs_page/run_folders.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/models/run/run_session.h"
#include "widgets/runs/scan/run_figures.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/filter/run_fields.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using rankscope::test::FolderSpec;

namespace {

/// Describes a run with two ranks, of which rank 1 validates better, and one step that takes ten times as long as the
/// others.
FolderSpec described(int number) {
    FolderSpec spec;
    spec.id = "20260101-" + std::to_string(100000 + number) + "-same-figures";
    spec.name = "same";
    spec.steps = 40 + 10 * number;
    spec.loss = [number](int rank, std::int64_t step) {
        return 9.0 - 0.125 * static_cast<double>((step * (number + 3)) % 17) - rank;
    };
    spec.validated = [number](int rank, std::int64_t step) {
        return 6.0 - 0.25 * static_cast<double>((step * (number + 1)) % 7) - 0.5 * rank;
    };
    spec.stepNs = [](std::int64_t step) { return step == 13 ? 1'000'000'000 : 100'000'000 + 1'000'000 * step; };
    return spec;
}

struct Figures {
    double loss = 0, bestLoss = 0, validation = 0, bestValidation = 0, stepsPerSecond = 0;
};

/// Computes the figures from the ranks' records.
Figures expectedOf(const FolderSpec& spec) {
    Figures f{0, INFINITY, 0, INFINITY, 0};
    std::int64_t lastedNs = 0;
    for (std::int64_t step = 0; step < spec.steps; ++step) {
        f.loss = spec.loss(0, step);
        f.bestLoss = std::min(f.bestLoss, f.loss);
        lastedNs += spec.stepNs(step);
        if (step % 10 != 9)
            continue;
        f.validation = spec.validated(0, step);
        f.bestValidation = std::min(f.bestValidation, f.validation);
    }
    f.stepsPerSecond = static_cast<double>(spec.steps) / (static_cast<double>(lastedNs) * 1e-9);
    return f;
}

QJsonObject shown(const launch::RunPaths& run) {
    QProcess ctl;
    ctl.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
              {QStringLiteral("show"), QString::fromStdString(run.dir.string()), QStringLiteral("--json")});
    if (!ctl.waitForFinished(30'000) || ctl.exitCode() != 0)
        return {};
    return QJsonDocument::fromJson(ctl.readAllStandardOutput()).object();
}

QString titleOf(FieldId id) {
    return RunField{id, {}}.title();
}

bool close(double a, double b) {
    return std::abs(a - b) < 1e-9 * std::max(1.0, std::abs(b));
}

} // namespace

class SameFigures : public QObject {
    Q_OBJECT

private slots:
    void everywhere() {
        QTemporaryDir dir;
        QList<RunRow> rows;
        std::vector<Figures> expected;
        for (int number = 0; number < 20; ++number) {
            const FolderSpec spec = described(number);
            const launch::RunPaths run = test::makeFolder(dir.path().toStdString(), spec);
            const Figures want = expected.emplace_back(expectedOf(spec));

            const QJsonObject json = shown(run);
            QVERIFY(close(json["last_loss"].toDouble(), want.loss));
            QVERIFY(close(json["best_loss"].toDouble(), want.bestLoss));
            QVERIFY(close(json["val_loss"].toDouble(), want.validation));
            QVERIFY(close(json["best_val_loss"].toDouble(), want.bestValidation));
            QVERIFY(close(json["mean_steps_per_s"].toDouble(), want.stepsPerSecond));

            RunSession session(run);
            QTRY_VERIFY_WITH_TIMEOUT(session.view().storeVersion > 0, 10'000);
            const RunView& view = session.view();
            QVERIFY(close(view.stepsPerSecond, want.stepsPerSecond));
            QCOMPARE(HeaderTexts::of(view).rate, QStringLiteral("%1 steps/s").arg(want.stepsPerSecond, 0, 'f', 2));
            const auto validation = store::figuresOf(view.validations);
            QVERIFY(close(validation.last->loss, want.validation));
            QVERIFY(close(validation.best->loss, want.bestValidation));

            auto reader = store::RunReader::open(run.store());
            QVERIFY(reader);
            RunRow row;
            row.paths = run;
            row.info = *launch::readRunInfo(run);
            row.figures = std::make_shared<const RunFigures>(*readFigures(*reader));
            row.lastStep = row.figures->lastStep;
            row.lastLoss = row.figures->lastLoss;
            for (const auto& [id, value] : columns(want))
                QVERIFY2(close(cellOf(row, {id, {}}, 0).number, value), qPrintable(titleOf(id)));
            rows << row;
        }
        CompareModel model(CompareModel::What::Figures);
        model.setRuns(rows, QList<RunName>(rows.size()), QList<QColor>(rows.size()));
        for (const auto id :
             {FieldId::Loss, FieldId::BestLoss, FieldId::Validation, FieldId::BestValidation, FieldId::Rate}) {
            const auto& fields = comparedFigures();
            const auto line = static_cast<int>(std::find(fields.begin(), fields.end(), id) - fields.begin());
            QCOMPARE(model.rowCount(), static_cast<int>(fields.size()));
            for (int run = 0; run < rows.size(); ++run) {
                const auto has = [&](const auto& column) { return column.first == id; };
                const auto all = columns(expected[static_cast<std::size_t>(run)]);
                const double value = std::find_if(all.begin(), all.end(), has)->second;
                const QString text = model.index(line, run + 1).data().toString();
                QVERIFY2(text.startsWith(figureText(id, value)), qPrintable(text));
            }
        }
    }

    /// Two ranks waited for rank 1 when the user stopped the run.
    void waitsThatTheEndCutOff() {
        test::SyntheticRun run(3, launch::RunState::Running);
        run.addSteps(20, [](int, std::int64_t) { return test::RankStep{}; });
        run.addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 40'000'000'000, diagnosis::CloseReason::StoppedByUser);
        run.finishStore();
        run.setState(launch::RunState::Stopped);
        auto reader = store::RunReader::open(run.paths().store());
        QVERIFY(reader);
        const auto figures = readFigures(*reader);
        QVERIFY(figures);
        QCOMPARE(figures->waitedNs, std::int64_t{80'000'000'000});
        RunSession session(run.paths());
        QTRY_VERIFY_WITH_TIMEOUT(session.view().storeVersion > 0, 10'000);
        const QJsonArray ranks = shown(run.paths())["ranks"].toArray();
        QCOMPARE(ranks.size(), 3);
        QCOMPARE(session.view().summaries.size(), std::size_t{3});
        for (const store::RankSummary& rank : session.view().summaries) {
            QCOMPARE(rank.waitedNs, rank.rank == 1 ? 0 : std::int64_t{40'000'000'000});
            QCOMPARE(rank.heldNs, rank.rank == 1 ? std::int64_t{80'000'000'000} : 0);
            const QJsonObject told = ranks[rank.rank].toObject();
            QCOMPARE(told["waited_s"].toDouble(), static_cast<double>(rank.waitedNs) * 1e-9);
            QCOMPARE(told["held_s"].toDouble(), static_cast<double>(rank.heldNs) * 1e-9);
        }
    }

    /// Checks the stores of all classes that make runs for tests of the window.
    void noWaitIsLongerThanItsStep() {
        QTemporaryDir dir;
        for (int number = 0; number < 3; ++number)
            test::checkWaitsWithinSteps(test::makeFolder(dir.path().toStdString(), described(number)).store());
        test::SyntheticRun late(3, launch::RunState::Finished);
        late.addSteps(
            60, [](int rank, std::int64_t step) { return test::RankStep{.lateNs = rank * 7'000'000 * (step % 5)}; });
        test::checkWaitsWithinSteps(late.paths().store());
        test::SyntheticRun timeline(2, launch::RunState::Finished);
        timeline.addSteps(80, test::timelineStep);
        test::checkWaitsWithinSteps(timeline.paths().store());
        test::SyntheticRun overlapping(2, launch::RunState::Finished);
        overlapping.addSteps(20, [](int rank, std::int64_t number) {
            test::RankStep step;
            step.lateNs = rank == 0 ? 70'000'000 : 0;
            for (std::uint32_t group = 1; group < 4; ++group) { // all wait for rank 0, in addition to the gradients
                telemetry::CollectiveRecord norm;
                norm.group = group;
                norm.sequence = static_cast<std::uint64_t>(number);
                norm.op = telemetry::CollectiveOp::AllGather;
                norm.arrivedNs = 50'000'000 + step.lateNs + 1'000'000;
                norm.doneNs = 125'000'000;
                telemetry::putText(norm.tag, sizeof norm.tag, "sync_batchnorm:layers.0");
                step.collectives.push_back(norm);
            }
            return step;
        });
        test::checkWaitsWithinSteps(overlapping.paths().store());
        auto reader = store::RunReader::open(overlapping.paths().store());
        QVERIFY(reader);
        QCOMPARE((*reader->ranks())[1].waitedNs, std::int64_t{20 * 71'000'000});
        QCOMPARE((*reader->ranks())[0].heldNs, std::int64_t{20 * 71'000'000});
    }

private:
    static std::vector<std::pair<FieldId, double>> columns(const Figures& f) {
        return {{FieldId::Loss, f.loss},
                {FieldId::BestLoss, f.bestLoss},
                {FieldId::Validation, f.validation},
                {FieldId::BestValidation, f.bestValidation},
                {FieldId::Rate, f.stepsPerSecond}};
    }
};

RANKSCOPE_GUI_TEST(SameFigures)
#include "tst_same_figures.moc"
