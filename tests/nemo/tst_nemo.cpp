// SPDX-License-Identifier: Apache-2.0
// Checks that the installed NeMo loads the files that Rankscope writes and computes the same with them.
#include "app/trainer/weights/weights_commands.h"
#include "core/trainer/tensor_files/safetensors.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;
using namespace rankscope::trainer;

class TestNemo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_python = qEnvironmentVariable("RANKSCOPE_NEMO_PYTHON");
        if (m_python.isEmpty())
            QSKIP("RANKSCOPE_NEMO_PYTHON names no Python that has NeMo");
    }
    void everyVariantIsLoadedStrictly();
    void anotherModelsWeightsAreNot();

private:
    bool convert(const std::string& state, const std::string& yaml, const QString& out) const {
        return runConvert(state, m_dir.filePath(out).toStdString(), yaml) == 0;
    }
    int check(const QStringList& files, QByteArray& said) const {
        QProcess python;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PYTHONWARNINGS", "ignore");
        python.setProcessEnvironment(environment);
        const QString references = QFileInfo(QString::fromStdString(referencePath("pre_conv.yaml"))).path();
        python.start(m_python, QStringList{RANKSCOPE_TEST_DIR "/check_nemo_file.py", references} + files);
        const bool ended = python.waitForFinished(800'000);
        said = python.readAllStandardOutput() + python.readAllStandardError();
        return ended && python.exitStatus() == QProcess::NormalExit ? python.exitCode() : -1;
    }

    QString m_python;
    QTemporaryDir m_dir;
};

void TestNemo::everyVariantIsLoadedStrictly() {
    QStringList files;
    for (const char* variant :
         {"pre_conv", "layer_norm", "local_att", "no_bias", "no_overlap", "post_conv", "squeeze", "two_books_cos"}) {
        const std::string name = variant, state = m_dir.filePath("state.safetensors").toStdString();
        QVERIFY(writeSafetensors(state, readSafetensors(referencePath(name + ".safetensors"))->under("state.")));
        QVERIFY(convert(state, referencePath(name + ".yaml"), QString(variant) + ".nemo"));
        files << m_dir.filePath(QString(variant) + ".nemo");
    }
    QByteArray said;
    const int code = check(files, said);
    QVERIFY2(code == 0, said.constData());
    qInfo("%s", said.constData());
}

/// Proves that the check can fail.
void TestNemo::anotherModelsWeightsAreNot() {
    const std::string state = m_dir.filePath("other.safetensors").toStdString();
    auto tensors = readSafetensors(referencePath("pre_conv.safetensors"))->under("state.");
    for (auto& [name, tensor] : tensors)
        if (name == "encoder.layers.1.norm_out.weight")
            tensor = tensor * 1.001;
    QVERIFY(writeSafetensors(state, tensors));
    QVERIFY(QDir(m_dir.path()).mkpath("other"));
    QVERIFY(convert(state, referencePath("pre_conv.yaml"), "other/pre_conv.nemo"));
    QByteArray said;
    QCOMPARE(check({m_dir.filePath("other/pre_conv.nemo")}, said), 1);
    QVERIFY2(said.contains("norm_out.weight has other values") && said.contains("log-probabilities differ"),
             said.constData());
}

RANKSCOPE_CORE_TEST(TestNemo)
#include "tst_nemo.moc"
