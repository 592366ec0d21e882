// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/config/launch/run_launcher.h"
#include "widgets/config/recipe/text_change.h"
#include "widgets/config/recipe/working_folder.h"

#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::ui;

class TextChangeTest : public QObject {
    Q_OBJECT

private slots:
    void smallestChange() {
        const TextChange change = changeBetween("a: true # on\n", "a: false # on\n");
        QCOMPARE(change.offset, std::size_t(3));
        QCOMPARE(change.removed, std::string("tru"));
        QCOMPARE(change.inserted, std::string("fals"));
        QCOMPARE(change.apply("a: true # on\n"), std::string("a: false # on\n"));
        QVERIFY(changeBetween("same", "same").empty());
    }

    void neverSplitsACharacter() {
        // both characters begin with the same byte
        const TextChange change = changeBetween("x\u4e2dy", "x\u4e2ey");
        QCOMPARE(change.removed, std::string("\u4e2d"));
        QCOMPARE(change.inserted, std::string("\u4e2e"));
    }

    void randomChangesGoThereAndBack() {
        QRandomGenerator random(7);
        const auto text = [&] {
            static const char* parts[] = {"a", "b", "\n", "\r\n", "\u4e2d", "\u00e9", " ", ": "};
            std::string out;
            for (int i = random.bounded(12); i > 0; --i)
                out += parts[random.bounded(8)];
            return out;
        };
        for (int i = 0; i < 3000; ++i) {
            const std::string a = text(), b = text();
            const TextChange change = changeBetween(a, b);
            QCOMPARE(change.apply(a), b);
            QCOMPARE(change.inverse().apply(b), a);
        }
    }

    void lineEndsOfTheFileSurviveAnEditOfTheShownText() {
        const std::string bytes = "# head\r\na: 1\r\nb: 2\r\n";
        const std::string shown = withLineFeeds(bytes);
        QCOMPARE(shown, std::string("# head\na: 1\nb: 2\n"));
        const TextChange change = toBytes(changeBetween(shown, "# head\na: 1\nnew: x\nb: 2\n"), bytes);
        QCOMPARE(change.apply(bytes), std::string("# head\r\na: 1\r\nnew: x\r\nb: 2\r\n"));
    }

    void mixedLineEndsKeepTheUntouchedOnes() {
        const std::string bytes = "a: 1\r\nb: 2\nc: 3\r\n";
        const std::string shown = withLineFeeds(bytes);
        const TextChange change = toBytes(changeBetween(shown, "a: 9\nb: 2\nc: 3\n"), bytes);
        QCOMPARE(change.apply(bytes), std::string("a: 9\r\nb: 2\nc: 3\r\n"));
    }

    void overridesSplitAtBlanksOutsideOfQuotes() {
        QCOMPARE(splitOverrides(QStringLiteral("a.b=1  +c=[1, 2] ~d e='x y'")),
                 QStringList({QStringLiteral("a.b=1"), QStringLiteral("+c=[1, 2]"), QStringLiteral("~d"),
                              QStringLiteral("e='x y'")}));
        QVERIFY(splitOverrides(QStringLiteral("   ")).isEmpty());
        const QStringList words{QStringLiteral("a.b=1"), QStringLiteral("+c=[1, 2]"), QStringLiteral("~d"),
                                QStringLiteral("e=x y"), QStringLiteral("f=it's so")};
        QCOMPARE(joinOverrides(words), QStringLiteral("a.b=1 +c=[1, 2] ~d e='x y' f=\"it's so\""));
        QCOMPARE(splitOverrides(joinOverrides(words)).size(), words.size());
    }

    void replyOfLaunch() {
        const auto dir = runDirFromReply("note\n{\"id\":\"r-1\",\"path\":\"/runs/r-1\"}\n");
        QVERIFY(dir);
        QCOMPARE(*dir, QStringLiteral("/runs/r-1"));
        QVERIFY(!runDirFromReply("started\n"));
        QVERIFY(!runDirFromReply("{\"id\": 5}"));
    }

    void workingFolderIsWhereTheManifestsAre() {
        QTemporaryDir dir;
        QDir root(dir.path());
        QVERIFY(root.mkpath(QStringLiteral("project/configs")));
        QVERIFY(root.mkpath(QStringLiteral("project/data")));
        QVERIFY(root.mkpath(QStringLiteral("elsewhere")));
        QFile manifest(root.filePath(QStringLiteral("project/data/train.json")));
        QVERIFY(manifest.open(QIODevice::WriteOnly));
        const QString recipe = root.filePath(QStringLiteral("project/configs/a.yaml"));
        const QStringList wanted{QStringLiteral("data/train.json")};

        const auto above = chooseWorkingFolder(wanted, root.filePath(QStringLiteral("elsewhere")), {recipe});
        QCOMPARE(above.path, root.filePath(QStringLiteral("project")));
        QVERIFY(above.missing.isEmpty());

        const auto started = chooseWorkingFolder(wanted, root.filePath(QStringLiteral("project")), {recipe});
        QCOMPARE(started.path, root.filePath(QStringLiteral("project")));

        const auto nowhere = chooseWorkingFolder({QStringLiteral("none.json")}, dir.path(), {recipe});
        QCOMPARE(nowhere.path, dir.path());
        QCOMPARE(nowhere.missing, QStringList{QStringLiteral("none.json")});
    }

    void manifestsOfARecipe() {
        rankscope::config::Effective effective;
        const auto add = [&](const char* key, const char* value) {
            rankscope::config::KeyRow row;
            row.key = key;
            row.effective = value;
            effective.rows.push_back(row);
        };
        add("model.train_ds.manifest_filepath", "[a.json, 'b.json']");
        add("model.train_ds.noise_manifest", "null");
        add("model.validation_ds.manifest_filepath", "a.json");
        add("model.validation_ds.batch_size", "8");
        QCOMPARE(manifestsOf(effective), QStringList({QStringLiteral("a.json"), QStringLiteral("b.json")}));
    }
};

RANKSCOPE_TEST(TextChangeTest)
#include "tst_text_change.moc"
