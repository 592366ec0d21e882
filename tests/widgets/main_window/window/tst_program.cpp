// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a user runs it: pictures without a display, exit codes.
#include "core/base/values/clock.h"
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;

class Program : public QObject {
    Q_OBJECT

private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void pictureOfARecipe() {
        const QString recipe = path("recipe.yaml"), picture = path("a.png");
        write(recipe, "name: test\ntrainer:\n  devices: 2\n");
        QCOMPARE(run({"--screenshot", picture, "--config", recipe, "--page", "configure", "--size", "1024x640"}), 0);
        const QImage image(picture);
        QCOMPARE(image.size(), QSize(1024, 640));
        QVERIFY(colours(image) > 20);
    }

    void themesAndLanguagesLookDifferent() {
        QCOMPARE(run({"--screenshot", path("en.png"), "--size", "1024x640"}), 0);
        QCOMPARE(run({"--screenshot", path("zh.png"), "--size", "1024x640", "--lang", "zh"}), 0);
        QCOMPARE(run({"--screenshot", path("dark.png"), "--size", "1024x640", "--theme", "dark"}), 0);
        const QImage en(path("en.png")), zh(path("zh.png")), dark(path("dark.png"));
        QVERIFY(en != zh);
        QCOMPARE(en.pixelColor(1000, 400), QColor(0xf6, 0xf7, 0xf9));
        QCOMPARE(dark.pixelColor(1000, 400), QColor(0x16, 0x18, 0x1d));
    }

    void pictureOfARunWithoutAStore() {
        const launch::RunPaths paths{m_dir->path().toStdString() + "/runs/20260101-100000-x-0001"};
        std::filesystem::create_directories(paths.dir);
        launch::RunInfo info;
        info.id = paths.dir.filename().string();
        info.name = "x";
        info.state = launch::RunState::Failed;
        info.cause = "rank 0 did not start";
        info.worldSize = 2;
        info.startNs = monotonicNs();
        info.startRealtimeNs = realtimeNs();
        info.endRealtimeNs = info.startRealtimeNs + 1;
        QVERIFY(launch::writeRunInfo(paths, info));
        QCOMPARE(run({"--screenshot", path("run.png"), "--run", "last", "--runs", path("runs"), "--page", "review"}),
                 0);
        QCOMPARE(QImage(path("run.png")).size(), QSize(1440, 900));
    }

    void badInputIsOneLineAndExitCode2() {
        for (const QStringList& arguments :
             {QStringList{"--screenshot", path("a.png"), "--run", "no-such-run", "--runs", path("runs")},
              QStringList{"--screenshot", path("a.png"), "--config", path("none.yaml")}, QStringList{"--page", "x"}}) {
            QCOMPARE(run(arguments), 2);
            QCOMPARE(m_error.count('\n'), 1);
            QVERIFY(m_error.startsWith("rankscope: "));
            QVERIFY(!QFile::exists(path("a.png")));
        }
    }

    void unwritablePictureIsAnError() {
        QCOMPARE(run({"--screenshot", path("no/such/folder/a.png")}), 1);
        QVERIFY(m_error.contains("no/such/folder"));
    }

    void noDisplayIsSaidNotCrashed() {
        QCOMPARE(run({}, false), 2);
        QVERIFY(m_error.contains("display"));
    }

    void versionAndHelp() {
        QCOMPARE(run({"--version"}), 0);
        QVERIFY(m_output.startsWith("rankscope "));
        QCOMPARE(run({"--help"}), 0);
        QVERIFY(m_output.contains("--screenshot"));
    }

private:
    QString path(const char* name) const { return m_dir->filePath(QLatin1String(name)); }
    static void write(const QString& file, const QByteArray& text) {
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(text);
    }
    static int colours(const QImage& image) {
        QSet<QRgb> seen;
        for (int y = 0; y < image.height(); y += 3)
            for (int x = 0; x < image.width(); x += 3)
                seen.insert(image.pixel(x, y));
        return static_cast<int>(seen.size());
    }
    int run(const QStringList& arguments, bool platform = true) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
            environment.remove(QLatin1String(name));
        if (!platform)
            environment.remove(QStringLiteral("QT_QPA_PLATFORM"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_dir->filePath(QStringLiteral("config")));
        environment.insert(QStringLiteral("XDG_DATA_HOME"), m_dir->filePath(QStringLiteral("data")));
        process.setProcessEnvironment(environment);
        process.start(qEnvironmentVariable("RANKSCOPE_PROGRAM"), arguments);
        const bool ended = process.waitForFinished(60'000);
        m_error = process.readAllStandardError();
        m_output = process.readAllStandardOutput();
        if (!ended || process.exitStatus() != QProcess::NormalExit) {
            process.kill();
            return -1;
        }
        return process.exitCode();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QByteArray m_error, m_output;
};

RANKSCOPE_CORE_TEST(Program)
#include "tst_program.moc"
