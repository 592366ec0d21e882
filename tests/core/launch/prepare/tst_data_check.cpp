// SPDX-License-Identifier: Apache-2.0
// What a launch checks about the data before it starts a rank.
#include "core/launch/prepare/data_check.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;

class TestDataCheck : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    std::string manifest(const char* name, int rows, const QByteArray& end = {}) const {
        QFile audio(m_dir.filePath("x.wav")); // checked for existence, never opened
        if (!audio.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        QFile file(m_dir.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        for (int i = 0; i < rows; ++i)
            file.write("{\"audio_filepath\": \"x.wav\", \"duration\": " + QByteArray::number(1 + i % 7) + "}\n");
        file.write(end);
        return file.fileName().toStdString();
    }
    /// Two ranks with 8 training batches of 2 each, and 4 validation batches.
    config::Recipe recipe() const {
        config::Recipe r;
        r.train.manifests = {manifest("train.json", 32)};
        r.train.batchSize = 2;
        r.validation.emplace();
        r.validation->manifests = {manifest("val.json", 8)};
        return r;
    }
    static QString problem(const config::Recipe& recipe) {
        const auto checked = launch::checkData(recipe, 2);
        return checked ? QString() : QString::fromStdString(checked.error().message());
    }

private Q_SLOTS:
    void intervalsAgainstTheEpoch() {
        auto r = recipe();
        QCOMPARE(problem(r), QString());
        r.trainer.valEveryBatches = 8;
        QCOMPARE(problem(r), QString());
        r.trainer.valEveryBatches = 9;
        QVERIFY2(
            problem(r).startsWith("trainer.val_check_interval: the interval is 9 batches, but an epoch has only 8"),
            qPrintable(problem(r)));
        r.trainer.valEveryNEpochs = 0; // across epochs
        QCOMPARE(problem(r), QString());
        r.trainer.valEveryNEpochs = 1;
        r.trainer.limitVal.count = 0;
        QCOMPARE(problem(r), QString());
        r.validation.reset();
        QCOMPARE(problem(r), QString());
    }

    void limitsAgainstTheEpoch() {
        auto r = recipe();
        r.trainer.limitTrain.share = 0.5; // share of 8: 4 batches
        r.trainer.valEveryBatches = 5;
        QVERIFY2(problem(r).contains("the interval is 5 batches, but an epoch has only 4"), qPrintable(problem(r)));
        r.trainer.valEveryBatches = 4;
        QCOMPARE(problem(r), QString());
        r.trainer.limitTrain.share = 0.1;
        QVERIFY2(problem(r).startsWith("trainer.limit_train_batches: 0.1 of 8 batches is less than one"),
                 qPrintable(problem(r)));
        r = recipe();
        r.trainer.limitTrain.count = 0;
        QVERIFY(problem(r).startsWith("trainer.limit_train_batches: leaves none of the "));
        r = recipe();
        r.trainer.limitVal.share = 0.001;
        QVERIFY2(problem(r).startsWith("trainer.limit_val_batches: 0.001 of 4 batches"), qPrintable(problem(r)));
    }

    void setsWithoutABatch() {
        auto r = recipe();
        r.train.dropLast = true;
        r.train.batchSize = 17;
        QVERIFY2(problem(r).startsWith("model.train_ds.drop_last: leaves no batch"), qPrintable(problem(r)));
        r = recipe();
        r.validation->minDuration = 50;
        QVERIFY2(problem(r).contains("model.validation_ds.manifest_filepath") && problem(r).contains("min_duration 50"),
                 qPrintable(problem(r)));
        r = recipe();
        r.train.buckets = {{manifest("a.json", 12)}, {manifest("b.json", 20)}};
        r.train.manifests = {r.train.buckets[0][0], r.train.buckets[1][0]};
        r.train.bucketing.batchSizes = {3, 4}; // 2 + 3 batches per rank
        r.trainer.valEveryBatches = 5;
        QCOMPARE(problem(r), QString());
        r.trainer.valEveryBatches = 6;
        QVERIFY2(problem(r).contains("the interval is 6 batches, but an epoch has only 5"), qPrintable(problem(r)));
    }

    /// Each set is checked by itself: the second has too few batches.
    void everyValidationSet() {
        auto r = recipe();
        r.validation->manifests.push_back(manifest("val_b.json", 2));
        r.validation->buckets = {r.validation->manifests};
        r.validation->setNames = {"val_", "val_b_"};
        QCOMPARE(problem(r), QString());
        r.trainer.limitVal.share = 0.5;
        QVERIFY2(problem(r).contains("0.5 of 1 batches is less than one"), qPrintable(problem(r)));
    }

    /// Only part of a manifest is read, unless the answer depends on the whole file.
    void readsNoFurtherThanItHasTo() {
        constexpr int kChecked = 200'000;
        auto r = recipe();
        r.train.manifests = {manifest("long.json", kChecked, "no json\n")};
        QCOMPARE(problem(r), QString());
        r.trainer.valEveryBatches = kChecked / 4; // as many as the valid lines make: the next ones decide
        QVERIFY2(problem(r).contains(QString("long.json:%1").arg(kChecked + 1)), qPrintable(problem(r)));
    }

    void tarFilesAreLeftToTheRank() {
        auto r = recipe();
        r.train.tarred.enabled = true;
        r.train.tarred.shards = {{manifest("a.tar", 1)}};
        r.trainer.valEveryBatches = 1000;
        QCOMPARE(problem(r), QString());
        r.train.tarred.shards = {{"/no/such.tar"}};
        QVERIFY(problem(r).startsWith("model.train_ds.tarred_audio_filepaths: /no/such.tar"));
    }
};

RANKSCOPE_CORE_TEST(TestDataCheck)
#include "tst_data_check.moc"
