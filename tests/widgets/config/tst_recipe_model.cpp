// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/problem_model.h"
#include "widgets/config/recipe_filter.h"
#include "widgets/config/recipe_model.h"
#include "widgets/config/value_delegate.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

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
        QVERIFY(!key.siblingAtColumn(RecipeModel::NemoYaml).data().isValid()); // it is in no YAML of NeMo's
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
            auto fresh = std::make_shared<config::Effective>();
            for (int i = random.bounded(14); i > 0; --i) {
                static const char* keys[] = {"a", "b", "a.x", "a.y", "b.x.p", "b.x.q", "b.y", "c.z", "c.z.w", "d"};
                config::KeyRow row;
                row.key = keys[random.bounded(10)]; // doubles and a key that is a section too are possible
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
        QVERIFY(!model.setData(yours, QStringLiteral("2"), Qt::EditRole)); // nothing new
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
        config::Problem a, b;
        a.text = "unknown key";
        a.at.line = 7;
        b.text = "no effect";
        b.severity = config::Problem::Severity::Warning;
        model.setProblems({a, b});
        QCOMPARE(model.errorCount(), 1);
        QVERIFY(model.index(0).data().toString().contains(QLatin1Char('7')));
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setProblems({b});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.errorCount(), 0);
        QCOMPARE(reset.count(), 0);
    }

private:
    static Evaluation of(const std::string& yaml) {
        return std::make_shared<const config::Effective>(config::evaluate(yaml, "test.yaml"));
    }
    static int leaves(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
        int n = 0;
        for (int i = 0; i < model.rowCount(parent); ++i) {
            const QModelIndex child = model.index(i, 0, parent);
            n += child.data(RecipeModel::LeafRole).toBool() ? 1 : leaves(model, child);
        }
        return n;
    }
};

QTEST_MAIN(Recipe)
#include "tst_recipe_model.moc"
