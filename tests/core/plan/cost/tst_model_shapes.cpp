// SPDX-License-Identifier: Apache-2.0
// The presets have NeMo's sizes: the parameters were counted by NeMo 2.7.3 itself (tests/data/nemo/make_variants.py
// sizes).
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/plan/cost/model_shapes.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <set>

using namespace rankscope;
using namespace rankscope::plan;

static config::ModelConfig modelOf(const std::string& name, const std::vector<std::string>& overrides = {}) {
    const auto text = readFile(qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString() + "/configs/" + name);
    if (!text)
        qFatal("%s", text.error().message().c_str());
    auto words = overrides;
    words.push_back("model.train_ds.manifest_filepath=a.json");
    const auto recipe = config::readRecipe(config::evaluate(*text, name, words).text, name);
    if (!recipe)
        qFatal("%s", recipe.error().message().c_str());
    return recipe->model;
}

class TestModelShapes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void presets_data() {
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<qint64>("trainable");
        QTest::addColumn<int>("tensors");
        QTest::newRow("nest_small.yaml") << qint64(14191616) << qint64(14050224) << 659;
        QTest::newRow("nest_medium.yaml") << qint64(28375376) << qint64(28233984) << 659;
        QTest::newRow("nest_large.yaml") << qint64(113106000) << qint64(112964608) << 699;
        QTest::newRow("nest_xlarge.yaml") << qint64(615844944) << qint64(615703552) << 715;
        QTest::newRow("nest_xxlarge.yaml") << qint64(1069081680) << qint64(1068940288) << 1237;
    }
    void presets() {
        const auto shapes = modelShapes(modelOf(QTest::currentDataTag()));
        qint64 parameters = 0, trainable = 0;
        std::set<std::string> names;
        for (const TensorShape& tensor : shapes) {
            QVERIFY2(names.insert(tensor.name).second, tensor.name.c_str());
            parameters += tensor.buffer || tensor.again ? 0 : tensor.count();
            trainable += tensor.trainable && !tensor.again ? tensor.count() : 0;
        }
        QTEST(parameters, "parameters");
        QTEST(trainable, "trainable");
        QTEST(static_cast<int>(shapes.size()), "tensors");
    }

    void gradientsComeFromTheEnd() {
        const auto shapes = modelShapes(modelOf("nest_small.yaml"));
        const auto order = gradientOrder(shapes);
        QCOMPARE(order.size(), trainableTensors(shapes).size());
        QCOMPARE(std::set(order.begin(), order.end()).size(), order.size());
        QVERIFY(shapes[order.front()].name.starts_with("decoder."));
        QVERIFY(shapes[order.back()].name.starts_with("encoder.pre_encode.conv.0."));
        int layer = 16;
        for (const std::size_t place : order) {
            const QString name = QString::fromStdString(shapes[place].name);
            if (!name.startsWith("encoder.layers."))
                continue;
            const int here = name.section('.', 2, 2).toInt();
            QVERIFY(here <= layer);
            layer = here;
        }
        QCOMPARE(layer, 0);
    }
};

RANKSCOPE_CORE_TEST(TestModelShapes)
#include "tst_model_shapes.moc"
