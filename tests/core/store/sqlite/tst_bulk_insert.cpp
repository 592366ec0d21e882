// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite/bulk_insert.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <numeric>
#include <random>
#include <set>
#include <vector>

using namespace rankscope;
using namespace rankscope::store;

class TestBulkInsert : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;
    Database m_db;

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        const std::string file = m_dir->filePath("t.sqlite").toStdString();
        QFile made(QString::fromStdString(file));
        QVERIFY(made.open(QIODevice::WriteOnly));
        auto db = Database::open(file, OpenMode::ReadWrite);
        QVERIFY(db);
        m_db = std::move(*db);
        QVERIFY(m_db.execute("CREATE TABLE t(k INTEGER PRIMARY KEY, v INTEGER NOT NULL) WITHOUT ROWID"));
    }

    void eachRowOnce_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("keys"); ///< if fewer than rows, some occur more than once
        for (const int count : {0, 1, 31, 32, 33, 64, 500})
            for (const int keys : {1, 20, 400, 1'000'000})
                QTest::addRow("%d rows of %d keys", count, keys) << count << keys;
    }
    /// Existing rows stay, each duplicate is reported, and all others are inserted, as with one statement per row.
    void eachRowOnce() {
        QFETCH(int, count);
        QFETCH(int, keys);
        std::mt19937 random(static_cast<unsigned>(count * 7 + keys));
        QVERIFY(m_db.execute("INSERT INTO t VALUES(3, -1), (17, -1)"));
        std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
        std::generate(rows.begin(), rows.end(), [&] { return std::int64_t(random() % static_cast<unsigned>(keys)); });
        std::set<std::int64_t> there{3, 17};
        std::set<std::size_t> expected, told;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!there.insert(rows[i]).second)
                expected.insert(i);
        BulkInsert bulk;
        QVERIFY(bulk.prepare(m_db, "t", 2));
        const auto done = bulk.run(
            rows.size(),
            [&](Statement& s, int at, std::size_t i) {
                s.bind(at, rows[i]).bind(at + 1, static_cast<std::int64_t>(i));
            },
            [&](std::size_t i) { told.insert(i); });
        QVERIFY(done);
        QCOMPARE(told, expected);
        QCOMPARE(*m_db.scalar("SELECT count(*) FROM t"), static_cast<std::int64_t>(there.size()));
        QCOMPARE(*m_db.scalar("SELECT v FROM t WHERE k=3"), std::int64_t{-1});
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!expected.contains(i))
                QCOMPARE(*m_db.scalar("SELECT v FROM t WHERE k=" + std::to_string(rows[i])),
                         static_cast<std::int64_t>(i));
    }

    void upsertsAddUp() {
        BulkInsert bulk;
        QVERIFY(bulk.prepareUpsert(m_db, "t", 2, "ON CONFLICT DO UPDATE SET v=v+excluded.v"));
        for (int round = 0; round < 2; ++round)
            QVERIFY(bulk.run(
                100,
                [](Statement& s, int at, std::size_t i) {
                    s.bind(at, static_cast<std::int64_t>(i % 50)).bind(at + 1, 1);
                },
                [](std::size_t) { QFAIL("no row of an upsert is a duplicate"); }));
        QCOMPARE(*m_db.scalar("SELECT count(*) FROM t"), std::int64_t{50});
        QCOMPARE(*m_db.scalar("SELECT count(*) FROM t WHERE v=4"), std::int64_t{50});
    }

    void otherErrorsAreErrors() {
        BulkInsert bulk;
        QVERIFY(bulk.prepare(m_db, "t", 2));
        const auto done = bulk.run(
            40, [](Statement& s, int at, std::size_t i) { s.bind(at, static_cast<std::int64_t>(i)).bindNull(at + 1); },
            [](std::size_t) {});
        QVERIFY(!done);
        QVERIFY2(done.error().what.english().find("NOT NULL") != std::string::npos,
                 done.error().what.english().c_str());
        QVERIFY(!bulk.prepare(m_db, "none", 2));
    }
};

RANKSCOPE_CORE_TEST(TestBulkInsert)
#include "tst_bulk_insert.moc"
