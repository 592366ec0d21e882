// SPDX-License-Identifier: Apache-2.0
// Torn, cut off, newer and foreign stores: what is wrong is said, what can be read is read, and nothing changes.
#include "core/base/file.h"
#include "store_damage.h"
#include "synthetic.h"

#include <QtTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

namespace fs = std::filesystem;

/// All that a page of the window reads of a store, as text; parts that could not be read are left out.
static std::string everything(RunReader& reader) {
    std::string text;
    const auto add = [&](auto value) { text += std::to_string(value) + ' '; };
    if (const auto ranks = reader.ranks())
        for (const auto& r : *ranks)
            add(r.rank), add(r.firstStep), add(r.lastStep), add(r.lastNs), add(r.waitedNs), add(r.heldNs);
    if (const auto notes = reader.notes(0, 10'000))
        for (const auto& n : *notes)
            text += n.text;
    if (const auto incidents = reader.incidents())
        for (const auto& i : *incidents)
            add(i.id), add(i.openedNs),
                text += i.evidence.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (const auto rows = reader.validations(-1, 10'000))
        for (const auto& v : *rows)
            add(v.step), add(v.loss);
    if (const auto checks = reader.checks())
        for (const auto& c : *checks)
            text += c.name + c.text;
    if (const auto counters = reader.counters())
        for (const auto& c : *counters)
            text += c.name, add(c.value);
    if (const auto cells = reader.waits(0, 100'000))
        for (const auto& c : *cells)
            add(c.waiter), add(c.holder), add(c.waitNs);
    for (int rank = 0; rank < reader.meta().worldSize && rank < 4; ++rank)
        for (const int points : {20, 100'000})
            for (const Metric metric : {Metric::Loss, Metric::WaitTotal})
                if (const auto series = reader.series(metric, rank, 0, 1'000'000, points))
                    for (const auto& p : *series)
                        add(p.firstStep), add(p.lastStep), add(p.min), add(p.max), add(p.mean);
    (void)reader.memory();
    (void)reader.stacks();
    (void)reader.collectives(-1, 1000, 10'000);
    (void)reader.phases(-1, 1000, 10'000);
    (void)reader.explainWaits({0, 1'000'000});
    (void)reader.seriesByTime(Metric::Loss, 0, 0, INT64_MAX, 100);
    (void)reader.facts(0, 0, INT64_MAX, 100);
    return text;
}

class TestStoreDamage : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_run, m_file;
    std::string m_sound, m_text;

    fs::path log() const { return m_file.string() + "-wal"; }
    void put(const std::string& bytes) {
        fs::remove_all(m_run);
        fs::create_directories(m_run);
        damage::writeBytes(m_file, bytes);
        damage::writeBytes(m_run / "run.json", "{}");
    }
    /// What opening and reading everything says; nothing in the folder may change.
    std::string look(std::string* read = nullptr, StoreCondition* condition = nullptr) {
        const auto before = damage::pictureOf(m_run);
        std::string said;
        {
            auto reader = RunReader::open(m_file);
            if (!reader) {
                said = reader.error().message();
            } else {
                const std::string text = everything(*reader);
                said = describe(reader->condition(), m_file);
                if (read)
                    *read = text;
                if (condition)
                    *condition = reader->condition();
            }
        }
        const QString changed = damage::difference(before, damage::pictureOf(m_run));
        if (!changed.isEmpty())
            qFatal("%s", qPrintable(changed));
        return said;
    }
    /// As `look`, and the message holds all of these.
    void says(const QStringList& parts) {
        const QString said = QString::fromStdString(look());
        for (const QString& part : parts)
            QVERIFY2(said.contains(part), qPrintable(said + " / " + part));
    }

private slots:
    void initTestCase() {
        m_run = fs::path(m_dir.path().toStdString()) / "run";
        m_file = m_run / "run.sqlite";
        fs::create_directories(m_run);
        Options options;
        options.steps = 700;
        {
            auto store = RunStore::open(m_file, meta(2));
            QVERIFY(store && commitAll(*store, makeStream(options), 3));
            for (int i = 0; i < 300; ++i)
                QVERIFY(store->note(telemetry::Severity::Info, "note " + std::to_string(i) + std::string(100, 'n'),
                                    kStartNs + i));
            QVERIFY(store->finish());
        }
        QVERIFY(!fs::exists(log()));
        m_sound = damage::bytesOf(m_file);
        QVERIFY(m_sound.size() > 100 * 8192);
        auto reader = RunReader::open(m_file);
        QVERIFY(reader && reader->condition().sound());
        m_text = everything(*reader);
        QVERIFY(reader->condition().sound() && m_text.size() > 10'000);
    }

    void soundOnesAreLeftAlone() {
        put(m_sound);
        std::string text;
        QCOMPARE(look(&text), std::string());
        QCOMPARE(text, m_text);
        QVERIFY(checkWhole(m_file));
    }

    /// A killed writer's log holds all of its rows; viewing it leaves log and index as they are.
    void aLeftOverLogIsReadAndKept() {
        fs::remove_all(m_run);
        fs::create_directories(m_run);
        const pid_t child = ::fork();
        if (child == 0) {
            Options options;
            options.steps = 60;
            auto store = RunStore::open(m_file, meta(2));
            (void)commitAll(*store, makeStream(options), 3);
            ::raise(SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
        QVERIFY(fs::file_size(log()) > 100'000);
        std::string whole;
        QCOMPARE(look(&whole), std::string());
        QVERIFY(whole.size() > 1000);
        // without its index, which a reader would make anew
        fs::remove(m_file.string() + "-shm");
        std::string text;
        QCOMPARE(look(&text), std::string());
        QCOMPARE(text, whole);
        // what was committed last is torn: the rows in front of it are there
        const std::string bytes = damage::bytesOf(log());
        std::string torn = bytes;
        for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 5000; ++i)
            torn[i] = static_cast<char>(torn[i] ^ 0x55);
        damage::writeBytes(log(), torn);
        says({"run.sqlite-wal is damaged", "measured last", ".recover"});
        look(&text);
        QVERIFY(text != whole);
        damage::writeBytes(log(), std::string(bytes.size(), '\0'));
        const QString said = QString::fromStdString(look());
        QVERIFY2(said.contains("run.sqlite"), qPrintable(said)); // all was in the log
        // and without it
        fs::remove(log());
        QVERIFY(!look().empty());
    }

    /// Who opens a killed writer's store and gives up, as on a full disk, leaves it as it was.
    void aFailedReopeningLeavesTheLog() {
        fs::remove_all(m_run);
        fs::create_directories(m_run);
        const pid_t child = ::fork();
        if (child == 0) {
            Options options;
            options.steps = 60;
            auto store = RunStore::open(m_file, meta(2));
            (void)commitAll(*store, makeStream(options), 3);
            ::raise(SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
        const auto bytes = fs::file_size(log());
        auto another = meta(2);
        another.id = "another";
        QVERIFY(!RunStore::open(m_file, another));
        QVERIFY(fs::exists(log()));
        QCOMPARE(fs::file_size(log()), bytes);
        QVERIFY(checkWhole(m_file));
        QVERIFY(RunStore::reopen(m_file));
        QVERIFY(checkWhole(m_file));
    }

    void aLogThatIsMissingIsSaid() {
        fs::remove_all(m_run);
        fs::create_directories(m_run);
        const pid_t child = ::fork();
        if (child == 0) {
            Options options;
            options.steps = 900; // so many that the log was put into the file once at least
            auto store = RunStore::open(m_file, meta(2));
            (void)commitAll(*store, makeStream(options), 3);
            ::raise(SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
        QVERIFY(fs::file_size(m_file) > 1'000'000);
        QCOMPARE(look(), std::string());
        fs::remove(log());
        says({"run.sqlite-wal is not there any more", "measured last"});
        QCOMPARE(checkWhole(m_file).error().code, Errc::Malformed);
    }

    void foreignFiles_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << QByteArray() << "is empty";
        QTest::newRow("text") << QByteArray(9000, 'x') << "it is a text";
        QTest::newRow("short text") << QByteArray("hello\n") << "it is a text";
        QTest::newRow("zeros") << QByteArray(20'000, '\0') << "holds only zeros";
        QTest::newRow("bytes") << QByteArray(20'000, '\x9c') << "no SQLite file";
        QTest::newRow("header alone") << QByteArray(m_sound.data(), 16) << "nothing in it can be read";
        QTest::newRow("one page") << QByteArray(m_sound.data(), 4000) << "nothing in it can be read";
    }
    void foreignFiles() {
        QFETCH(const QByteArray, bytes);
        QFETCH(const QString, says);
        put(bytes.toStdString());
        this->says({says, "run.sqlite"});
    }

    void whatIsNoFile() {
        put(m_sound);
        fs::remove(m_file);
        says({"there is no store"});
        fs::create_directory(m_file);
        says({"is a folder"});
        fs::remove(m_file);
        QCOMPARE(::mkfifo(m_file.c_str(), 0600), 0);
        says({"is no file but a pipe"});
        fs::remove(m_file);
        fs::create_symlink("run.sqlite", m_file);
        says({"may not be read", "symbolic links"});
        // a log that is none does not keep the store from being read
        put(m_sound);
        fs::create_directory(log());
        QCOMPARE(look(), std::string());
        fs::remove(log());
        QCOMPARE(::mkfifo(log().c_str(), 0600), 0);
        QCOMPARE(look(), std::string());
    }

    void otherDatabases() {
        put({});
        QVERIFY(damage::execute(m_file, "CREATE TABLE t(x); INSERT INTO t VALUES(1)"));
        says({"a database of another program"});
        put({});
        QVERIFY(damage::execute(m_file, "PRAGMA application_id=0x52534350; PRAGMA user_version=3; CREATE TABLE t(x)"));
        says({"it has no table rank"});
        put({});
        QVERIFY(damage::execute(m_file, "PRAGMA application_id=0x52534350; PRAGMA user_version=-4; CREATE TABLE t(x)"));
        says({"impossible schema version, -4"});
    }

    void newerOnesAreReadAsFarAsTheyGo() {
        put(m_sound);
        QVERIFY(damage::execute(m_file, "PRAGMA user_version=7; CREATE TABLE more(x); ALTER TABLE step ADD COLUMN y"));
        std::string text;
        StoreCondition condition;
        says({"written by a newer Rankscope (schema 7, this one knows 3)", "shown is what this version understands"});
        look(&text, &condition);
        QCOMPARE(text, m_text);
        QVERIFY(!condition.damaged() && condition.newerSchema == 7);
        QCOMPARE(RunStore::reopen(m_file).error().code, Errc::Unsupported);
        QCOMPARE(checkWhole(m_file).error().code, Errc::Unsupported);
        QVERIFY(damage::execute(m_file, "ALTER TABLE note RENAME TO message"));
        says({"newer Rankscope", "table note cannot be read whole (it is missing)"});
        QVERIFY(damage::execute(m_file, "ALTER TABLE step RENAME TO steps"));
        says({"schema 7", "open it with that version"});
    }

    void whatCannotBeIsLeftOut() {
        struct Case {
            const char *sql, *table;
        };
        for (const Case& c :
             {Case{"INSERT INTO rank(rank) VALUES(-7),(2),(9000000000)", "rank"},
              Case{"UPDATE rank SET last_step=9223372036854775807, last_ns=-9223372036854775807", ""},
              Case{"UPDATE note SET rank=77 WHERE id=5", "note"}, Case{"UPDATE counter SET value=-1", "counter"},
              Case{"UPDATE step SET begin_ns=9223372036854775807 WHERE step=5", "step"},
              Case{"INSERT INTO step(rank,step,flags,complete,not_finite,begin_ns,end_ns,loss) "
                   "VALUES(0,9000000000000000000,0,1,0,1,2,1)",
                   "step"},
              Case{"UPDATE step SET loss='many', frames_max=x'00ff'", ""},
              Case{"UPDATE pyramid SET min=5, max=-5", "pyramid"}, Case{"UPDATE pyramid SET count=-3", "pyramid"},
              Case{"UPDATE wait_pair SET holder=5000", "wait_pair"},
              Case{"UPDATE wait_pair SET wait_ns=9223372036854775807", ""},
              Case{"UPDATE collective SET wait_ns=9223372036854775807, holder=-9 WHERE step>3", ""},
              Case{"UPDATE phase SET begin_ns=-9223372036854775808, phase=99", ""},
              Case{"UPDATE meta SET value=-5 WHERE key='world_size'", "?"},
              Case{"UPDATE meta SET value='x' WHERE key='id'", ""},
              Case{"UPDATE note SET text=zeroblob(30000000) WHERE id=8", "note"},
              Case{"DROP TABLE counter; CREATE TABLE counter(name TEXT)", "counter"},
              Case{"DROP TABLE counter; CREATE VIEW counter AS WITH RECURSIVE n(i) AS (SELECT 1 UNION "
                   "ALL SELECT i FROM n) SELECT 'a' AS name, i AS rank, sum(i) AS value FROM n",
                   "counter"},
              Case{"INSERT INTO incident VALUES(900,'data_loading',1,'[-3]','[0]',NULL,NULL,NULL,NULL,"
                   "1,1,0,5,5,9,1,'','','','{}')",
                   "incident"}}) {
            put(m_sound);
            QVERIFY2(damage::execute(m_file, c.sql), c.sql);
            const std::string said = look();
            const std::string table = c.table;
            if (table == "?")
                QVERIFY2(said.find("impossible number of ranks") != std::string::npos, said.c_str());
            else if (!table.empty())
                QVERIFY2(said.find("table " + table + " ") != std::string::npos, (c.sql + ("\n" + said)).c_str());
        }
        // what run.json says stands in for a store that does not say it any more
        put(m_sound);
        QVERIFY(damage::execute(m_file, "DELETE FROM meta"));
        QVERIFY(!RunReader::open(m_file));
        const RunMeta known = meta(2);
        auto reader = RunReader::open(m_file, &known);
        QVERIFY(reader && reader->condition().tables.contains("meta"));
        QCOMPARE(reader->series(Metric::Loss, 1, 0, 1000, 1000)->size(), std::size_t{700});
    }

    /// Cut off anywhere: said, and the rows in front are there as long as the file still tells of its tables.
    void cutOff() {
        std::size_t read = 0;
        for (std::size_t size = 1; size < m_sound.size(); size += size < 200 ? 37 : 40'961) {
            put(m_sound.substr(0, size));
            std::string text;
            StoreCondition condition;
            const std::string said = look(&text, &condition);
            QVERIFY2(!said.empty(), qPrintable(QString::number(size)));
            if (!text.empty()) {
                QVERIFY(condition.missingPages > 0);
                QVERIFY2(said.find("was cut off") != std::string::npos, said.c_str());
                ++read;
            }
            QVERIFY(!checkWhole(m_file));
        }
        QVERIFY2(read > 10, qPrintable(QString::number(read)));
    }

    /// One page that is bad: what is on others is read.
    void aBadPageBlanksNothingElse() {
        const std::size_t pages = m_sound.size() / 8192;
        std::size_t opened = 0, said = 0, gaps = 0, blank = 0;
        for (std::size_t page = 1; page < pages; ++page) {
            std::string bytes = m_sound;
            damage::spoilPage(bytes, page);
            put(bytes);
            std::string text;
            const std::string says = look(&text);
            if (text.empty())
                continue;
            ++opened;
            said += !says.empty();
            QVERIFY2(!says.empty() || text == m_text, qPrintable(QString::number(page)));
            auto reader = RunReader::open(m_file);
            const auto points = reader->series(Metric::Loss, 0, 0, 1000, 1000);
            QVERIFY(points);
            blank += points->empty(); // the root of the steps
            if (!points->empty() && points->size() < 700 && points->back().lastStep == 699)
                ++gaps; // the steps behind the bad page are there, too
        }
        QVERIFY2(opened > pages - 8, qPrintable(QString("%1 of %2").arg(opened).arg(pages)));
        QVERIFY(said > pages / 4);
        QVERIFY(gaps > 3);
        QVERIFY(blank <= 1);
    }

    void anyDamage() {
        std::mt19937 random(2024);
        std::size_t read = 0;
        for (int round = 0; round < 300; ++round) {
            std::string bytes = m_sound;
            const int kind = round % 5;
            if (kind < 2) { // single bytes
                for (unsigned i = 0; i < 1 + random() % 200; ++i)
                    bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
            } else if (kind == 2) { // pages
                for (unsigned i = 0; i < 1 + random() % 10; ++i)
                    damage::spoilPage(bytes, 1 + random() % (bytes.size() / 8192 - 1),
                                      random() % 2 ? &random : nullptr);
            } else if (kind == 3) { // a page in another's place: every one of them sound
                for (unsigned i = 0; i < 1 + random() % 5; ++i) {
                    const std::size_t a = 1 + random() % (bytes.size() / 8192 - 1);
                    const std::size_t b = 1 + random() % (bytes.size() / 8192 - 1);
                    bytes.replace(a * 8192, 8192, m_sound, b * 8192, 8192);
                }
            } else {
                bytes.resize(random() % bytes.size());
                bytes[random() % std::min<std::size_t>(bytes.size(), 100)] = static_cast<char>(random());
            }
            put(bytes);
            std::string text;
            const std::string said = look(&text);
            read += !text.empty();
            // values inside of a row have no checksum; whole pages that are missing or others' are seen
            if (kind == 2 || kind == 4)
                QVERIFY2(!said.empty() || text == m_text, qPrintable(QString::number(round)));
        }
        QVERIFY2(read > 150, qPrintable(QString::number(read)));
    }

    /// Who watches sees that there is something else now.
    void aChangedStoreIsNoticed() {
        put(m_sound);
        auto reader = RunReader::open(m_file);
        QVERIFY(reader && !reader->outdated());
        {
            auto store = RunStore::reopen(m_file);
            QVERIFY(store && store->note(telemetry::Severity::Info, "more", kStartNs + 5));
            QVERIFY(reader->outdated());
            auto live = RunReader::open(m_file); // beside its writer
            QVERIFY(live && !live->outdated());
            const std::int64_t version = live->version();
            QVERIFY(store->note(telemetry::Severity::Info, "still more", kStartNs + 6));
            QVERIFY(live->version() != version && !live->outdated());
            QCOMPARE(live->notes(300, 10)->size(), std::size_t{2});
        }
        auto after = RunReader::open(m_file);
        QCOMPARE(after->notes(300, 10)->size(), std::size_t{2});
    }
};

QTEST_APPLESS_MAIN(TestStoreDamage)
#include "tst_store_damage.moc"
