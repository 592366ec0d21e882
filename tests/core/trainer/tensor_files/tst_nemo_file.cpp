// SPDX-License-Identifier: Apache-2.0
// NeMo's model files: NeMo's own is read, ours is like it, and malicious files do no harm.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/trainer/formats/archives/nemo_steps.h"
#include "core/trainer/ssl/nest_model.h"
#include "core/trainer/tensor_files/nemo_file.h"
#include "core/trainer/tensor_files/safetensors.h"
#include "core/trainer/tensor_files/torch_checkpoint.h"
#include "tests/core/trainer/checkpoint/support.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <map>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::trainer::test;

namespace {

struct Member {
    std::string name, bytes;
    mode_t type = AE_IFREG;
    std::string link = {}; ///< AE_IFLNK: target of the link; AE_IFREG: target of a hard link
};

std::string tarOf(const std::vector<Member>& members, bool gzip = false) {
    std::string out(8u << 20, '\0');
    std::size_t used = 0;
    archive* tar = archive_write_new();
    archive_write_set_format_pax_restricted(tar);
    if (gzip)
        archive_write_add_filter_gzip(tar);
    archive_write_open_memory(tar, out.data(), out.size(), &used);
    for (const Member& m : members) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, m.name.c_str());
        archive_entry_set_filetype(entry, m.type);
        archive_entry_set_perm(entry, 0644);
        if (m.type == AE_IFLNK)
            archive_entry_set_symlink(entry, m.link.c_str());
        else if (!m.link.empty())
            archive_entry_set_hardlink(entry, m.link.c_str());
        archive_entry_set_size(entry, static_cast<la_int64_t>(m.bytes.size()));
        if (archive_write_header(tar, entry) != ARCHIVE_OK)
            throw std::runtime_error(archive_error_string(tar));
        archive_write_data(tar, m.bytes.data(), m.bytes.size());
        archive_entry_free(entry);
    }
    archive_write_close(tar);
    archive_write_free(tar);
    out.resize(used);
    return out;
}

/// Makes the header of the member that begins at `at` claim that it has `size` bytes.
void declare(std::string& tar, std::size_t at, const std::string& octalSize) {
    tar.replace(at + 124, 12, octalSize + std::string(12 - octalSize.size(), '\0'));
    tar.replace(at + 148, 8, 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i)
        sum += static_cast<unsigned char>(tar[at + i]);
    char text[8] = {};
    std::snprintf(text, sizeof text, "%06o", sum);
    tar.replace(at + 148, 7, text, 7);
}

std::string checkpoint() {
    std::string out;
    const auto sink = [&](const void* data, std::size_t n) { out.append(static_cast<const char*>(data), n); };
    if (auto ok = trainer::detail::streamTorchCheckpoint({{"a", torch::arange(4)}}, "memory", sink); !ok)
        throw std::runtime_error(ok.error().message());
    return out;
}

StateDict referenceState() {
    auto file = readSafetensors(referencePath("pre_conv.safetensors"));
    return file ? file->under("state.") : throw std::runtime_error(file.error().message());
}

} // namespace

class TestNemoFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nemosOwnFile();
    void ourFileIsLikeNemos();
    void aFullDiskLeavesTheOldFile();
    void gzipToo();
    void otherMembersArePassedOver();
    void traps_data();
    void traps();
    void truncationsAndFlips();
    void configOfARecipe();
    void configForEveryVersion();
    void configOfAModelSection();
    void whatIsNoRecipe();

private:
    std::string path(const char* name) const { return m_dir.filePath(name).toStdString(); }
    QTemporaryDir m_dir;
};

void TestNemoFile::nemosOwnFile() {
    const auto nemo = readNemo(referencePath("pre_conv.nemo"));
    QVERIFY2(nemo.has_value(), nemo ? "" : nemo.error().message().c_str());
    const auto expected = referenceState();
    QCOMPARE(nemo->weights.size(), expected.size());
    const std::map<std::string, torch::Tensor> byName(expected.begin(), expected.end());
    for (const auto& [name, tensor] : nemo->weights) {
        QVERIFY2(byName.count(name), name.c_str());
        QCOMPARE(tensor.scalar_type(), byName.at(name).scalar_type());
        QVERIFY2(torch::equal(tensor, byName.at(name)), name.c_str());
    }
    // names, order and types are those of our model
    NestModel model(referenceConfig("pre_conv"));
    model->loadStateDict(nemo->weights);
    QVERIFY(sameState(model->stateDict(), nemo->weights));
    // its configuration can be read
    const auto recipe = config::readRecipe(nemo->modelConfig, "model_config.yaml");
    QVERIFY2(recipe.has_value(), recipe ? "" : recipe.error().message().c_str());
    QCOMPARE(recipe->model.encoder.dModel, 32);
}

void TestNemoFile::ourFileIsLikeNemos() {
    const auto nemo = readNemo(referencePath("pre_conv.nemo"));
    QVERIFY(nemo.has_value());
    const auto written = writeNemo(path("ours.nemo"), *nemo);
    QVERIFY2(written.has_value(), written ? "" : written.error().message().c_str());
    const auto back = readNemo(path("ours.nemo"));
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    QVERIFY(sameState(back->weights, nemo->weights));
    QCOMPARE(back->modelConfig, nemo->modelConfig);
    QVERIFY(writeNemo(path("again.nemo"), *nemo).has_value());
    QVERIFY(bytesOf(path("again.nemo")) == bytesOf(path("ours.nemo")));
    // the steps of its weights are found again, and are no part of the configuration
    const auto stepsOf = [](const std::string& file) { return stepsOfNemo(openRegularFile(file)->fd.get()); };
    QVERIFY(!stepsOf(path("ours.nemo")) && !stepsOf(referencePath("pre_conv.nemo")));
    QVERIFY(writeNemo(path("steps.nemo"), {nemoStepsLine(400) + nemo->modelConfig, nemo->weights}).has_value());
    QVERIFY(stepsOf(path("steps.nemo")) == 400);
    const auto config = nemoModelConfig(readNemo(path("steps.nemo"))->modelConfig, "model_config.yaml");
    QVERIFY(config && *config == *nemoModelConfig(nemo->modelConfig, "model_config.yaml"));
    // a state that cannot be written leaves the old file unchanged
    QVERIFY(!writeNemo(path("ours.nemo"), {"x", {{"z", torch::zeros({1}, torch::kComplexFloat)}}}).has_value());
    QVERIFY(bytesOf(path("again.nemo")) == bytesOf(path("ours.nemo")));
}

void TestNemoFile::aFullDiskLeavesTheOldFile() {
    const QTemporaryDir dir;
    const std::string file = dir.filePath("x.nemo").toStdString(), old = "the old one";
    const auto nemo = readNemo(referencePath("pre_conv.nemo"));
    QVERIFY(nemo.has_value());
    // at the very beginning, in the configuration, in the weights, in the zip's directory, in the tar's end
    for (const rlim_t bytes : {0, 600, 5000, 200'000, 380'000, 388'000}) {
        putBytes(file, old);
        const FullDisk full(bytes);
        const auto written = writeNemo(file, *nemo);
        QVERIFY2(!written, std::to_string(bytes).c_str());
        QVERIFY2(says(written.error(), "x.nemo: cannot write"), written.error().message().c_str());
        QCOMPARE(bytesOf(file), old);
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"x.nemo"});
    }
    QVERIFY(writeNemo(file, *nemo).has_value());
}

void TestNemoFile::gzipToo() {
    putBytes(path("packed.nemo"), tarOf({{"model_config.yaml", "a: 1"}, {"model_weights.ckpt", checkpoint()}}, true));
    const auto nemo = readNemo(path("packed.nemo"));
    QVERIFY2(nemo.has_value(), nemo ? "" : nemo.error().message().c_str());
    QVERIFY(sameState(nemo->weights, {{"a", torch::arange(4)}}));
    QCOMPARE(nemo->modelConfig, std::string("a: 1"));
}

void TestNemoFile::otherMembersArePassedOver() {
    putBytes(path("more.nemo"), tarOf({{"./", "", AE_IFDIR},
                                       {"./tokenizer.model", std::string(3000, 'x')},
                                       {"././model_weights.ckpt", checkpoint()},
                                       {"./deeper/", "", AE_IFDIR},
                                       {"./deeper/model_config.yaml", "no"},
                                       {"./model_config.yaml", "yes"}}));
    const auto nemo = readNemo(path("more.nemo"));
    QVERIFY2(nemo.has_value(), nemo ? "" : nemo.error().message().c_str());
    QCOMPARE(nemo->modelConfig, std::string("yes"));
}

void TestNemoFile::traps_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* name, const std::string& bytes, const char* complaint) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << complaint;
    };
    const Member config{"model_config.yaml", "a: 1"}, weights{"model_weights.ckpt", checkpoint()};
    row("..", tarOf({config, weights, {"../x", "1"}}), "member ../x points outside the archive");
    row(".. inside", tarOf({config, weights, {"a/../../x", "1"}}), "points outside the archive");
    row("absolute", tarOf({config, weights, {"/etc/x", "1"}}), "member /etc/x points outside the archive");
    row("absolute weights", tarOf({config, {"/model_weights.ckpt", checkpoint()}}), "points outside the archive");
    row("symbolic link", tarOf({config, {"model_weights.ckpt", "", AE_IFLNK, "/etc/passwd"}}), "is a link");
    row("hard link", tarOf({weights, {"model_config.yaml", "", AE_IFREG, "/etc/passwd"}}), "is a link");
    row("a link elsewhere", tarOf({config, weights, {"x", "", AE_IFLNK, "/etc"}}), "member x is a link");
    row("a pipe", tarOf({config, weights, {"x", "", AE_IFIFO}}), "neither a file nor a folder");
    row("a folder", tarOf({weights, {"model_config.yaml", "", AE_IFDIR}}), "is a folder; a file was expected");
    row("twice", tarOf({config, weights, {"./model_config.yaml", "b: 2"}}), "./model_config.yaml occurs twice");
    row("no weights", tarOf({config}), "no member model_weights.ckpt");
    row("no configuration", tarOf({weights}), "no member model_config.yaml");
    row("empty", "", "is not a tar file");
    row("no tar", std::string(2000, 'x'), "is not a tar file");
    row("weights that are none", tarOf({config, {"model_weights.ckpt", "hello"}}),
        "model_weights.ckpt: is not a zip file");
    std::string huge = tarOf({weights, config});
    declare(huge, 0, "77777777777"); // 8 GiB
    row("huge declared size", huge, "model_weights.ckpt claims 8589934591 bytes; at most");
    huge = tarOf({config, weights});
    declare(huge, 0, std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12));
    row("absurd declared size", huge, "or is damaged");
    // 6 MiB of zeros in 6 KiB of gzip
    row("gzip bomb", tarOf({config, {"model_weights.ckpt", std::string(6u << 20, '\0')}}, true), "bytes; at most");
}

void TestNemoFile::traps() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, complaint);
    putBytes(path("trap.nemo"), bytes.toStdString());
    const auto nemo = readNemo(path("trap.nemo"));
    QVERIFY(!nemo.has_value());
    QCOMPARE(nemo.error().code, Errc::Malformed);
    QVERIFY2(QString::fromStdString(nemo.error().message()).contains(complaint), nemo.error().message().c_str());
    QVERIFY(says(nemo.error(), path("trap.nemo").c_str()));
}

void TestNemoFile::truncationsAndFlips() {
    const std::string whole = tarOf({{"model_config.yaml", "a: 1"}, {"model_weights.ckpt", checkpoint()}});
    const StateDict expected{{"a", torch::arange(4)}};
    const std::size_t dataEnd = whole.find_last_not_of('\0') + 1; // after it, only the blocks that end a tar file
    for (std::size_t size = 0; size < whole.size(); size += size < 2600 ? 13 : 97) {
        putBytes(path("cut.nemo"), whole.substr(0, size));
        const auto nemo = readNemo(path("cut.nemo"));
        QVERIFY2(size >= dataEnd || !nemo, std::to_string(size).c_str());
        QVERIFY(!nemo || sameState(nemo->weights, expected));
    }
    for (std::size_t i = 0; i < dataEnd; i += 3) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
        putBytes(path("flip.nemo"), damaged);
        const auto nemo = readNemo(path("flip.nemo"));
        QVERIFY2(!nemo || sameState(nemo->weights, expected), std::to_string(i).c_str());
    }
    QVERIFY(readNemo(path("none.nemo")).error().code == Errc::NotFound);
}

void TestNemoFile::configOfARecipe() {
    const std::string recipe = std::string(RANKSCOPE_TEST_DATA) + "/../../configs/nest_small.yaml";
    // as shipped, the manifest is ???, which is a separate error
    QVERIFY(!nemoModelConfig(bytesOf(recipe), recipe));
    const std::string whole = QString::fromStdString(bytesOf(recipe))
                                  .replace("manifest_filepath: ???", "manifest_filepath: a.json")
                                  .toStdString();
    const auto yaml = nemoModelConfig(whole, recipe);
    QVERIFY2(yaml.has_value(), yaml ? "" : yaml.error().message().c_str());
    const QString text = QString::fromStdString(*yaml);
    QVERIFY(text.contains("\ntarget: nemo.collections.asr.models.ssl_models.EncDecDenoiseMaskedTokenPredModel\n"));
    QVERIFY(text.contains("\nnemo_version: 3.0.0\n")); // the version that the recipe names
    const auto silent = nemoModelConfig(whole.substr(0, whole.find("\nrankscope:") + 1), recipe);
    QVERIFY(silent && silent->find("\nnemo_version: 2.7.3\n") != std::string::npos);
    QVERIFY(!text.contains("${"));
    QVERIFY(!text.contains("\ntrainer:") && !text.contains("\nmodel:") && !text.contains("rankscope"));
    // read back, it describes the same model
    const auto from = config::readRecipe(whole, recipe), to = config::readRecipe(*yaml, "model_config.yaml");
    QVERIFY2(to.has_value(), to ? "" : to.error().message().c_str());
    QCOMPARE(to->model.encoder.nLayers, from->model.encoder.nLayers);
    QCOMPARE(to->model.decoder.featIn, from->model.decoder.featIn);
    QCOMPARE(to->model.optim.sched.dModel, from->model.optim.sched.dModel);
    QCOMPARE(to->model.quantizer.combineTimeSteps, from->model.quantizer.combineTimeSteps);
    QCOMPARE(to->train.manifests, from->train.manifests);
    // converting it again changes nothing
    QCOMPARE(*nemoModelConfig(*yaml, "model_config.yaml"), *yaml);
    // not even if it has keys that only its version has
    const std::string chunked =
        QString::fromStdString(whole)
            .replace("\n    conv_context_size:", "\n    conv_context_style: dcc\n    conv_context_size:")
            .toStdString();
    const auto own = nemoModelConfig(chunked, recipe);
    QVERIFY2(own && own->find("conv_context_style: dcc") != std::string::npos,
             own ? "" : own.error().what.english().c_str());
    const auto again = nemoModelConfig(*own, "model_config.yaml");
    QVERIFY2(again && *again == *own, again ? "" : again.error().what.english().c_str());
}

/// A run's .nemo is made from its effective.yaml, which contains the defaults of the recipe's version. NeMo 2.7.3 stops
/// at an argument that it does not have (TypeError of ConformerEncoder.__init__), but loads the file without such
/// arguments.
void TestNemoFile::configForEveryVersion() {
    for (const char* name : {"nest_small", "nest_medium", "nest_large", "nest_xlarge", "nest_xxlarge", "quickstart"}) {
        const std::string recipe = fmt::format("{}/../../configs/{}.yaml", RANKSCOPE_TEST_DATA, name);
        const config::Effective effective = config::evaluate(
            bytesOf(recipe), recipe, {"model.train_ds.manifest_filepath=a.json", "rankscope.nemo=3.0.0"});
        for (const char* key : {"conv_context_style: regular", "att_chunk_context_size: null"})
            QVERIFY2(effective.text.find(key) != std::string::npos, name);
        const auto yaml = nemoModelConfig(effective.text, "effective.yaml");
        QVERIFY2(yaml.has_value(), yaml ? "" : yaml.error().message().c_str());
        for (const char* key : {"conv_context_style", "att_chunk_context_size"})
            QVERIFY2(yaml->find(key) == std::string::npos, name);
        QVERIFY(yaml->find("\nnemo_version: 3.0.0\n") != std::string::npos);
        QVERIFY(yaml->find("\n  att_context_style: regular\n") != std::string::npos); // both versions have this one
    }
}

void TestNemoFile::configOfAModelSection() {
    const auto nemo = readNemo(referencePath("pre_conv.nemo"));
    QVERIFY(nemo.has_value());
    const auto yaml = nemoModelConfig(nemo->modelConfig, "model_config.yaml");
    QVERIFY2(yaml.has_value(), yaml ? "" : yaml.error().message().c_str());
    // the reference was made by a class in a script, which NeMo could not import again
    QString expected = QString::fromStdString(nemo->modelConfig);
    expected.replace("target: __main__.Reference",
                     "target: nemo.collections.asr.models.ssl_models.EncDecDenoiseMaskedTokenPredModel");
    for (const QString& line : expected.split('\n', Qt::SkipEmptyParts))
        if (!line.trimmed().startsWith('-') && !line.trimmed().endsWith(':')) // our file writes lists on one line
            QVERIFY2(QString::fromStdString(*yaml).contains(line + "\n"), qPrintable(line));
    QString other = QString::fromStdString(nemo->modelConfig);
    other.replace("__main__.Reference", "nemo.collections.asr.models.MyOwn").replace("2.7.3", "2.4.0");
    const auto kept = nemoModelConfig(other.toStdString(), "model_config.yaml");
    QVERIFY(kept && kept->find("target: nemo.collections.asr.models.MyOwn\n") != std::string::npos);
    QVERIFY(kept && kept->find("nemo_version: 2.4.0\n") != std::string::npos);
}

void TestNemoFile::whatIsNoRecipe() {
    const auto list = nemoModelConfig("- 1\n- 2\n", "x.yaml");
    QVERIFY(!list && says(list.error(), "x.yaml"));
    const auto unknown = nemoModelConfig("model:\n  encoder:\n    n_layer: 3\n", "x.yaml");
    QVERIFY(!unknown && says(unknown.error(), "n_layer"));
}

RANKSCOPE_CORE_TEST(TestNemoFile)
#include "tst_nemo_file.moc"
