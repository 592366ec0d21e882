// SPDX-License-Identifier: Apache-2.0
// Buckets, shards and channels: which values the YAML may have for them.
#include "core/config/effective/read_recipe.h"
#include "core/config/hydra/brace_expansion.h"
#include "core/config/recipe/recipe.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

using Names = std::vector<std::string>;

class TestDatasets : public QObject {
    Q_OBJECT

    static Effective with(const std::vector<std::string>& overrides) {
        return evaluate(goodRecipe(), "r.yaml", overrides);
    }
    static Recipe recipe(const std::vector<std::string>& overrides) {
        const Effective e = with(overrides);
        if (auto error = launchError(e, "r.yaml"))
            qFatal("%s", error->message().c_str());
        auto read = readRecipe(e.text, "r.yaml");
        if (!read)
            qFatal("%s", read.error().message().c_str());
        return *read;
    }

private Q_SLOTS:
    void braces_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QStringList>("names");
        const auto row = [](const char* pattern, const QStringList& names) {
            QTest::newRow(pattern) << pattern << names;
        };
        row("a.tar", {"a.tar"});
        row("a_{0..2}.tar", {"a_0.tar", "a_1.tar", "a_2.tar"});
        row("a__OP_0..2_CL_.tar", {"a_0.tar", "a_1.tar", "a_2.tar"});
        row("a_(8..10).tar", {"a_8.tar", "a_9.tar", "a_10.tar"});
        row("a_[0..1]<0..1>", {"a_00", "a_01", "a_10", "a_11"});
        row("{08..10}", {"08", "09", "10"});
        row("{3..1}", {"3", "2", "1"});
        row("{0..10..5}", {"0", "5", "10"});
        row("{-1..1}", {"-1", "0", "1"});
        row("{a..c}", {"a", "b", "c"});
        row("{x,y}.tar", {"x.tar", "y.tar"});
        row("{x,y{1..2}}.tar", {"x.tar", "y1.tar", "y2.tar"});
        row("{one}.tar", {"{one}.tar"}); // neither a range nor a list
        row("corpus (v2)/a_{0..1}.tar", {"corpus (v2)/a_0.tar", "corpus (v2)/a_1.tar"});
        row("less < than {0..1}", {"less < than 0", "less < than 1"});
        row("", {""});
    }
    void braces() {
        QFETCH(QString, pattern);
        QFETCH(QStringList, names);
        const auto expanded = expandBraces(pattern.toStdString());
        QVERIFY2(expanded, expanded ? "" : expanded.error().message().c_str());
        QStringList got;
        for (const std::string& name : *expanded)
            got << QString::fromStdString(name);
        QCOMPARE(got, names);
    }

    void bracesThatAreRefused() {
        const auto says = [](const std::string& pattern, const char* text) {
            const auto names = expandBraces(pattern);
            return !names && names.error().what.english().find(text) != std::string::npos;
        };
        QVERIFY(says("a_{0..2.tar", "that is never closed"));
        QVERIFY(says("a__OP_0..2.tar", "that is never closed"));
        QVERIFY(says("{0..1000001}", "too many files"));
        QVERIFY(says("{0..999}{0..999}{0..999}", "too many files"));
        std::string nested;
        for (int i = 0; i < 40; ++i)
            nested += "{a,";
        QVERIFY(says(nested + "b" + std::string(40, '}'), "too deeply"));
        QVERIFY(says(std::string(5000, 'a'), "longer than 4096"));
        QVERIFY(expandBraces("{0..999999}"));
    }

    void buckets() {
        Recipe r = recipe({"model.train_ds.manifest_filepath=[[a.json,b.json],[c.json]]"});
        QVERIFY((r.train.buckets == PathLists{{"a.json", "b.json"}, {"c.json"}}));
        QVERIFY((r.train.manifests == Names{"a.json", "b.json", "c.json"}));
        COMPARE_TEXT(r.train.bucketing.strategy, "synced_randomized");
        QCOMPARE(r.train.bucketing.scaledBatchSize, 0);
        QVERIFY(r.train.bucketing.batchSizes.empty());
        QCOMPARE(recipe({"model.train_ds.manifest_filepath='a.json,b.json'"}).train.buckets.size(), std::size_t{1});
        QCOMPARE(recipe({"model.train_ds.manifest_filepath=[a.json,b.json]"}).train.buckets.size(), std::size_t{1});

        const std::string three = "model.train_ds.manifest_filepath=[[a.json],[b.json],[c.json]]";
        r = recipe({three, "model.train_ds.bucketing_strategy=fully_randomized",
                    "model.train_ds.bucketing_batch_size=4", "model.train_ds.batch_size=1",
                    "+model.train_ds.bucketing_weights=[1,2,3]"});
        COMPARE_TEXT(r.train.bucketing.strategy, "fully_randomized");
        QCOMPARE(r.train.bucketing.scaledBatchSize, 4);
        QVERIFY((r.train.bucketing.weights == std::vector<int>{1, 2, 3}));
        r = recipe({three, "model.train_ds.bucketing_batch_size=[9,6,3]", "model.train_ds.batch_size=1"});
        QVERIFY((r.train.bucketing.batchSizes == std::vector<int>{9, 6, 3}));
        QCOMPARE(r.train.bucketing.scaledBatchSize, 0);
    }

    void shards() {
        const Recipe r = recipe({"model.train_ds.is_tarred=true",
                                 "model.train_ds.manifest_filepath=[[m__OP_0..1_CL_.json],[long.json]]",
                                 "model.train_ds.tarred_audio_filepaths=[['a_{0..2}.tar'],['b_{x,y}.tar',c.tar]]",
                                 "+model.train_ds.tarred_shard_strategy=replicate", "model.train_ds.shuffle_n=77"});
        QVERIFY(r.train.tarred.enabled);
        QVERIFY(
            (r.train.tarred.shards == PathLists{{"a_0.tar", "a_1.tar", "a_2.tar"}, {"b_x.tar", "b_y.tar", "c.tar"}}));
        QVERIFY((r.train.buckets == PathLists{{"m_0.json", "m_1.json"}, {"long.json"}}));
        COMPARE_TEXT(r.train.tarred.strategy, "replicate");
        QCOMPARE(r.train.tarred.shuffleN, 77);
        const Recipe plain = recipe({});
        QVERIFY(!plain.train.tarred.enabled && plain.train.tarred.shards.empty());
        COMPARE_TEXT(plain.train.tarred.strategy, "scatter");
    }

    /// NeMo gives a dataset without a sample rate the model's.
    void sampleRateOfTheModel() {
        const std::string validation = "model.validation_ds.manifest_filepath=v.json";
        for (const char* without : {"~model.train_ds.sample_rate", "model.train_ds.sample_rate=null"}) {
            const Effective e = with({"model.sample_rate=8000", without});
            QVERIFY2(e.ok(), e.problems[0].text.english().c_str());
            const Recipe r =
                recipe({"model.sample_rate=8000", without, validation, "~model.validation_ds.sample_rate"});
            QCOMPARE(r.train.sampleRate, 8000);
            QCOMPARE(r.validation->sampleRate, 8000);
        }
        const Recipe r =
            recipe({"model.sample_rate=8000", "model.train_ds.sample_rate=11025",
                    "model.preprocessor.sample_rate=11025", validation, "model.validation_ds.sample_rate=11025"});
        QCOMPARE(r.train.sampleRate, 11025);
        const Effective e = with({"~model.train_ds.sample_rate"});
        QVERIFY(e.text.find("sample_rate: 16000  # NeMo code") != std::string::npos);
        COMPARE_TEXT(e.find("model.train_ds.sample_rate")->effective.value(), "16000");
        QVERIFY(!with({"~model.train_ds.sample_rate", "~model.sample_rate"}).ok());
    }

    void homeFolders() {
        const QByteArray home = qgetenv("HOME");
        qputenv("HOME", "/home/me");
        const Recipe r = recipe({"model.train_ds.manifest_filepath='~/a.json,b/~.json'"});
        qputenv("HOME", home);
        QVERIFY((r.train.manifests == Names{"/home/me/a.json", "b/~.json"}));
    }

    /// An augmentor of another class is reported with its key and line.
    void anotherAugmentor() {
        const Effective e =
            evaluate(replaced(goodRecipe(), "MultiSpeakerNoiseAugmentation", "SpeakerNoiseAugmentation"), "r.yaml");
        const auto error = launchError(e, "r.yaml");
        QVERIFY(error);
        QVERIFY2(
            error->what.english().starts_with("model.train_ds.batch_augmentor._target_ is nemo.") &&
                error->what.english().ends_with("SpeakerNoiseAugmentation: not supported by the trainer yet; it takes "
                                                "MultiSpeakerNoiseAugmentation"),
            error->what.english().c_str());
        const std::string text = goodRecipe();
        const auto line =
            std::count(text.begin(),
                       text.begin() + static_cast<std::ptrdiff_t>(text.find("MultiSpeakerNoiseAugmentation")), '\n') +
            1;
        QVERIFY2(error->where.starts_with("r.yaml:" + std::to_string(line) + ":"), error->where.c_str());
        const auto front = launchError(with({"model.preprocessor._target_=nemo.x.AudioToMFCCPreprocessor"}), "r.yaml");
        QVERIFY(front);
        QVERIFY2(
            front->what.english().starts_with("model.preprocessor._target_ is nemo.x.AudioToMFCCPreprocessor: not"),
            front->what.english().c_str());
        const auto other = launchError(with({"~model.quantizer", "~model.masking"}), "r.yaml");
        QVERIFY2(other && other->what.english().starts_with("model is not a NEST recipe"),
                 other ? other->what.english().c_str() : "");
    }

    void channelsAndBrokenShare() {
        QCOMPARE(recipe({}).train.channel, -1);
        QCOMPARE(recipe({"+model.train_ds.channel_selector=average"}).train.channel, -1);
        QCOMPARE(recipe({"+model.train_ds.channel_selector=1"}).train.channel, 1);
        QCOMPARE(recipe({"+model.train_ds.channel_selector=[2]"}).train.channel, 2);
        const auto several = launchError(with({"+model.train_ds.channel_selector=[0,1]"}), "r.yaml");
        QVERIFY2(several && several->what.english().find("choose one") != std::string::npos,
                 several ? several->what.english().c_str() : "");
        QVERIFY(launchError(with({"+model.train_ds.channel_selector=[-1]"}), "r.yaml"));
        QVERIFY(launchError(with({"+model.train_ds.channel_selector=left"}), "r.yaml"));
        QVERIFY(launchError(with({"+model.train_ds.channel_selector=-1"}), "r.yaml"));
        QCOMPARE(recipe({}).train.maxBrokenShare, 0.5);
        const Recipe r = recipe({"+rankscope.max_broken_share=0.01", "model.validation_ds.manifest_filepath=v.json"});
        QCOMPARE(r.train.maxBrokenShare, 0.01);
        QCOMPARE(r.validation->maxBrokenShare, 0.01);
        QVERIFY(!with({"+rankscope.max_broken_share=1.5"}).ok());
    }

    void whatDoesNotFit_data() {
        QTest::addColumn<QStringList>("overrides");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("says");
        const QString two = "model.train_ds.manifest_filepath=[[a],[b]]", tarred = "model.train_ds.is_tarred=true";
        const auto row = [](const char* name, const QStringList& overrides, const char* key, const char* says) {
            QTest::newRow(name) << overrides << QString("model.train_ds.") + key << says;
        };
        row("batch_size with adaptive sizes", {two, "model.train_ds.bucketing_batch_size=4"}, "bucketing_batch_size",
            "batch_size must be 1, but it is 8");
        row("sizes", {two, "model.train_ds.bucketing_batch_size=[4]", "model.train_ds.batch_size=1"},
            "bucketing_batch_size", "has 1 items, but manifest_filepath has 2 buckets");
        row("size 0", {two, "model.train_ds.bucketing_batch_size=0", "model.train_ds.batch_size=1"},
            "bucketing_batch_size", "is 0");
        row("weights", {two, "+model.train_ds.bucketing_weights=[1,2,3]"}, "bucketing_weights", "has 3 items");
        row("weight 0", {two, "+model.train_ds.bucketing_weights=[1,0]"}, "bucketing_weights", "1 or more");
        row("mixed", {"model.train_ds.manifest_filepath=[[a],b]"}, "manifest_filepath", "mixes paths and lists");
        row("no shards", {tarred}, "tarred_audio_filepaths", "is empty");
        row("other buckets", {two, tarred, "model.train_ds.tarred_audio_filepaths=a.tar"}, "tarred_audio_filepaths",
            "has 1 buckets, but manifest_filepath has 2");
        row("open brace", {tarred, "model.train_ds.tarred_audio_filepaths='a_{0..2.tar'"}, "tarred_audio_filepaths",
            "that is never closed");
    }
    void whatDoesNotFit() {
        QFETCH(QStringList, overrides);
        QFETCH(QString, key);
        QFETCH(QString, says);
        std::vector<std::string> list;
        for (const QString& text : overrides)
            list.push_back(text.toStdString());
        const Effective e = with(list);
        QVERIFY(!e.ok());
        const Problem* problem = problemOf(e, key.toStdString());
        QVERIFY2(problem, e.problems[0].text.english().c_str());
        QVERIFY(problem->severity == Problem::Severity::Error);
        QVERIFY2(QString::fromStdString(problem->text.english()).contains(says), problem->text.english().c_str());
    }

    void tellsWhatHasNoEffect() {
        const Effective e = with({"model.train_ds.bucketing_batch_size=4"});
        QVERIFY(e.ok());
        const Problem* problem = problemOf(e, "model.train_ds.bucketing_batch_size");
        QVERIFY(problem && problem->severity == Problem::Severity::Info && !problem->blocksLaunch);
        const Effective own = with({"model.train_ds.is_tarred=true", "model.train_ds.tarred_audio_filepaths=a.tar",
                                    "+trainer.use_distributed_sampler=false"});
        QVERIFY(own.ok());
        const auto error = launchError(own, "r.yaml");
        QVERIFY(error && error->what.english().find("use_distributed_sampler") != std::string::npos);

        const Effective foreign =
            with({"+model.train_ds.labels=[a,b]", "+model.train_ds.max_utts=7", "+model.train_ds.timeout=3.0",
                  "+model.train_ds.persistent_workers=false", "+model.train_ds.tarred_shard_strategy=replicate"});
        QVERIFY(foreign.ok() && !launchError(foreign, "r.yaml"));
        for (const char* name : {"labels", "max_utts", "timeout", "tarred_shard_strategy"}) {
            const Problem* told = problemOf(foreign, std::string("model.train_ds.") + name);
            QVERIFY2(told && told->severity == Problem::Severity::Info, name);
        }
        QVERIFY(!problemOf(foreign, "model.train_ds.persistent_workers"));
    }

    /// Each of these would change the contents of a batch, so it must never be skipped silently.
    void whatIsNotSupported() {
        for (const char* override :
             {"model.train_ds.trim_silence=true", "model.train_ds.is_concat=true", "+model.train_ds.int_values=true",
              "+model.train_ds.use_lhotse=true", "+model.train_ds.use_dali=true",
              "+model.train_ds.shard_manifests=true", "+model.train_ds.augmentor={white_noise: {prob: 1.0}}"}) {
            const Effective e = with({override});
            const auto error = launchError(e, "r.yaml");
            QVERIFY2(error, override);
            const std::string key = QString(override).remove('+').section('=', 0, 0).section('.', 2).toStdString();
            QVERIFY2(error->message().find(key) != std::string::npos, error->message().c_str());
        }
    }
};

RANKSCOPE_CORE_TEST(TestDatasets)
#include "tst_dataset_check.moc"
