// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/model/recipe_filter.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/tree/value_delegate.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QMimeData>
#include <QRandomGenerator>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace rankscope::ui;
namespace config = rankscope::config;

class Recipe : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void fourValuesSideBySide() {
        RecipeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEvaluation(of("model:\n  encoder:\n    sync_max_audio_length: false # off\n"));
        const QModelIndex key = model.indexOf(QStringLiteral("model.encoder.sync_max_audio_length"));
        QVERIFY(key.isValid());
        QCOMPARE(key.siblingAtColumn(RecipeModel::Yours).data().toString(), QStringLiteral("false"));
        QVERIFY(!key.siblingAtColumn(RecipeModel::NemoYaml).data().isValid()); // none of NeMo's YAML files has it
        QCOMPARE(key.siblingAtColumn(RecipeModel::NemoCode).data().toString(), QStringLiteral("true"));
        QCOMPARE(key.siblingAtColumn(RecipeModel::Effective).data().toString(), QStringLiteral("false"));
        QCOMPARE(key.data(RecipeModel::LineRole).toInt(), 3);
        QVERIFY(key.data(RecipeModel::DiffersRole).toBool());
        QVERIFY(key.data(RecipeModel::RanksRole).toBool());
        QVERIFY(key.parent().data(RecipeModel::DiffersRole).toBool());
        QVERIFY(key.siblingAtColumn(RecipeModel::Yours).flags() & Qt::ItemIsEditable);
        QVERIFY(!(key.siblingAtColumn(RecipeModel::Effective).flags() & Qt::ItemIsEditable));
        QVERIFY(!(key.parent().siblingAtColumn(RecipeModel::Yours).flags() & Qt::ItemIsEditable));
    }

    /// Blue means what is selected or has the focus, so a value that differs has no colour.
    void whatDiffersIsBoldAndNotBlue() {
        RecipeModel model;
        model.setEvaluation(of("trainer:\n  devices: 2\nmodel:\n  encoder:\n    sync_max_audio_length: false\n"));
        const QModelIndex differs =
            model.indexOf(QStringLiteral("model.encoder.sync_max_audio_length"), RecipeModel::Effective);
        QVERIFY(isBold(differs) && !differs.data(Qt::ForegroundRole).isValid());
        const QModelIndex same = model.indexOf(QStringLiteral("model.encoder.global_tokens"), RecipeModel::Effective);
        QVERIFY(same.isValid() && !isBold(same));
    }

    void theOriginSaysWhoseCode() {
        RecipeModel model;
        model.setEvaluation(of("model:\n  encoder:\n    sync_max_audio_length: false\ntrainer:\n  devices: 2\n"));
        const auto origin = [&](const char* key) {
            return model.indexOf(QLatin1String(key)).siblingAtColumn(RecipeModel::Origin).data().toString();
        };
        QCOMPARE(origin("trainer.devices"), QStringLiteral("your file"));
        QCOMPARE(origin("model.encoder.global_tokens"), QStringLiteral("NeMo code"));
        QCOMPARE(origin("trainer.limit_train_batches"), QStringLiteral("Lightning code"));
        QCOMPARE(origin("rankscope.join_seconds"), QStringLiteral("Rankscope"));
    }

    void newEvaluationIsARangedChange() {
        RecipeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEvaluation(of("trainer:\n  devices: 2\n  max_steps: 10\n"));
        const QPersistentModelIndex devices = model.indexOf(QStringLiteral("trainer.devices"));
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset), changed(&model, &QAbstractItemModel::dataChanged),
            inserted(&model, &QAbstractItemModel::rowsInserted);
        model.setEvaluation(of("trainer:\n  devices: 4\n  max_steps: 10\n"));
        QCOMPARE(reset.count() + inserted.count(), 0);
        QVERIFY(devices.isValid());
        QCOMPARE(devices.sibling(devices.row(), RecipeModel::Yours).data().toString(), QStringLiteral("4"));
        bool seen = false;
        for (const auto& signal : changed)
            seen = seen || signal.at(0).toModelIndex().data(RecipeModel::KeyRole) == QStringLiteral("trainer.devices");
        QVERIFY(seen);
    }

    void randomEvaluationsKeepTheModelConsistent() {
        RecipeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QRandomGenerator random(11);
        for (int turn = 0; turn < 60; ++turn) {
            auto fresh = std::make_shared<Evaluated>();
            for (int i = random.bounded(14); i > 0; --i) {
                static const char* keys[] = {"a", "b", "a.x", "a.y", "b.x.p", "b.x.q", "b.y", "c.z", "c.z.w", "d"};
                config::KeyRow row;
                row.key = keys[random.bounded(10)]; // includes duplicates, and keys that are sections too
                row.effective = std::to_string(random.bounded(3));
                fresh->rows.push_back(row);
            }
            model.setEvaluation(fresh);
            for (const auto& row : fresh->rows)
                QVERIFY(model.indexOf(QString::fromStdString(row.key)).isValid());
        }
        model.setEvaluation(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void editIsHandedOn() {
        RecipeModel model;
        model.setEvaluation(of("trainer:\n  devices: 2\n"));
        QSignalSpy edits(&model, &RecipeModel::editRequested);
        const QModelIndex yours = model.indexOf(QStringLiteral("trainer.devices"), RecipeModel::Yours);
        QVERIFY(!model.setData(yours, QStringLiteral("2"), Qt::EditRole)); // unchanged
        QVERIFY(!model.setData(yours, QStringLiteral("  "), Qt::EditRole));
        QVERIFY(model.setData(yours, QStringLiteral("4"), Qt::EditRole));
        QCOMPARE(edits.count(), 1);
        QCOMPARE(edits.front(), QVariantList({QStringLiteral("trainer.devices"), QStringLiteral("4")}));
    }

    void editorByType() {
        RecipeModel model;
        model.setEvaluation(of("trainer:\n  sync_batchnorm: true\n  max_steps: 10\n"));
        ValueDelegate delegate;
        QWidget parent;
        const QModelIndex flag = model.indexOf(QStringLiteral("trainer.sync_batchnorm"), RecipeModel::Yours);
        std::unique_ptr<QWidget> editor(delegate.createEditor(&parent, {}, flag));
        auto* combo = qobject_cast<QComboBox*>(editor.get());
        QVERIFY(combo);
        delegate.setEditorData(combo, flag);
        QCOMPARE(combo->currentText(), QStringLiteral("true"));
        QVERIFY(combo->findText(QStringLiteral("false")) >= 0);
        const QModelIndex steps = model.indexOf(QStringLiteral("trainer.max_steps"), RecipeModel::Yours);
        editor.reset(delegate.createEditor(&parent, {}, steps));
        auto* line = qobject_cast<QLineEdit*>(editor.get());
        QVERIFY(line);
        delegate.setEditorData(line, steps);
        QCOMPARE(line->text(), QStringLiteral("10"));
    }

    void comparedRecipesAreColumnsOfTheirOwn() {
        RecipeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEvaluation(of("trainer:\n  devices: 2\n  max_steps: 10\n"));
        const auto other = [](const char* title, const std::string& yaml) {
            Comparison one;
            one.title = QLatin1String(title);
            one.path = QLatin1String(title);
            one.evaluation = of(yaml);
            for (const auto& row : one.evaluation->rows)
                one.rows.emplace(row.key, &row);
            return one;
        };
        model.setComparisons({other("a", "trainer:\n  devices: 2\n  max_steps: 20\n"),
                              other("b", "trainer:\n  devices: 0x2\n  max_steps: 10\n  min_steps: 3\n")});
        QCOMPARE(model.headerData(RecipeModel::OtherB, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("b"));
        const auto cell = [&](const char* key, int column) { return model.indexOf(QLatin1String(key), column); };
        QCOMPARE(cell("trainer.max_steps", RecipeModel::OtherA).data().toString(), QStringLiteral("20"));
        QVERIFY(cell("trainer.max_steps", 0).data(RecipeModel::DiffersRole).toBool());
        QVERIFY(!cell("trainer.devices", 0).data(RecipeModel::DiffersRole).toBool()); // 2 and 0x2 are the same value
        QCOMPARE(cell("trainer.min_steps", RecipeModel::OtherB).data().toString(), QStringLiteral("3"));
        QVERIFY(isBold(cell("trainer.max_steps", RecipeModel::OtherA)));
        QVERIFY(!isBold(cell("trainer.max_steps", RecipeModel::OtherB)));
        QVERIFY(isBold(cell("trainer.max_steps", RecipeModel::Effective)));
        QVERIFY(!isBold(cell("trainer.devices", RecipeModel::Effective)));
        RecipeFilter filter;
        filter.setSourceModel(&model);
        filter.setOnlyDifferent(true);
        QVERIFY(filter.mapFromSource(cell("trainer.max_steps", 0)).isValid());
        QVERIFY(!filter.mapFromSource(cell("trainer.devices", 0)).isValid());
        model.setComparisons({});
        QVERIFY(cell("trainer.max_steps", RecipeModel::OtherA).data().isNull());
    }

    void riskOfARowIsTheWorstAndSaysAll() {
        RecipeModel model;
        model.setEvaluation(of("trainer:\n  devices: 2\nmodel:\n  encoder:\n    n_layers: 2\n"));
        const auto& rule = config::riskRules();
        QVERIFY(rule.size() >= 20);
        config::Risk danger, info;
        for (const auto& one : rule)
            (one.severity == config::RiskSeverity::Danger ? danger : info).rule = &one;
        danger.key = info.key = "trainer.devices";
        danger.reason = "first";
        info.reason = "second";
        model.setRisks({danger, info});
        const QModelIndex devices = model.indexOf(QStringLiteral("trainer.devices"));
        QCOMPARE(devices.data(RecipeModel::WorstRole).toInt(), static_cast<int>(MarkSeverity::Danger));
        QVERIFY(devices.data(RecipeModel::TipRole).toString().contains(QStringLiteral("first\nsecond")));
    }

    void droppedKeysAskForAMove() {
        RecipeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEvaluation(of("trainer:\n  devices: 2\n  max_steps: 10\nrankscope:\n  seed: 1\n"));
        QSignalSpy moves(&model, &RecipeModel::moveRequested);
        const QModelIndex trainer = model.indexOf(QStringLiteral("trainer"));
        std::unique_ptr<QMimeData> data(model.mimeData({model.indexOf(QStringLiteral("trainer.max_steps"))}));
        QVERIFY(data);
        // a value cannot contain keys
        QVERIFY(!model.canDropMimeData(data.get(), Qt::MoveAction, -1, -1,
                                       model.indexOf(QStringLiteral("trainer.devices"))));
        model.dropMimeData(data.get(), Qt::MoveAction, 0, 0, trainer);
        QCOMPARE(moves.count(), 1);
        QCOMPARE(moves.front(), QVariantList({QStringLiteral("trainer.max_steps"), QStringLiteral("trainer"),
                                              QStringLiteral("trainer.devices")}));
        std::unique_ptr<QMimeData> section(model.mimeData({trainer}));
        QVERIFY(!model.canDropMimeData(section.get(), Qt::MoveAction, 0, 0, trainer)); // not into itself
    }

    void theRowOfALine() {
        RecipeModel model;
        model.setEvaluation(of("# head\nname: x\ntrainer:\n  # why\n  devices: 2\n"));
        QCOMPARE(model.indexAtLine(2).data(RecipeModel::KeyRole).toString(), QStringLiteral("name"));
        QCOMPARE(model.indexAtLine(5).data(RecipeModel::KeyRole).toString(), QStringLiteral("trainer.devices"));
        QVERIFY(!model.indexAtLine(1).isValid());
    }

    void filters() {
        RecipeModel model;
        RecipeFilter filter;
        QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        filter.setSourceModel(&model);
        model.setEvaluation(of("trainer:\n  sync_batchnorm: true\n  devices: 2\n"));
        const int all = leaves(filter);
        filter.setWords(QStringLiteral("sync batch"));
        QCOMPARE(leaves(filter), 1);
        filter.setWords({});
        QCOMPARE(leaves(filter), all);
        filter.setOnlyDifferent(true);
        QVERIFY(leaves(filter) > 0 && leaves(filter) < all);
        filter.setOnlyDifferent(false);
        filter.setOnlyRanks(true);
        QVERIFY(leaves(filter) > 0 && leaves(filter) < all);
    }

    void problemsAreRanged() {
        ProblemModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto unknown = of("trainer:\n  devices: 2\n  devicess: 1\n");
        model.show(unknown, {}, {});
        const int errors = model.count(MarkSeverity::Error);
        QVERIFY(
            std::any_of(model.rows().begin(), model.rows().end(), [](const ProblemRow& row) { return row.line == 3; }));
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        const int rows = model.rowCount();
        model.show(of("trainer:\n  devices: 2\n"), {}, {});
        QCOMPARE(model.rowCount(), rows - 1);
        QCOMPARE(model.count(MarkSeverity::Error), errors - 1);
        QCOMPARE(reset.count(), 0);
    }

    /// As `rankscopectl plan` prints them: reasons for a refusal first, then dangers and cautions with their fixes, the
    /// worst first.
    void risksAndObstaclesAreListedByTheirWeight() {
        ProblemModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto evaluation = of("trainer:\n  devices: 2\nmodel:\n  train_ds:\n    manifest_filepath: a.json\n    "
                                   "num_workers: 0\n");
        config::Risk caution{config::riskRule("prefetch-short"),
                             "model.train_ds.num_workers",
                             "read in the thread",
                             config::RiskRemedy{"model.train_ds.num_workers", "4"},
                             {}};
        config::Risk danger{config::riskRule("memory-short"),
                            "model.train_ds.batch_size",
                            "too much",
                            config::RiskRemedy{"model.train_ds.batch_size", "2"},
                            {{"trainer.accumulate_grad_batches", "4"}}};
        config::Risk missing{config::riskRule("path-missing"), "model.train_ds.manifest_filepath", "a.json", {}, {}};
        config::Risk note{config::riskRule("no-seed"), "rankscope.seed", "is null", {}, {}};
        model.show(
            evaluation, {danger, missing, caution, note},
            {{true, QStringLiteral("data"), QStringLiteral("model.train_ds.manifest_filepath"),
              "a.json does not exist"},
             {false, QStringLiteral("memory"), QStringLiteral("model.train_ds.batch_size"), "reported by its risk"}});
        std::vector<MarkSeverity> order;
        int ofRules = 0;
        for (const ProblemRow& row : model.rows()) {
            order.push_back(row.severity);
            ofRules +=
                row.text.contains(QLatin1String("reported by its risk")) || row.key == QLatin1String("rankscope.seed");
        }
        QVERIFY(std::is_sorted(order.rbegin(), order.rend()));
        QCOMPARE(ofRules, 0);
        const ProblemRow& first = model.rows().front();
        QCOMPARE(first.severity, MarkSeverity::Error);
        QCOMPARE(first.line, 5); // the key's line in the file
        QVERIFY(first.choosesManifest && first.text.contains(QLatin1String("a.json does not exist")));
        QCOMPARE(model.count(MarkSeverity::Error), 1); // the missing file is listed once
        QCOMPARE(model.count(MarkSeverity::Danger), 1);
        const QModelIndex memory = model.index(1);
        QCOMPARE(memory.data(ProblemModel::ActionRole).toString(),
                 QStringLiteral("Set batch_size: 2, accumulate_grad_batches: 4"));
        QCOMPARE(memory.data(ProblemModel::RemedyRole).value<KeySettings>().size(), 2);
        QVERIFY(memory.data(Qt::AccessibleTextRole).toString().startsWith(QStringLiteral("Danger: ")));
    }

    /// A closed section shows the worst mark of the keys in it.
    void aSectionHasTheWorstOfWhatIsInIt() {
        RecipeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEvaluation(of("trainer:\n  devices: 2\n  max_steps: 10\nmodel:\n  encoder:\n    n_layers: 2\n"));
        model.setRisks({});
        const QModelIndex trainer = model.indexOf(QStringLiteral("trainer"));
        const auto worst = [&] { return trainer.data(RecipeModel::WorstRole); };
        const int before = trainer.data(RecipeModel::ProblemsRole).toInt();
        config::Risk danger{config::riskRule("memory-short"), "trainer.devices", "x", {}, {}},
            caution{config::riskRule("prefetch-short"), "trainer.max_steps", "y", {}, {}};
        model.setRisks({caution});
        QCOMPARE(worst().toInt(), static_cast<int>(MarkSeverity::Caution));
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setRisks({danger, caution});
        QCOMPARE(worst().toInt(), static_cast<int>(MarkSeverity::Danger));
        QCOMPARE(trainer.data(RecipeModel::ProblemsRole).toInt(), before + 2);
        QVERIFY(std::any_of(changed.begin(), changed.end(),
                            [&](const QVariantList& one) { return one.front().toModelIndex() == trainer; }));
        model.setRisks({});
        QCOMPARE(trainer.data(RecipeModel::ProblemsRole).toInt(), before);
    }

    void anOpenManifestIsNoDifference() {
        RecipeModel model;
        RecipeFilter filter;
        filter.setSourceModel(&model);
        model.setEvaluation(of("trainer:\n  devices: 2\nmodel:\n  train_ds:\n    manifest_filepath: ???\n"));
        const QModelIndex manifest = model.indexOf(QStringLiteral("model.train_ds.manifest_filepath"));
        QVERIFY(!manifest.data(RecipeModel::ErrorRole).toString().isEmpty());
        filter.setOnlyDifferent(true);
        QVERIFY(!filter.mapFromSource(manifest).isValid());
        QVERIFY(filter.mapFromSource(model.indexOf(QStringLiteral("trainer.devices"))).isValid());
    }

    /// Each severity has its own shape and colour, which differ from those of ranks and states.
    void marksAreToldApart() {
        Theme::instance().apply(Theme::Mode::Light);
        QSet<QRgb> colours;
        QList<QImage> pictures;
        for (const MarkSeverity one :
             {MarkSeverity::Error, MarkSeverity::Danger, MarkSeverity::Caution, MarkSeverity::Note}) {
            colours << markColor(one).rgb();
            pictures << markPixmap(one).toImage();
            for (int rank = 0; rank < 8; ++rank)
                QVERIFY(markColor(one) != Theme::instance().rankPen(rank).color());
        }
        QCOMPARE(colours.size(), 4);
        for (int i = 0; i < pictures.size(); ++i)
            for (int j = 0; j < i; ++j)
                QVERIFY(pictures[i] != pictures[j]);
        QCOMPARE(severityOf(config::Problem::Severity::Warning), severityOf(config::RiskSeverity::Caution));
    }

private:
    static bool isBold(const QModelIndex& index) {
        const QVariant font = index.data(Qt::FontRole);
        return font.isValid() && font.value<QFont>().weight() == QFont::DemiBold;
    }
    static Evaluation of(const std::string& yaml) { return evaluated(yaml, "test.yaml"); }
    static int leaves(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
        int n = 0;
        for (int i = 0; i < model.rowCount(parent); ++i) {
            const QModelIndex child = model.index(i, 0, parent);
            n += child.data(RecipeModel::LeafRole).toBool() ? 1 : leaves(model, child);
        }
        return n;
    }
};

RANKSCOPE_GUI_TEST(Recipe)
#include "tst_recipe_model.moc"
