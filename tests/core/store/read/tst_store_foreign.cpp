// SPDX-License-Identifier: Apache-2.0
// Stores that are not stores, belong to other programs or versions, or have impossible contents: errors are reported,
// what can be read is read, and nothing changes.
#include "core/base/process/process_identity.h"
#include "tests/core/store/damaged_store.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

namespace fs = std::filesystem;

class TestStoreForeign : public QObject, protected damage::DamagedStore {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { makeSound(); }

private:
    /// Makes the store claim that this process's parent is writing to it.
    void claimLiving() const {
        const auto parent = processStat(::getppid());
        struct stat st {};
        QVERIFY(parent && ::stat(m_file.c_str(), &st) == 0);
        QVERIFY(damage::execute(
            m_file, "UPDATE meta SET value=" + std::to_string(::getppid()) +
                        " WHERE key='writer_pid'; UPDATE meta SET value=" + std::to_string(parent->startTicks) +
                        " WHERE key='writer_start_ticks'; UPDATE meta SET value=" + std::to_string(st.st_ino) +
                        " WHERE key='writer_inode'"));
        for (const char* suffix : {"-wal", "-shm"})
            fs::remove(m_file.string() + suffix);
    }
    static bool mapsAnIndex() { return damage::bytesOf("/proc/self/maps").find("run.sqlite-shm") != std::string::npos; }

private Q_SLOTS:

    void foreignFiles_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << QByteArray() << "is empty";
        QTest::newRow("text") << QByteArray(9000, 'x') << "it is a text";
        QTest::newRow("short text") << QByteArray("hello\n") << "it is a text";
        QTest::newRow("zeros") << QByteArray(20'000, '\0') << "contains only zeros";
        QTest::newRow("bytes") << QByteArray(20'000, '\x9c') << "not an SQLite file";
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
        says({"is a pipe"});
        fs::remove(m_file);
        fs::create_symlink("run.sqlite", m_file);
        says({"is a link"});
        fs::remove(m_file);
        damage::writeBytes(m_run / "elsewhere.sqlite", m_sound);
        fs::create_symlink("elsewhere.sqlite", m_file);
        says({"is a link"});
        QVERIFY(!RunWriter::reopen(m_file));
        fs::remove(m_run / "elsewhere.sqlite");
        QVERIFY(!RunWriter::open(m_file, meta(2)));
        QVERIFY(!fs::exists(m_run / "elsewhere.sqlite")); // neither written to nor created
        // a folder or pipe in place of the log does not keep the store from being read
        put(m_sound);
        fs::create_directory(log());
        QCOMPARE(look(), std::string());
        fs::remove(log());
        QCOMPARE(::mkfifo(log().c_str(), 0600), 0);
        QCOMPARE(look(), std::string());
    }

    /// SQLite's own mode maps the index of the log, which anyone who may write to it may truncate under the reader; a
    /// view maps nothing.
    void onlyAStoreOfOnesOwnIsMapped() {
        const auto putLiving = [this] {
            put(m_sound);
            claimLiving();
            fs::permissions(m_run, fs::perms::owner_all);
            fs::permissions(m_file, fs::perms::owner_read | fs::perms::owner_write);
        };
        putLiving();
        {
            auto reader = RunReader::open(m_file);
            QVERIFY(reader && !damage::everything(*reader).empty());
            QVERIFY(mapsAnIndex()); // our own store: the reader takes part in the writer's locks
        }
        for (const fs::path& shared : {m_file, m_run, fs::path(m_file.string() + "-shm")}) {
            putLiving();
            if (!fs::exists(shared))
                damage::writeBytes(shared, {});
            fs::permissions(shared, fs::perms::group_write, fs::perm_options::add);
            auto reader = RunReader::open(m_file);
            QVERIFY(reader && damage::everything(*reader) == m_text);
            QVERIFY2(!mapsAnIndex(), shared.c_str());
        }
        if (::geteuid() != 0)
            QSKIP("only root can give the folder to another user");
        for (const fs::path& given : {m_file, m_run}) {
            put(m_sound);
            claimLiving();
            QCOMPARE(::chown(given.c_str(), 65534, 65534), 0);
            auto reader = RunReader::open(m_file);
            QVERIFY(reader && damage::everything(*reader) == m_text);
            QVERIFY(reader->condition().sound());
            QVERIFY2(!mapsAnIndex(), given.c_str());
            QVERIFY(!fs::exists(m_file.string() + "-shm"));
        }
    }
    /// The writer that the copy names writes to the original: the copy is only viewed, and may be written to.
    void aCopyHasNoWriter() {
        put(m_sound);
        claimLiving();
        QVERIFY(!RunWriter::reopen(m_file));
        for (const char* suffix : {"-wal", "-shm"})
            fs::remove(m_file.string() + suffix);
        const fs::path original = m_file.string() + ".original";
        fs::rename(m_file, original); // keeps its inode in use
        fs::copy_file(original, m_file);
        {
            auto reader = RunReader::open(m_file);
            QVERIFY(reader && damage::everything(*reader) == m_text);
            QVERIFY(!mapsAnIndex() && !fs::exists(m_file.string() + "-shm"));
        }
        QVERIFY(RunWriter::reopen(m_file));
        fs::remove(original);
    }
    /// Even if a live writer is named, a pipe in place of its log must not be opened.
    void aPipeForALogHoldsNobodyUp() {
        for (const char* suffix : {"-wal", "-shm"}) {
            put(m_sound);
            claimLiving();
            QCOMPARE(::mkfifo((m_file.string() + suffix).c_str(), 0600), 0);
            auto reader = RunReader::open(m_file);
            QVERIFY2(reader.has_value(), reader ? "" : reader.error().message().c_str());
            QCOMPARE(damage::everything(*reader), m_text);
            QVERIFY(!RunWriter::reopen(m_file));
        }
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

    void whatIsWrongIsSaidInChinese() {
        StoreHealth condition;
        condition.missingPages = 3;
        condition.pages = 10;
        condition.tables = {{"step", Message("it is missing")}};
        const std::string said = describe(condition, "/x/run.sqlite").text(Language::Chinese);
        QCOMPARE(
            QString::fromStdString(said),
            QStringLiteral(
                "已损坏：文件被截断，共 10 页，缺少 3 页；曲线：表 step 无法完整读取（不存在）。可读取的部分已显示，"
                "未作任何更改。若要挽救更多数据，请复制任务目录，并在副本中执行：sqlite3 run.sqlite .recover | "
                "sqlite3 recovered.sqlite"));
    }
    void newerOnesAreReadAsFarAsTheyGo() {
        put(m_sound);
        QVERIFY(damage::execute(m_file, "PRAGMA user_version=7; CREATE TABLE more(x); ALTER TABLE step ADD COLUMN y"));
        std::string text;
        StoreHealth condition;
        says({"written by a newer Rankscope (schema 7; this one reads 3)",
              "only what this version understands is shown"});
        look(&text, &condition);
        QCOMPARE(text, m_text);
        QVERIFY(!condition.damaged() && condition.newerSchema == 7);
        QCOMPARE(RunWriter::reopen(m_file).error().code, Errc::Unsupported);
        QCOMPARE(checkWhole(m_file).error().code, Errc::Unsupported);
        QVERIFY(damage::execute(m_file, "ALTER TABLE note RENAME TO message"));
        says({"newer Rankscope", "table note cannot be read completely (it is missing)"});
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
        // run.json replaces metadata that the store has lost
        put(m_sound);
        QVERIFY(damage::execute(m_file, "DELETE FROM meta"));
        QVERIFY(!RunReader::open(m_file));
        const RunMeta known = meta(2);
        auto reader = RunReader::open(m_file, &known);
        QVERIFY(reader && reader->condition().tables.contains("meta"));
        QCOMPARE(reader->series(Metric::Loss, 1, 0, 1000, 1000)->size(), std::size_t{700});
    }
};

RANKSCOPE_TEST(TestStoreForeign)
#include "tst_store_foreign.moc"
