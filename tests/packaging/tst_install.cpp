// SPDX-License-Identifier: Apache-2.0
// Tests what cmake --install creates: it must be complete, divided into components, and relocatable: it is moved to a
// folder with a space in its name before it is used.
#include "tests/packaging/ran.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QIODevice>
#include <QLatin1Char>
#include <QMap>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <build_version.h>

using namespace rankscope::test;

class TestInstall : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    QString m_prefix;
    QMap<QString, QStringList> m_files; ///< by component

    QString bin(const char* program) const { return m_prefix + "/bin/" + QLatin1String(program); }
    QProcessEnvironment environment() const {
        auto e = QProcessEnvironment::systemEnvironment();
        for (const char* name :
             {"RANKSCOPE_LIBTORCH", "RANKSCOPE_TRAINER", "RANKSCOPECTL", "RANKSCOPE_RUNS", "LD_LIBRARY_PATH"})
            e.remove(QLatin1String(name));
        e.insert("HOME", m_dir.path());
        e.insert("XDG_DATA_HOME", m_dir.filePath("data"));
        e.insert("XDG_CONFIG_HOME", m_dir.filePath("config"));
        return e;
    }
    Ran run(const char* program, const QStringList& arguments) const {
        return ran(bin(program), arguments, environment(), m_prefix + "/share/rankscope");
    }
    /// Runs rankscope-setup with shell scripts, by name, in place of programs that it calls.
    Ran runSetup(const QStringList& arguments, const QMap<QString, QString>& scripts) const {
        const QTemporaryDir tools;
        for (auto script = scripts.begin(); script != scripts.end(); ++script) {
            QFile file(tools.filePath(script.key()));
            if (!file.open(QIODevice::WriteOnly))
                return {-1, {}, file.errorString()};
            file.write("#!/bin/sh\n" + script.value().toUtf8() + '\n');
            file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        }
        auto e = environment();
        e.insert("PATH", tools.path() + ':' + e.value("PATH"));
        return ran(bin("rankscope-setup"), arguments, e, m_prefix + "/share/rankscope");
    }
    static QStringList filesIn(const QString& folder) {
        QStringList all;
        for (QDirIterator it(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); it.hasNext();)
            all << QDir(folder).relativeFilePath(it.next());
        return all;
    }
    static bool machineHasLibTorch() { return QFileInfo::exists("/var/lib/rankscope/libtorch"); }

private Q_SLOTS:
    void initTestCase() {
        const QString first = m_dir.filePath("first");
        for (const QString& component : QStringLiteral(RANKSCOPE_COMPONENTS).split(QLatin1Char('|'))) {
            const QStringList before = filesIn(first);
            const Ran one =
                ran(RANKSCOPE_CMAKE, {"--install", RANKSCOPE_BUILD_DIR, "--prefix", first, "--component", component});
            QVERIFY2(one.code == 0, qPrintable(component + ": " + one.err));
            for (const QString& file : filesIn(first))
                if (!before.contains(file))
                    m_files[component] << file;
        }
        m_prefix = m_dir.filePath("moved here");
        QVERIFY(QDir().rename(first, m_prefix));
    }

    void componentsHoldTheirParts_data() {
        QTest::addColumn<QString>("component");
        QTest::addColumn<QStringList>("files");
        QTest::newRow("cli") << "cli"
                             << QStringList{"bin/rankscopectl",
                                            "lib/rankscope/observer/librankscope_rank.so",
                                            "share/man/man1/rankscopectl.1.gz",
                                            "share/bash-completion/completions/rankscopectl",
                                            "share/doc/rankscopectl/notices.txt",
                                            "share/doc/rankscopectl/changelog.Debian.gz"};
        QTest::newRow("data") << "data"
                              << QStringList{"share/rankscope/configs/quickstart.yaml",
                                             "share/rankscope/resources/sample/make.sh"};
        QTest::newRow("docs") << "docs"
                              << QStringList{"share/doc/rankscope/docs/install.md",
                                             "share/doc/rankscope/LICENSE",
                                             "share/doc/rankscope/README.zh-CN.md",
                                             "share/doc/rankscope/docs/zh/guide.md",
                                             "share/doc/rankscope/docs/licenses/Apache-2.0.txt",
                                             "share/doc/rankscope/docs/licenses/GPL-3.0-or-later.txt"};
#ifdef RANKSCOPE_HAS_TRAINER
        QTest::newRow("trainer") << "trainer" << QStringList{"bin/rankscope-trainer",
                                                             "lib/rankscope/rankscope-trainer",
                                                             "bin/rankscope-setup",
                                                             "share/rankscope/wheels.txt",
                                                             "share/man/man1/rankscope-setup.1.gz",
                                                             "share/doc/rankscope-trainer/notices.txt"};
#endif
#ifdef RANKSCOPE_HAS_WINDOW
        QTest::newRow("workbench") << "workbench"
                                   << QStringList{"bin/rankscope",
                                                  "share/applications/rankscope.desktop",
                                                  "share/metainfo/rankscope.metainfo.xml",
                                                  "share/mime/packages/rankscope.xml",
                                                  "share/icons/hicolor/scalable/apps/rankscope.svg",
                                                  "share/icons/hicolor/48x48/apps/rankscope.png",
                                                  "share/rankscope/resources/tour/run/run.json",
                                                  "share/doc/rankscope/notices.txt"};
#endif
    }
    void componentsHoldTheirParts() {
        QFETCH(QString, component);
        QFETCH(QStringList, files);
        for (const QString& file : files)
            QVERIFY2(m_files[component].contains(file), qPrintable(component + " lacks " + file));
    }

    /// A file that is in no component would be in no package.
    void everyFileIsInAComponent() {
        const QString whole = m_dir.filePath("whole");
        const Ran all = ran(RANKSCOPE_CMAKE, {"--install", RANKSCOPE_BUILD_DIR, "--prefix", whole});
        QVERIFY2(all.code == 0, qPrintable(all.err));
        const QStringList parts = filesIn(m_prefix);
        for (const QString& file : filesIn(whole))
            QVERIFY2(parts.contains(file), qPrintable(file + " is in no component"));
    }

    void programsNameNoFolderOfTheBuild() {
        for (const QString& file : filesIn(m_prefix)) {
            if (!file.startsWith("bin/") && !file.startsWith("lib/"))
                continue;
            const Ran elf = ran("readelf", {"-d", m_prefix + '/' + file});
            const QString out = QString(elf.out).remove("Library runpath: [$ORIGIN]").remove("(RUNPATH)");
            QVERIFY2(!out.contains("runpath:") && !out.contains("RPATH"), qPrintable(file + out));
            const Ran texts = ran("readelf", {"--string-dump=.rodata", m_prefix + '/' + file});
            QVERIFY2(!texts.out.contains(RANKSCOPE_SOURCE_DIR "/"), qPrintable(file + " names a source's full path"));
        }
    }

    void everyBinaryIsHardened() {
        int programs = 0;
        for (const QString& file : filesIn(m_prefix)) {
            if (!file.startsWith("bin/") && !file.startsWith("lib/"))
                continue;
            const Ran elf = ran("readelf", {"--wide", "--dynamic", "--program-headers", m_prefix + '/' + file});
            if (!elf.out.contains("Elf file type"))
                continue; // a script
            QVERIFY2(elf.out.contains("GNU_RELRO") && elf.out.contains("NOW"), qPrintable(file + elf.out));
            QVERIFY2(elf.out.contains("Elf file type is DYN"), qPrintable(file + elf.out));
            for (const auto& line : elf.out.split('\n'))
                QVERIFY2(!line.contains("GNU_STACK") || !line.contains("RWE"), qPrintable(file + line));
            if (!file.endsWith(".so")) {
                const Ran symbols = ran("readelf", {"--wide", "--dyn-syms", m_prefix + '/' + file});
                QVERIFY2(symbols.out.contains("__stack_chk_fail"), qPrintable(file));
#ifdef NDEBUG // checks of lengths need optimization
                QVERIFY2(symbols.out.contains("_chk@"), qPrintable(file));
#endif
                ++programs;
            }
        }
        QVERIFY(programs > 0);
    }

    /// A program may bring an older C++ runtime, or none.
    void libraryForOtherProgramsNeedsNothing() {
        const QString library = m_prefix + "/lib/rankscope/observer/librankscope_rank.so";
        const Ran needs = ran("readelf", {"-d", library});
        QCOMPARE(needs.code, 0);
        for (const auto& line : needs.out.split('\n'))
            if (line.contains("(NEEDED)"))
                QVERIFY2(line.contains("[libc.so") || line.contains("[libm.so") || line.contains("[ld-linux"),
                         qPrintable(line));
        const Ran shows = ran("readelf", {"--dyn-syms", "--wide", library});
        int functions = 0;
        for (const auto& line : shows.out.split('\n')) {
            const auto words = line.simplified().split(' ');
            if (words.size() < 8 || words[6] == "UND" || words[7] == "Name" || words[3] == "OBJECT")
                continue;
            QVERIFY2(words[7].startsWith("rs_"), qPrintable(line));
            ++functions;
        }
        QVERIFY(functions > 20);
    }

    /// In Debian's order, the commits of a version come one after another, and the version itself after all of them.
    void versionsOfPackagesRise() {
        if (const auto why = missing("dpkg"); !why.isEmpty())
            QSKIP(qPrintable(why));
        const QString built = QStringLiteral(RANKSCOPE_PACKAGE_VERSION);
        const QString commit = built.section(QLatin1Char('.'), -1);
        QVERIFY2(built == RANKSCOPE_VERSION || QStringLiteral(RANKSCOPE_BUILD).contains(commit), qPrintable(built));
        for (const auto& [earlier, later] :
             {std::pair{QStringLiteral(RANKSCOPE_VERSION "~git202001010000.ffffffffff"), built},
              std::pair{built, QStringLiteral(RANKSCOPE_VERSION "+1")}}) {
            const Ran one = ran("dpkg", {"--compare-versions", earlier, "lt", later});
            QVERIFY2(one.code == 0, qPrintable(earlier + " is not before " + later + one.err));
        }
    }

    void versions() {
        const Ran ctl = run("rankscopectl", {"--version"});
        QCOMPARE(ctl.code, 0);
        QVERIFY(ctl.out.startsWith("rankscopectl " RANKSCOPE_BUILD "\n"));
        for (const char* part : {"SQLite 3.", "yaml-cpp 0.", "zlib 1.", "elfutils 0.", " build"})
            QVERIFY2(ctl.out.contains(part), qPrintable(ctl.out));
#ifdef RANKSCOPE_HAS_WINDOW
        const Ran window = run("rankscope", {"--version"});
        QVERIFY(window.out.startsWith("rankscope " RANKSCOPE_BUILD "\n"));
        for (const char* part : {"Qt 6.", "QCustomPlot 2.", "SQLite 3."})
            QVERIFY2(window.out.contains(part), qPrintable(window.out));
#endif
    }

#ifdef RANKSCOPE_HAS_TRAINER
    void withoutLibTorchEveryProgramSaysWhatToDo() {
        if (machineHasLibTorch())
            QSKIP("this machine has /var/lib/rankscope/libtorch");
        // the data must pass its checks, which come first
        QVERIFY(QDir(m_dir.path()).mkpath("speech"));
        QFile manifest(m_dir.filePath("speech/one.json"));
        QVERIFY(manifest.open(QIODevice::WriteOnly));
        manifest.write("{\"audio_filepath\": \"one.wav\", \"duration\": 2.0}\n");
        manifest.close();
        QFile audio(m_dir.filePath("speech/one.wav"));
        QVERIFY(audio.open(QIODevice::WriteOnly));
        audio.close();
        const QString file = manifest.fileName();
        const Ran launch =
            run("rankscopectl",
                {"launch", "configs/quickstart.yaml", "model.train_ds.manifest_filepath=" + file,
                 "~model.train_ds.noise_manifest", "~model.train_ds.batch_augmentor", "~model.validation_ds"});
        QCOMPARE(launch.code, 2);
        QVERIFY2(launch.err.contains("LibTorch is missing") && launch.err.contains("rankscope-setup"),
                 qPrintable(launch.err));
        QVERIFY(!QFileInfo::exists(m_dir.filePath("data/rankscope"))); // no run was created
        for (const Ran& one : {run("rankscope-trainer", {"--version"}), run("rankscopectl", {"weights", file})}) {
            QCOMPARE(one.code, 2);
            QVERIFY2(one.err.contains("rankscope-setup") && one.err.count('\n') == 1, qPrintable(one.err));
        }
        QCOMPARE(run("rankscope-setup", {"--status"}).code, 1);
    }

    void setupTakesALibTorchAndGivesItBack() {
        const Ran wrong = run("rankscope-setup", {"--place", "user", "--only", "libtorch", "--libtorch", m_prefix});
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.err.contains("lib/libtorch_cpu.so"), qPrintable(wrong.err));
        const QStringList take{"--place", "user", "--only", "libtorch", "--libtorch", RANKSCOPE_TORCH_DIR};
        const QString leftover = m_dir.filePath("data/rankscope/.setup-Ab12Cd"); // of one that was killed
        QVERIFY(QDir().mkpath(leftover + "/wheels"));
        for (int times = 0; times < 2; ++times) {
            const Ran taken = run("rankscope-setup", take);
            QVERIFY2(taken.code == 0, qPrintable(taken.err));
            QVERIFY2(taken.out.contains("the trainer starts with LibTorch"), qPrintable(taken.out));
            QVERIFY(!QFileInfo::exists(leftover));
        }
        const Ran trainer = run("rankscope-trainer", {"--version"});
        QVERIFY2(trainer.code == 0, qPrintable(trainer.err));
        const QString real = QFileInfo(RANKSCOPE_TORCH_DIR).canonicalFilePath();
        for (const QString& part : QStringList{QStringLiteral("rankscope-trainer " RANKSCOPE_BUILD "\n"), "LibTorch 2.",
                                               real, "libsndfile ", "libarchive ", "NCCL "})
            QVERIFY2(trainer.out.contains(part), qPrintable(trainer.out));
        const Ran status = run("rankscope-setup", {"--status"});
        QCOMPARE(status.code, 0);
        QVERIFY2(status.out.contains(real), qPrintable(status.out));
        QVERIFY(QDir(m_dir.path()).mkpath("data/rankscope/runs/mine"));
        const Ran removed = run("rankscope-setup", {"--place", "user", "--remove"});
        QVERIFY2(removed.code == 0, qPrintable(removed.err));
        QCOMPARE(removed.out,
                 QStringLiteral("rankscope-setup: removed libtorch from %1/data/rankscope\n").arg(m_dir.path()));
        QCOMPARE(QDir(m_dir.filePath("data/rankscope")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
                 QStringList{"runs"});
        QVERIFY(QFileInfo::exists(RANKSCOPE_TORCH_DIR "/lib/libtorch_cpu.so")); // only the link was removed
    }

    void whatWorksForAllIsNotDownloadedAgain() {
        const QString link = m_prefix + "/var/rankscope/libtorch";
        QVERIFY(QDir().mkpath(m_prefix + "/var/rankscope") && QFile::link(RANKSCOPE_TORCH_DIR, link));
        const Ran one = runSetup({"--only", "libtorch"}, {{"id", "echo 1000"}}); // an ordinary user
        QVERIFY(QFile::remove(link) && QDir(m_prefix + "/var").removeRecursively());
        QVERIFY2(one.code == 0 && one.out.contains(link + " works for all users: nothing to download"),
                 qPrintable(one.out + one.err));
        QVERIFY(!QFileInfo::exists(m_dir.filePath("data/rankscope/libtorch")));
    }

    void aFailedDownload_data() {
        QTest::addColumn<QString>("freeThen"); // KB on the disk, after pip
        QTest::addColumn<QString>("said");
        QTest::newRow("no network") << "99000000"
                                    << "check the network";
        QTest::newRow("the disk is full") << "50000"
                                          << "is full; free some space";
    }
    /// The licences are named before the download. The sample speech, which needs no network, is there all the same.
    void aFailedDownload() {
        QFETCH(QString, freeThen);
        QFETCH(QString, said);
        if (const auto why = missing("espeak-ng"); !why.isEmpty())
            QSKIP(qPrintable(why));
        const QString python = QStandardPaths::findExecutable("python3"), place = m_dir.filePath("data/rankscope");
        const QString venv = "case \"$1 $2\" in\n"
                             "-c*) exit 0 ;;\n"
                             "'-m venv') mkdir -p \"$3/bin\" && ln -s /bin/false \"$3/bin/pip\"; exit 0 ;;\n"
                             "esac\nexec '" +
                             python + "' \"$@\"";
        const QString df = "free=99000000; for pip in '" + place + "'/.setup-*/venv/bin/pip; do\n" +
                           "if [ -L \"$pip\" ]; then free=" + freeThen + "; fi; done\n" +
                           "printf 'a head\\ndisk 1 1 %s\\n' $free";
        const Ran one = runSetup({"--place", "user"}, {{"python3", venv}, {"df", df}});
        QCOMPARE(one.code, 1);
        QVERIFY2(one.err.contains(said), qPrintable(one.out + one.err));
        QVERIFY2(one.out.contains("NVIDIA libraries that it loads have NVIDIA's own"), qPrintable(one.out));
        QVERIFY(QFileInfo::exists(place + "/quickstart/configs/quickstart.yaml"));
        QVERIFY(QDir(place).entryList({".setup-*"}, QDir::AllEntries | QDir::Hidden).isEmpty());
        QCOMPARE(run("rankscope-setup", {"--place", "user", "--remove"}).code, 0);
    }

    void setupRefusesForAllWhatOnlyItsOwnerCanEnter() {
        const QString closed = m_dir.filePath("closed/torch");
        QVERIFY(QDir().mkpath(closed + "/lib"));
        QVERIFY(QFile::copy(bin("rankscopectl"), closed + "/lib/libtorch_cpu.so"));
        const Ran one = run("rankscope-setup", {"--place", "prefix", "--only", "libtorch", "--libtorch", closed});
        QCOMPARE(one.code, 2);
        QVERIFY2(one.err.contains(m_dir.path() + " can be entered") && one.err.contains("owner alone"),
                 qPrintable(one.err));
        QVERIFY(!QFileInfo::exists(m_prefix + "/var")); // nothing was changed
    }

    void setupKeepsAnEditedRecipe() {
        if (const auto why = missing("espeak-ng"); !why.isEmpty())
            QSKIP(qPrintable(why));
        const QString configs = m_dir.filePath("data/rankscope/quickstart/configs");
        const QString shipped = m_prefix + "/share/rankscope/configs/quickstart.yaml";
        const QString recipe = configs + "/quickstart.yaml", aside = configs + "/quickstart.new.yaml";
        const auto text = [](const QString& path) {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const auto add = [](const QString& path, const char* line) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::Append));
            file.write(line);
        };
        const QStringList bring{"--place", "user", "--only", "sample"};
        const Ran first = run("rankscope-setup", bring);
        QVERIFY2(first.code == 0, qPrintable(first.err));
        QCOMPARE(text(recipe), text(shipped));

        add(shipped, "# of a newer version\n"); // not edited: replaced
        QCOMPARE(run("rankscope-setup", bring).code, 0);
        QCOMPARE(text(recipe), text(shipped));

        add(recipe, "# mine\n"); // edited: stays
        const QByteArray edited = text(recipe);
        const Ran again = run("rankscope-setup", bring);
        QVERIFY2(again.code == 0 && again.out.contains("has your edits and stays"), qPrintable(again.out));
        QCOMPARE(text(recipe), edited);
        QVERIFY(!QFileInfo::exists(aside));

        add(shipped, "# of the newest version\n"); // edited, and there is a newer one: put next to it
        QVERIFY(run("rankscope-setup", bring).out.contains("quickstart.new.yaml"));
        QCOMPARE(text(recipe), edited);
        QCOMPARE(text(aside), text(shipped));

        const Ran removed = run("rankscope-setup", {"--place", "user", "--remove"});
        QVERIFY2(removed.code == 0, qPrintable(removed.err));
        QCOMPARE(text(recipe), edited);
        QVERIFY(!QFileInfo::exists(aside) && !QFileInfo::exists(m_dir.filePath("data/rankscope/quickstart/resources")));
        QVERIFY(QDir(m_dir.filePath("data/rankscope/quickstart")).removeRecursively());
    }

    void setupRefusesWhatItDoesNotKnow() {
        for (const QStringList& words :
             {QStringList{"--place", "moon"}, QStringList{"--only", "half"}, QStringList{"--libtorch"},
              QStringList{"--no-such"}, QStringList{"--libtorch", "/no/such/folder"}}) {
            const Ran one = run("rankscope-setup", words);
            QCOMPARE(one.code, 2);
            QVERIFY2(one.err.startsWith("rankscope-setup: ") && one.err.count('\n') == 1, qPrintable(one.err));
        }
    }

    void everyWheelHasAHash() {
        QFile file(m_prefix + "/share/rankscope/wheels.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        int wheels = 0;
        for (const QString& line : text.split('\n')) {
            if (!line.startsWith("cpu ") && !line.startsWith("cuda "))
                continue;
            const QString wheel = line.section(' ', 1);
            const QString start =
                ' ' + wheel.section("==", 0, 0).replace('-', '_') + '-' + wheel.section("==", 1) + '-';
            QVERIFY2(text.contains(start) && !wheel.contains('*'), qPrintable(wheel));
            ++wheels;
        }
        QVERIFY(wheels > 10);
    }

    void wheelsAreOfTheVersionThatWasBuiltWith() {
        QFile wheels(m_prefix + "/share/rankscope/wheels.txt"), version(m_prefix + "/lib/rankscope/libtorch-version");
        QVERIFY(wheels.open(QIODevice::ReadOnly) && version.open(QIODevice::ReadOnly));
        const QByteArray built = version.readAll().trimmed();
        QVERIFY(!built.isEmpty());
        if (!wheels.readAll().contains("\ncpu torch==" + built + '\n'))
            QSKIP(qPrintable("this build links LibTorch " + built + ", which is not the wheels' one"));
    }
#endif
};

RANKSCOPE_CORE_TEST(TestInstall)
#include "tst_install.moc"
