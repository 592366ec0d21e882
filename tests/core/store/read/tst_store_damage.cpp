// SPDX-License-Identifier: Apache-2.0
// Torn and truncated stores and their logs: errors are reported, what can be read is read, and nothing changes.
#include "core/telemetry/journal/journal_segment.h"
#include "tests/core/store/damaged_store.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

namespace fs = std::filesystem;

class TestStoreDamage : public QObject, protected damage::DamagedStore {
    Q_OBJECT

    /// Replaces the sound store with the store and log of a writer that was killed after so many steps.
    void leaveKilledWriters(int steps) {
        fs::remove_all(m_run);
        fs::create_directories(m_run);
        const pid_t child = ::fork();
        if (child == 0) {
            Options options;
            options.steps = steps;
            auto store = RunWriter::open(m_file, meta(2));
            (void)commitAll(*store, makeStream(options), 3);
            ::raise(SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
    }

private Q_SLOTS:
    void initTestCase() { makeSound(); }

    void soundOnesAreLeftAlone() {
        put(m_sound);
        std::string text;
        QCOMPARE(look(&text), std::string());
        QCOMPARE(text, m_text);
        QVERIFY(checkWhole(m_file));
    }

    void aLeftOverLogIsReadAndKept() {
        leaveKilledWriters(60);
        QVERIFY(fs::file_size(log()) > 100'000);
        std::string whole;
        QCOMPARE(look(&whole), std::string());
        QVERIFY(whole.size() > 1000);
        // without the log's index, which a reader would create again
        fs::remove(m_file.string() + "-shm");
        std::string text;
        QCOMPARE(look(&text), std::string());
        QCOMPARE(text, whole);
        // the last commits are torn: the rows before them can be read
        const std::string bytes = damage::bytesOf(log());
        std::string torn = bytes;
        for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 5000; ++i)
            torn[i] = static_cast<char>(torn[i] ^ 0x55);
        damage::writeBytes(log(), torn);
        says({"run.sqlite-wal is damaged", "latest measurements", ".recover"});
        look(&text);
        QVERIFY(text != whole);
        damage::writeBytes(log(), std::string(bytes.size(), '\0'));
        const QString said = QString::fromStdString(look());
        QVERIFY2(said.contains("run.sqlite"), qPrintable(said)); // all rows were in the log
        // without the log
        fs::remove(log());
        QVERIFY(!look().empty());
    }

    /// A program that opens a killed writer's store and gives up, for example on a full disk, leaves it as it was.
    void aFailedReopeningLeavesTheLog() {
        leaveKilledWriters(60);
        const auto bytes = fs::file_size(log());
        auto another = meta(2);
        another.id = "another";
        QVERIFY(!RunWriter::open(m_file, another));
        QVERIFY(fs::exists(log()));
        QCOMPARE(fs::file_size(log()), bytes);
        QVERIFY(checkWhole(m_file));
        QVERIFY(RunWriter::reopen(m_file));
        QVERIFY(checkWhole(m_file));
    }

    /// SQLite moves the log into the file when the last program closes it: nothing is lost.
    void aLogThatAnotherProgramPutAwayIsNotMissed() {
        leaveKilledWriters(60);
        QVERIFY(fs::file_size(log()) > 100'000);
        std::string before, after;
        QCOMPARE(look(&before), std::string());
        QVERIFY(damage::execute(m_file, "SELECT count(*) FROM step"));
        QVERIFY(!fs::exists(log()));
        QCOMPARE(look(&after), std::string());
        QCOMPARE(after, before);
        QVERIFY(checkWhole(m_file));
    }

    /// The journals show it: a segment is removed only after all of it has been committed.
    void aLogThatIsMissingIsSaid() {
        leaveKilledWriters(900); // enough that the log was moved into the file at least once
        QVERIFY(fs::file_size(m_file) > 1'000'000);
        QCOMPARE(look(), std::string());
        fs::remove(log());
        QCOMPARE(look(), std::string()); // nothing shows that it is missing
        fs::create_directories(m_run / "ranks/1");
        QVERIFY(telemetry::createSegment(m_run / "ranks/1", 7, 8, 1));
        says({"run.sqlite-wal is missing", "latest measurements"});
        QCOMPARE(checkWhole(m_file).error().code, Errc::Malformed);
    }

    /// Commits to a file without a name can never be read.
    void aStoreThatWasTakenAwayIsNoticed() {
        put("");
        fs::remove(m_file);
        auto store = RunWriter::open(m_file, meta(2));
        QVERIFY(store && store->checkInPlace());
        fs::rename(m_run, m_run.string() + "-renamed"); // with everything in it
        QVERIFY(store->checkInPlace());
        fs::rename(m_run.string() + "-renamed", m_run);
        fs::rename(m_file, m_file.string() + "-kept");
        QVERIFY(store->checkInPlace().error().what.english().starts_with("was removed"));
        damage::writeBytes(m_file, "another");
        QVERIFY(store->checkInPlace().error().what.english().starts_with("was replaced"));
        fs::rename(m_file.string() + "-kept", m_file);
        QVERIFY(store->checkInPlace());
        // the open store is written back, with its name, mode and rows
        QVERIFY(store->note(telemetry::NoteSeverity::Info, "before", kStartNs + 5));
        fs::remove(m_file);
        auto anew = store->writeAnew();
        QVERIFY2(anew.has_value(), anew ? "" : anew.error().message().c_str());
        store = std::move(anew);
        QVERIFY(store->checkInPlace());
        QVERIFY(store->note(telemetry::NoteSeverity::Info, "after", kStartNs + 6));
        QCOMPARE(RunReader::open(m_file)->notes(0, 10)->size(), std::size_t{2});
        QCOMPARE(fs::status(m_file).permissions(), fs::perms(0600));
        // a new store of this name does not use the old one's log
        fs::remove(m_file);
        store->abandon();
        store = RunWriter::open(m_file, meta(3));
        QVERIFY(store && store->checkInPlace());
        QCOMPARE(store->meta().worldSize, 3);
        store = RunWriter::open(m_file, meta(3));
        QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
    }

    void cutOff() {
        std::size_t read = 0;
        for (std::size_t size = 1; size < m_sound.size(); size += size < 200 ? 37 : 40'961) {
            put(m_sound.substr(0, size));
            std::string text;
            StoreHealth condition;
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
            blank += points->empty(); // the root page of the steps
            if (!points->empty() && points->size() < 700 && points->back().lastStep == 699)
                ++gaps; // the steps after the damaged page are read, too
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
            } else if (kind == 3) { // one page in place of another: each is valid by itself
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
            // values inside a row have no checksum; missing or misplaced whole pages are detected
            if (kind == 2 || kind == 4)
                QVERIFY2(!said.empty() || text == m_text, qPrintable(QString::number(round)));
        }
        QVERIFY2(read > 150, qPrintable(QString::number(read)));
    }

    void aChangedStoreIsNoticed() {
        put(m_sound);
        auto reader = RunReader::open(m_file);
        QVERIFY(reader && !reader->outdated());
        {
            auto store = RunWriter::reopen(m_file);
            QVERIFY(store && store->note(telemetry::NoteSeverity::Info, "more", kStartNs + 5));
            QVERIFY(reader->outdated());
            auto live = RunReader::open(m_file); // while its writer is open
            QVERIFY(live && !live->outdated());
            const std::int64_t version = live->version();
            QVERIFY(store->note(telemetry::NoteSeverity::Info, "still more", kStartNs + 6));
            QVERIFY(live->version() != version && !live->outdated());
            QCOMPARE(live->notes(300, 10)->size(), std::size_t{2});
        }
        auto after = RunReader::open(m_file);
        QCOMPARE(after->notes(300, 10)->size(), std::size_t{2});
    }
};

RANKSCOPE_TEST(TestStoreDamage)
#include "tst_store_damage.moc"
