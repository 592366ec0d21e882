// SPDX-License-Identifier: Apache-2.0
// Which tensors a weights file contains, found without reading them.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/trainer/formats/archives/checkpoint_records.h"
#include "core/trainer/formats/archives/nemo_members.h"
#include "core/trainer/formats/archives/nemo_steps.h"
#include "core/trainer/formats/archives/weights_file.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstring>

using namespace rankscope;
using namespace rankscope::trainer;

class TestWeightsFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    static std::string at(const char* name) { return std::string(RANKSCOPE_SOURCE_DIR "/tests/") + name; }
    static std::vector<WeightsShape> shapes(const std::string& path) {
        auto read = readWeightsShapes(path);
        if (!read)
            qFatal("%s", read.error().message().c_str());
        return std::move(*read);
    }
    std::string written(const char* name, const std::string& bytes) const {
        const std::string path = m_dir.filePath(name).toStdString();
        if (!writeFileAtomic(path, bytes))
            qFatal("cannot write %s", name);
        return path;
    }
    static std::string safetensors(const std::string& header, std::size_t bytes) {
        std::string out(8, '\0');
        const std::uint64_t size = header.size();
        std::memcpy(out.data(), &size, sizeof size);
        return out + header + std::string(bytes, '\0');
    }

private Q_SLOTS:
    void aLightningCheckpoint() {
        const auto found = shapes(at("data/checkpoint/lightning.ckpt"));
        std::vector<std::string> names;
        for (const auto& tensor : found)
            names.push_back(tensor.name);
        QCOMPARE(names, (std::vector<std::string>{"tied", "encoder.weight", "encoder.bias", "norm.weight", "norm.bias",
                                                  "norm.running_mean", "norm.running_var", "norm.num_batches_tracked",
                                                  "decoder.weight", "decoder.bias"}));
        QCOMPARE(found[1].shape, (std::vector<std::int64_t>{3, 4}));
        QCOMPARE(found[8].shape, (std::vector<std::int64_t>{5, 3, 1}));
        QVERIFY(found[7].shape.empty());
    }

    /// The contents of the optimizer and others are neither read nor kept.
    void onlyWhatTheStateUsesIsRead() {
        const auto file = readFile(at("data/checkpoint/lightning.ckpt"));
        QVERIFY(file);
        const auto records =
            readCheckpointRecords(ArchiveReader::openBytes(*file, "f", ArchiveReader::ArchiveKind::Zip), "f");
        QVERIFY2(records, records ? "" : records.error().message().c_str());
        QCOMPARE(records->tensors.size(), std::size_t{10});
        QCOMPARE(records->storages.size(), std::size_t{9}); // one tensor is tied
        for (const auto& tensor : records->tensors)
            QVERIFY(records->storages.at(tensor.storage.key).size() > 0);
    }

    void nemoFilesPlainAndPacked() {
        for (const char* name : {"fuzz/seeds/nemo/plain.nemo", "fuzz/seeds/nemo/packed.nemo"}) {
            const auto found = shapes(at(name));
            QCOMPARE(found.size(), std::size_t{3});
            QCOMPARE(found[0].name, std::string("w"));
            QCOMPARE(found[0].shape, (std::vector<std::int64_t>{2, 3}));
        }
        const std::string path = at("data/nemo/pre_conv.nemo");
        const auto place = findNemoWeights(path);
        const auto members = readNemoMembers(path);
        const auto file = readFile(path);
        QVERIFY(place && *place && members && file);
        QCOMPARE((*place)->size, members->weights.size());
        QVERIFY(std::string_view(*file).substr((*place)->begin, (*place)->size) == members->weights.view());
        QVERIFY(shapes(path).size() > 50);
        QVERIFY(!*findNemoWeights(at("fuzz/seeds/nemo/packed.nemo")));
        QVERIFY(readWeightsShapes(at("fuzz/seeds/nemo/link.nemo")).error().what.english().find("is a link") !=
                std::string::npos);
    }

    void theStepsOfANemo() {
        const auto stepsOf = [this](const std::string& name, const std::string& line) {
            std::string bytes = name + std::string(512 - name.size(), '\0') + line + "name: x\n";
            return stepsOfNemo(openRegularFile(written("steps.nemo", bytes))->fd.get());
        };
        const std::string config = "./model_config.yaml";
        QVERIFY(stepsOf(config, nemoStepsLine(400)) == 400);
        QVERIFY(!stepsOf(config, ""));
        QVERIFY(!stepsOf(config, "# weights after 400"));
        QVERIFY(!stepsOf(config, "# weights after 99999999999999999999 steps\n"));
        QVERIFY(!stepsOf(config, "# weights after -4 steps\n"));
        QVERIFY(!stepsOf("./model_config.yaml.bak", nemoStepsLine(400)));
        QVERIFY(!stepsOfNemo(openRegularFile(written("empty.nemo", ""))->fd.get()));
        QVERIFY(!stepsOfNemo(openRegularFile(at("data/nemo/pre_conv.nemo"))->fd.get())); // NeMo wrote it
    }

    void safetensorsAndCheckpointsToResumeFrom() {
        const auto plain =
            shapes(written("plain", safetensors(R"({"a.b":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})", 8)));
        QCOMPARE(plain.size(), std::size_t{1});
        QCOMPARE(plain[0].name, std::string("a.b"));
        QCOMPARE(plain[0].shape, (std::vector<std::int64_t>{2, 1}));
        const auto state =
            shapes(written("state", safetensors(R"({"__metadata__":{"format":"rankscope-train-state"},)"
                                                R"("model.a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                                R"("optimizer.a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
                                                16)));
        QCOMPARE(state.size(), std::size_t{1});
        QCOMPARE(state[0].name, std::string("a"));
    }

    /// The result is the same, whether or not the bytes are read.
    void everyTruncationIsAnError() {
        const auto whole = readFile(at("data/checkpoint/protocol4.ckpt"));
        QVERIFY(whole);
        for (std::size_t size = 0; size < whole->size(); size += 7) {
            const auto open = [&] {
                return ArchiveReader::openBytes(std::string_view(*whole).substr(0, size), "cut",
                                                ArchiveReader::ArchiveKind::Zip);
            };
            QVERIFY2(!readCheckpointTensors(open(), "cut"), std::to_string(size).c_str());
        }
        const std::string path = written("part", "xx" + *whole + "yy");
        const auto part = readCheckpointTensors(
            ArchiveReader::openPart(path, 2, whole->size(), "part", ArchiveReader::ArchiveKind::Zip), "part");
        QVERIFY2(part, part ? "" : part.error().message().c_str());
        QCOMPARE(part->size(), std::size_t{16});
        QVERIFY(!ArchiveReader::openPart(path, 3, whole->size() + 2, "part", ArchiveReader::ArchiveKind::Zip));
        QVERIFY(!ArchiveReader::openPart(path, ~0ull, 2, "part", ArchiveReader::ArchiveKind::Zip));
    }

    void whatIsNoFileOfWeights() {
        QCOMPARE(readWeightsShapes(m_dir.filePath("none").toStdString()).error().code, Errc::NotFound);
        QCOMPARE(readWeightsShapes(m_dir.path().toStdString()).error().code, Errc::BadInput);
        QVERIFY(readWeightsShapes(written("text", "no weights")).error().what.english().find("contains no weights") !=
                std::string::npos);
    }
};

RANKSCOPE_CORE_TEST(TestWeightsFile)
#include "tst_weights_file.moc"
