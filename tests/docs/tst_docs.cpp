// SPDX-License-Identifier: Apache-2.0
// Compares what the pages say about the code with the code.
#include "core/base/text/message.h"
#include "core/config/effective/effective.h"
#include "core/config/recipe/fault_spec.h"
#include "core/config/schema/key_schema.h"
#include "core/diagnosis/model/incident.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/board/board_layout.h"
#include "core/telemetry/format/records.h"
#include "tests/docs/pages.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QLatin1Char>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstddef>

using namespace rankscope;
using namespace rankscope::docs;

/// Returns the columns as the page writes them: "| table | **name** | integer, *null* |".
static QStringList columnsOf(const store::Database& db) {
    QStringList rows;
    auto columns = db.prepare("SELECT t.name, c.name, lower(c.type), c.pk, c.\"notnull\" FROM sqlite_master t, "
                              "pragma_table_info(t.name) c WHERE t.type='table' ORDER BY t.name, c.cid");
    if (!columns)
        return rows;
    for (auto row = columns->step(); row && *row; row = columns->step()) {
        const bool key = columns->integer(3) > 0;
        QString name = QString::fromStdString(columns->text(1)), type = QString::fromStdString(columns->text(2));
        if (key)
            name = QStringLiteral("**%1**").arg(name);
        if (type.isEmpty())
            type = QStringLiteral("any");
        if (!key && columns->integer(4) == 0)
            type += QStringLiteral(", *null*");
        rows << QStringLiteral("| %1 | %2 | %3 |").arg(QString::fromStdString(columns->text(0)), name, type);
    }
    return rows;
}

class TestDocs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyLinkLeadsSomewhere() {
        static const QRegularExpression link(QStringLiteral("\\]\\(([^)\\s]+)\\)"));
        int links = 0;
        QStringList broken;
        for (const QString& file : allPages()) {
            const QString text = textOf(file);
            QVERIFY2(!text.isEmpty(), qPrintable(file));
            for (auto it = link.globalMatch(withoutBlocks(text)); it.hasNext();) {
                const QString target = it.next().captured(1);
                if (target.contains(QLatin1String("://")) || target.startsWith(QLatin1String("mailto:")))
                    continue;
                ++links;
                const QString path = target.section(QLatin1Char('#'), 0, 0),
                              anchor = target.section(QLatin1Char('#'), 1);
                const QString to = path.isEmpty() ? file : QFileInfo(file).dir().filePath(path);
                if (!QFileInfo::exists(to))
                    broken << file + QStringLiteral(": no file ") + target;
                else if (!anchor.isEmpty() && !anchorsOf(textOf(to)).contains(anchor))
                    broken << file + QStringLiteral(": no heading ") + target;
            }
        }
        QVERIFY2(broken.isEmpty(), qPrintable(broken.join(QLatin1Char('\n'))));
        QVERIFY(links > 150);
    }
    /// Pages for users are listed in docs/README.md, from which the window makes its list; those for developers, and
    /// CONTRIBUTING.md, in docs/dev/README.md.
    void everyPageIsInTheIndex() {
        const QString users = page(QStringLiteral("README.md")), developers = page(QStringLiteral("dev/README.md"));
        const QDir docs(QStringLiteral(RANKSCOPE_SOURCE_DIR "/docs"));
        const auto isIn = [](const QString& index, const QString& link) {
            return index.contains(QStringLiteral("](%1)").arg(link));
        };
        for (const QString& file : docs.entryList({QStringLiteral("*.md")}, QDir::Files)) {
            const bool contributing = file == QLatin1String("CONTRIBUTING.md");
            QVERIFY2(file == QLatin1String("README.md") || isIn(users, file) != contributing, qPrintable(file));
        }
        QVERIFY(isIn(users, QStringLiteral("dev/README.md")) && isIn(developers, QStringLiteral("../CONTRIBUTING.md")));
        for (const QString& file : QDir(docs.filePath(QStringLiteral("dev"))).entryList({QStringLiteral("*.md")}))
            QVERIFY2(file == QLatin1String("README.md") || isIn(developers, file), qPrintable(file));
    }
    void everyPictureIsMadeByTheScriptAndSmall() {
        const QString script = textOf(QStringLiteral(RANKSCOPE_SOURCE_DIR "/packaging/pictures.sh"));
        QString text;
        for (const QString& file : allPages())
            text += textOf(file);
        const auto pictures =
            QDir(QStringLiteral(RANKSCOPE_SOURCE_DIR "/docs/images")).entryInfoList({"*.png"}, QDir::Files);
        QVERIFY(pictures.size() > 5);
        for (const QFileInfo& picture : pictures) {
            QVERIFY2(script.contains(picture.completeBaseName()), qPrintable(picture.fileName()));
            QVERIFY2(text.contains(QStringLiteral("images/") + picture.fileName()), qPrintable(picture.fileName()));
            QVERIFY2(picture.size() <= 150'000, qPrintable(picture.fileName()));
        }
    }
    void everyCauseIsAHeading() {
        const QSet<QString> headings = anchorsOf(page(QStringLiteral("my-run-hangs.md")));
        const QString diagnosis = page(QStringLiteral("diagnosis.md"));
        for (int i = 0; i < static_cast<int>(diagnosis::Cause::Count); ++i) {
            const auto cause = static_cast<diagnosis::Cause>(i);
            const QString name = QString::fromUtf8(causeName(cause).data(), qsizetype(causeName(cause).size()));
            QVERIFY2(headings.contains(name), qPrintable(name));
            const QString what = section(page(QStringLiteral("my-run-hangs.md")), QStringLiteral("### ") + name);
            for (const char* part : {"**The window says:**", "**Prove it:**", "**Cure:**"})
                QVERIFY2(what.contains(QLatin1String(part)), qPrintable(name + QLatin1String(part)));
            QVERIFY2(cause == diagnosis::Cause::Unknown || diagnosis.contains(QStringLiteral("| `%1` |").arg(name)),
                     qPrintable(name));
        }
    }
    void everyFaultThatIsTypedIsOne() {
        static const QRegularExpression fault(QStringLiteral("--fault ([a-z_]+:[^`'\\s]+)"));
        QSet<QString> kinds;
        for (const QString& file : allPages())
            for (auto it = fault.globalMatch(textOf(file)); it.hasNext();) {
                const QString text = it.next().captured(1);
                const auto parsed = config::parseFault(text.toStdString());
                QVERIFY2(parsed, qPrintable(text + QStringLiteral(" in ") + file));
                kinds << text.section(QLatin1Char(':'), 0, 0);
            }
        QVERIFY(kinds.size() >= 12);
    }
    /// Every key that the pages name is one that a recipe accepts.
    void everyKeyIsOne() {
        static const QRegularExpression key(
            QStringLiteral("^((model|trainer|exp_manager|rankscope)\\.[a-z_]+(\\.[a-z_]+)*)(: .*|=.*)?$"));
        const config::KeySchema& facts = config::builtinSchema();
        int seen = 0;
        for (const char* name :
             {"my-run-hangs.md", "nemo-users.md", "guide.md", "diagnosis.md", "recipe-keys.md", "optimizers.md"})
            for (const QString& span : spansOf(page(QLatin1String(name)))) {
                const auto match = key.match(span);
                if (!match.hasMatch())
                    continue;
                const std::string dotted = match.captured(1).toStdString();
                ++seen;
                const bool section = facts.section(dotted) != nullptr || dotted == "rankscope.faults";
                QVERIFY2(section || facts.key(dotted) != nullptr,
                         qPrintable(QLatin1String(name) + QString(": ") + span));
            }
        QVERIFY(seen > 40);
    }
    /// recipe-keys.md has one row for each key of `rankscope:`, "| `rankscope.seed` | null | int or null, from 0 |",
    /// with the default and the types that the schema has, and no row for another key.
    void everyKeyOfRankscopeIsOnItsPage() {
        const QString text = page(QStringLiteral("recipe-keys.md"));
        static const QRegularExpression row(QStringLiteral("^\\| `(rankscope\\.[a-z_.]+)` \\| ([^|]*) \\| ([^|]*) \\|"),
                                            QRegularExpression::MultilineOption);
        QMap<QString, QStringList> rows; // default, type and range
        for (auto it = row.globalMatch(text); it.hasNext();) {
            const auto match = it.next();
            QVERIFY2(!rows.contains(match.captured(1)), qPrintable(match.captured(1)));
            rows[match.captured(1)] = {match.captured(2), match.captured(3)};
        }
        const QString faults = section(text, QStringLiteral("## Faults"));
        int keys = 0;
        for (const config::SectionSpec& spec : config::builtinSchema().sections) {
            const QString at = QString::fromStdString(spec.at);
            if (at != QLatin1String("rankscope") && !at.startsWith(QLatin1String("rankscope.")))
                continue;
            const bool fault = at.endsWith(QLatin1String("[]"));
            for (const config::KeySpec& key : spec.keys) {
                const QString name = QString::fromStdString(key.name), dotted = at + QLatin1Char('.') + name;
                if (fault) {
                    QVERIFY2(faults.contains(QStringLiteral("| `%1` |").arg(name)), qPrintable(dotted));
                    continue;
                }
                ++keys;
                QVERIFY2(rows.contains(dotted), qPrintable(dotted));
                QStringList types;
                for (const std::string& type : key.types)
                    types << QString::fromStdString(type);
                QVERIFY2(rows[dotted][1].startsWith(types.join(QStringLiteral(" or "))), qPrintable(dotted));
                QCOMPARE(rows[dotted][0], QString::fromStdString(key.code.value_or("")).remove(QLatin1Char('"')));
            }
        }
        QCOMPARE(rows.size(), qsizetype(keys));
        QVERIFY(keys > 25);
    }
    void theStoresColumnsAreThosePrinted() {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("run.sqlite").toStdString();
        {
            auto made = store::RunWriter::open(file, {"x", 1, 0, 0, 10});
            QVERIFY(made);
            store::ImportedValue value; // creates the tables of an imported run
            value.tag = "some/tag";
            QVERIFY(made->import(std::span(&value, 1)));
            QVERIFY(made->finish());
        }
        const auto db = store::Database::open(file, store::OpenMode::ReadOnly);
        QVERIFY(db);
        QStringList there = columnsOf(*db), told;
        QVERIFY(there.size() > 150);
        static const QRegularExpression row(QStringLiteral("^(\\| [a-z_]+ \\| [*a-z_]+ \\| [a-z]+(, \\*null\\*)? \\|)"),
                                            QRegularExpression::MultilineOption);
        const QString storePage = page(QStringLiteral("dev/store.md"));
        for (auto it = row.globalMatch(section(storePage, QStringLiteral("## Every column"))); it.hasNext();)
            told << it.next().captured(1);
        there.sort();
        told.sort();
        for (const QString& column : there)
            QVERIFY2(told.contains(column), qPrintable(QStringLiteral("dev/store.md lacks ") + column));
        for (const QString& column : told)
            QVERIFY2(there.contains(column), qPrintable(QStringLiteral("no store has ") + column));
        QCOMPARE(told.size(), there.size());
        const QString version = QStringLiteral("is the schema's, %1 ").arg(*db->scalar("PRAGMA user_version"));
        QVERIFY2(storePage.contains(version), qPrintable(version));
    }
    void recordsHaveTheLengthsPrinted() {
        const QString text = section(page(QStringLiteral("dev/telemetry.md")), QStringLiteral("### Records"));
        static const QRegularExpression row(QStringLiteral("^\\| (\\d+) \\| [a-z]+ \\| (\\d+) \\|"),
                                            QRegularExpression::MultilineOption);
        QSet<int> types;
        for (auto it = row.globalMatch(text); it.hasNext();) {
            const auto match = it.next();
            const int type = match.captured(1).toInt();
            types << type;
            QCOMPARE(match.captured(2).toULongLong(),
                     qulonglong(telemetry::recordBytes(static_cast<telemetry::RecordType>(type))));
        }
        QCOMPARE(types.size(), qsizetype(static_cast<int>(telemetry::RecordType::Count) - 1));
        QString phases, operations;
        for (int i = 0; i < static_cast<int>(telemetry::Phase::Count); ++i)
            phases += QStringLiteral("%1 %2, ").arg(i).arg(
                QString::fromStdString(std::string(phaseName(static_cast<telemetry::Phase>(i)))));
        for (int i = 0; i < static_cast<int>(telemetry::CollectiveOp::Count); ++i)
            operations += QStringLiteral("%1 %2, ").arg(i).arg(
                QString::fromStdString(std::string(opName(static_cast<telemetry::CollectiveOp>(i)))));
        const QString simple = QString(text).simplified();
        QVERIFY2(simple.contains(phases.chopped(2) + QLatin1Char('.')), qPrintable(phases));
        QVERIFY2(simple.contains(operations.chopped(2) + QLatin1Char('.')), qPrintable(operations));
    }
    void theBoardsOffsetsAreThosePrinted_data() {
        using namespace telemetry;
        QTest::addColumn<qulonglong>("offset");
        QTest::addColumn<QString>("field");
        const auto training = [](std::size_t at) { return qulonglong(offsetof(BoardPage, training) + 8 + at); };
        const auto entered = [](std::size_t at) { return qulonglong(offsetof(BoardGroup, arrived) + 8 + at); };
        QTest::newRow("rank") << training(offsetof(BoardTraining, rank)) << "rank";
        QTest::newRow("epoch") << training(offsetof(BoardTraining, epoch)) << "epoch";
        QTest::newRow("hash") << training(offsetof(BoardTraining, configHash)) << "hash of the configuration";
        QTest::newRow("step") << training(offsetof(BoardTraining, step)) << "step";
        QTest::newRow("phase since") << training(offsetof(BoardTraining, phaseSinceNs)) << "phase begun at";
        QTest::newRow("stage") << training(offsetof(BoardTraining, stage)) << "stage";
        QTest::newRow("place") << training(offsetof(BoardTraining, place)) << "place";
        QTest::newRow("batch") << training(offsetof(BoardTraining, batchSize)) << "batch size";
        QTest::newRow("longest") << training(offsetof(BoardTraining, longestFrames)) << "longest of the batch";
        QTest::newRow("shape") << training(offsetof(BoardTraining, inputShape)) << "shape";
        QTest::newRow("device") << training(offsetof(BoardTraining, device)) << "device";
        QTest::newRow("queue") << qulonglong(offsetof(BoardPage, queue)) << "queue";
        QTest::newRow("dropped") << qulonglong(offsetof(BoardPage, dropped)) << "dropped";
        QTest::newRow("groups") << qulonglong(offsetof(BoardPage, groups)) << "group";
        QTest::newRow("count") << entered(offsetof(BoardArrival, count)) << "elements";
        QTest::newRow("operation") << entered(offsetof(BoardArrival, op)) << "operation";
        QTest::newRow("tag") << entered(offsetof(BoardArrival, tag)) << "tag";
        QTest::newRow("handed over") << qulonglong(offsetof(BoardGroup, started)) << "handed to the transport";
    }
    void theBoardsOffsetsAreThosePrinted() {
        QFETCH(qulonglong, offset);
        QFETCH(QString, field);
        const QString board = section(page(QStringLiteral("dev/telemetry.md")), QStringLiteral("## Board"));
        bool found = false;
        for (const QString& line : board.split(QLatin1Char('\n'))) {
            const QStringList cells = line.split(QLatin1Char('|'));
            if (cells.size() > 3)
                found |= cells[1].trimmed().split(QStringLiteral(", ")).contains(QString::number(offset)) &&
                         line.contains(field);
        }
        QVERIFY2(found, qPrintable(QStringLiteral("%1 at %2").arg(field).arg(offset)));
    }
    /// The window is under the GPL, everything else under the Apache License, and LICENSE and the packages say so.
    void everySourceNamesItsLicence() {
        const QString root = QStringLiteral(RANKSCOPE_SOURCE_DIR "/");
        const QStringList window{"widgets/", "app/workbench/", "tests/widgets/"};
        int seen = 0;
        for (const char* folder : {"core", "app", "widgets", "tests/widgets", "packaging"}) {
            QDirIterator it(root + QLatin1String(folder), {"*.h", "*.cpp", "*.py", "*.sh", "*.cmake", "CMakeLists.txt"},
                            QDir::Files, QDirIterator::Subdirectories);
            for (; it.hasNext(); ++seen) {
                const QString file = it.next();
                const bool isWindow = std::any_of(window.begin(), window.end(),
                                                  [&](const QString& part) { return file.startsWith(root + part); });
                const QString line = QStringLiteral("SPDX-License-Identifier: ") +
                                     QLatin1String(isWindow ? "GPL-3.0-or-later" : "Apache-2.0");
                QVERIFY2(textOf(file).left(400).contains(line), qPrintable(file + QStringLiteral(": not ") + line));
            }
        }
        QVERIFY(seen > 500);
        const QString licence = textOf(root + QStringLiteral("LICENSE")),
                      packages = textOf(root + QStringLiteral("packaging/deb/copyright"));
        for (const QString& part : window)
            QVERIFY2(licence.contains(part), qPrintable(part));
        for (const char* file : {"man/man1/rankscope.1.gz", "bash-completion/completions/rankscope",
                                 "fish/vendor_completions.d/rankscope.fish", "zsh/vendor-completions/_rankscope"})
            QVERIFY2(packages.contains(QLatin1String(file)), file);
    }
    void everyTestThatIsNamedIsThere() {
        QSet<QString> names;
        QDirIterator it(QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests"), {"*.cpp"}, QDir::Files,
                        QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QFileInfo file(it.next());
            const QString name = file.completeBaseName();
            names << name;
            if (name.startsWith(QStringLiteral("tst_"))) // some folders' tests are named after them
                names << QStringLiteral("tst_%1_%2").arg(file.dir().dirName(), name.mid(4));
        }
        static const QRegularExpression test(QStringLiteral("`((?:tst|test|accept|fuzz)_[a-z_]+)`(?: \\(([^)]*)\\))?"));
        int seen = 0;
        for (const QString& file : allPages())
            for (auto match = test.globalMatch(textOf(file)); match.hasNext(); ++seen) {
                const QString name = match.next().captured(1);
                QVERIFY2(names.contains(name), qPrintable(name + QStringLiteral(" in ") + file));
            }
        QVERIFY(seen > 30);
    }
    /// Each page of docs/zh translates the English page of the same name, names the same commands and keys, and links
    /// to Chinese pages if there are any.
    void everyChinesePageIsThatOfAnEnglishOne() {
        const QDir folder(QStringLiteral(RANKSCOPE_SOURCE_DIR "/docs/zh"));
        static const QRegularExpression link(QStringLiteral("\\]\\(\\.\\./([^)#/\\s]+\\.md)"));
        const QFileInfoList files = folder.entryInfoList({"*.md"}, QDir::Files);
        QVERIFY(files.size() > 7);
        for (const QFileInfo& file : files) {
            const QString chinese = textOf(file.filePath()), english = page(file.fileName());
            QVERIFY2(!english.isEmpty(), qPrintable(file.fileName()));
            QVERIFY2(chinese.startsWith(QLatin1String("# ")), qPrintable(file.fileName()));
            for (auto it = link.globalMatch(chinese); it.hasNext();) {
                const QString target = it.next().captured(1);
                QVERIFY2(!folder.exists(target), qPrintable(file.fileName() + QStringLiteral(" to ../") + target));
            }
            if (file.fileName() == QLatin1String("README.md")) // describes the pages in its own words
                continue;
            for (const QString& span : spansOf(chinese))
                QVERIFY2(english.contains(span), qPrintable(file.fileName() + QStringLiteral(": ") + span));
        }
    }
    void theKeysAreTheSameInChinese() {
        static const QRegularExpression row(QStringLiteral("^\\| ([^|]+) \\| [^|]+ \\|$"),
                                            QRegularExpression::MultilineOption);
        QStringList keys[2];
        for (int i = 0; i < 2; ++i)
            for (auto it = row.globalMatch(page(QLatin1String(i == 0 ? "keys.md" : "zh/keys.md"))); it.hasNext();)
                if (const QString key = it.next().captured(1);
                    key != QLatin1String("key") && key != QStringLiteral("按键") && key != QLatin1String("---"))
                    keys[i] << key;
        QVERIFY(keys[0].size() > 70);
        QCOMPARE(keys[1], keys[0]);
    }
    void everyCauseIsAHeadingInChinese() {
        const QString text = page(QStringLiteral("zh/my-run-hangs.md")),
                      english = page(QStringLiteral("my-run-hangs.md"));
        for (int i = 0; i < static_cast<int>(diagnosis::Cause::Count); ++i) {
            const auto name = causeName(static_cast<diagnosis::Cause>(i));
            const QString heading = QStringLiteral("### ") + QString::fromUtf8(name.data(), qsizetype(name.size()));
            const QString what = section(text, heading);
            QStringList parts{QStringLiteral("**窗口里写的：**"), QStringLiteral("**怎样确认：**"),
                              QStringLiteral("**怎样解决：**")};
            if (section(english, heading).contains(QLatin1String("**See it yourself:**"))) // not all can be shown
                parts << QStringLiteral("**自己试：**");
            for (const QString& part : parts)
                QVERIFY2(what.contains(part), qPrintable(heading + part));
        }
    }
    /// Bold words on a Chinese page are labels of the window, as translated there, except for those before a colon.
    void everyLabelOfAChinesePageIsTheWindows() {
        static const QRegularExpression translation(
            QStringLiteral("<(?:translation|numerusform)[^>]*>([^<]+)</(?:translation|numerusform)>"));
        static const QRegularExpression mnemonic(QStringLiteral("\\(&amp;.\\)|…$"));
        static const QRegularExpression bold(QStringLiteral("\\*\\*([^*\n]+)\\*\\*(：?)"));
        QSet<QString> labels{QStringLiteral("⋯")}; // the button of a menu
        const QString texts = textOf(QStringLiteral(RANKSCOPE_SOURCE_DIR "/resources/translations/rankscope_zh_CN.ts"));
        for (auto it = translation.globalMatch(texts); it.hasNext();)
            labels << it.next().captured(1).remove(mnemonic);
        for (const auto& [id, chinese] : chinesePatterns())
            labels << QString::fromStdString(chinese);
        QVERIFY(labels.size() > 1000);
        int seen = 0;
        for (const QFileInfo& file :
             QDir(QStringLiteral(RANKSCOPE_SOURCE_DIR "/docs/zh")).entryInfoList({"*.md"}, QDir::Files))
            for (auto it = bold.globalMatch(withoutBlocks(textOf(file.filePath()))); it.hasNext();) {
                const auto match = it.next();
                if (match.captured(1).endsWith(QChar(u'：')) || !match.captured(2).isEmpty())
                    continue;
                for (QString label : match.captured(1).split(QStringLiteral(" > "))) {
                    label.remove(mnemonic);
                    ++seen;
                    QVERIFY2(labels.contains(label), qPrintable(file.fileName() + QStringLiteral(": ") + label));
                }
            }
        QVERIFY(seen > 50);
    }
};

RANKSCOPE_TEST(TestDocs)
#include "tst_docs.moc"
