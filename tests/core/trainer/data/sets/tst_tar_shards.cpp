// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sets/tar_shards.h"
#include "core/trainer/formats/archives/tar_file.h"
#include "tests/core/trainer/data/batches/loader_fixture.h"
#include "tests/core/trainer/data/tar_builder.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace rankscope;
using namespace rankscope::test;

namespace {

std::vector<std::string> namesOf(const std::vector<TarMember>& members) {
    std::vector<std::string> names;
    for (const TarMember& member : members)
        names.push_back(member.name);
    return names;
}

} // namespace

class TestShards : public QObject, LoaderFixture {
    Q_OBJECT

    /// Writes the set's files `first` ... `last`-1 to one tar file.
    std::string shard(const std::string& name, int first, int last, Tar format = Tar::Ustar) {
        std::vector<Member> members;
        for (int i = first; i < last; ++i)
            members.push_back({std::to_string(i) + ".wav", readBytes(at(std::to_string(i) + ".wav"))});
        writeTar(at(name), members, format);
        return at(name);
    }
    config::DatasetConfig tarred(const std::vector<std::string>& shards, int workers = 0) const {
        auto out = config(workers);
        out.tarred.enabled = true;
        out.tarred.shards = {shards};
        return out;
    }
    std::vector<std::string> fourShards() {
        return {shard("s0.tar", 0, 3), shard("s1.tar", 3, 7, Tar::Pax), shard("s2.tar", 7, 10, Tar::Gnu),
                shard("s3.tar", 10, 13)};
    }
    static std::vector<std::int64_t> indicesOf(const std::vector<Batch>& batches) {
        std::vector<std::int64_t> rows;
        for (const Batch& batch : batches)
            rows.insert(rows.end(), batch.indices.begin(), batch.indices.end());
        return rows;
    }

private Q_SLOTS:
    void listsAndReads() {
        const std::string longName = "folder/" + std::string(120, 'n') + "/Grösse.wav";
        for (const Tar format : {Tar::Ustar, Tar::Pax, Tar::Gnu}) {
            std::vector<Member> members{{"a.wav", std::string(5000, 'a')},     {"dir", "", AE_IFDIR},
                                        {"link.wav", "/etc/passwd", AE_IFLNK}, {"empty.wav", ""},
                                        {longName, std::string(513, 'b')},     {"z.flac", "z"}};
            writeTar(at("m.tar"), members, format);
            const auto listing = listTar(at("m.tar"));
            QVERIFY2(listing, listing ? "" : listing.error().message().c_str());
            QVERIFY(!listing->damage);
            QCOMPARE(namesOf(listing->members), (std::vector<std::string>{"a.wav", "empty.wav", longName, "z.flac"}));
            // in any order, as workers read them
            for (const auto& [which, content] : std::vector<std::pair<std::size_t, std::string>>{
                     {3, "z"}, {2, std::string(513, 'b')}, {1, ""}, {0, std::string(5000, 'a')}}) {
                const auto read = readTarMember(at("m.tar"), listing->members[which]);
                QVERIFY2(read, read ? "" : read.error().message().c_str());
                QVERIFY(*read == content);
            }
        }
    }

    void refusesWhatIsNoTar() {
        const auto says = [&](const std::string& path, const char* text) {
            const auto listing = listTar(path);
            return !listing && listing.error().where == path &&
                   listing.error().what.english().find(text) != std::string::npos;
        };
        QVERIFY(says(at("nowhere.tar"), "No such file"));
        writeText(at("text.tar"), std::string(4000, 'x'));
        QVERIFY(says(at("text.tar"), "is not a tar file"));
        writeTar(at("packed.tar.gz"), {{"a.wav", "a"}}, Tar::Ustar, true);
        QVERIFY(says(at("packed.tar.gz"), "is compressed"));
        QCOMPARE(::mkfifo(at("fifo.tar").c_str(), 0600), 0);
        QVERIFY(says(at("fifo.tar"), "is not a regular file"));
    }

    void survivesDamage() {
        writeTar(at("whole.tar"), {{"a.wav", std::string(3000, 'a')}, {"b.wav", std::string(3000, 'b')}});
        const std::string whole = readBytes(at("whole.tar"));
        for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 600 ? 13 : 211) {
            writeText(at("cut.tar"), whole.substr(0, bytes));
            const auto listing = listTar(at("cut.tar")); // never hangs, never crashes
            if (!listing)
                continue;
            for (const TarMember& member : listing->members)
                if (const auto read = readTarMember(at("cut.tar"), member))
                    QVERIFY(*read == std::string(3000, member.name[0]));
        }
        writeText(at("cut.tar"), whole.substr(0, 5000)); // inside b
        const auto listing = listTar(at("cut.tar"));
        QVERIFY(listing && listing->damage);
        QVERIFY2(listing->damage->what.english().find("b.wav") != std::string::npos,
                 listing->damage->what.english().c_str());
        QCOMPARE(namesOf(listing->members), (std::vector<std::string>{"a.wav"}));

        std::string huge = whole; // b claims 8 GiB - 1; the checksum of its header is corrected
        const std::size_t header = 512 + 3072;
        huge.replace(header + 124, 12, "77777777777 ");
        huge.replace(header + 148, 8, "        ");
        const unsigned sum = std::accumulate(huge.begin() + header, huge.begin() + header + 512, 0u,
                                             [](unsigned s, char c) { return s + static_cast<unsigned char>(c); });
        huge.replace(header + 148, 8, QString("%1").arg(sum, 6, 8, QChar('0')).toStdString() + std::string("\0 ", 2));
        writeText(at("huge.tar"), huge);
        const auto claimed = listTar(at("huge.tar"));
        QVERIFY(claimed && claimed->damage);
        QVERIFY2(claimed->damage->what.english().find("claims 8589934591 bytes") != std::string::npos,
                 claimed->damage->what.english().c_str());
        QVERIFY(!readTarMember(at("huge.tar"), {"b.wav", static_cast<std::int64_t>(header), 8589934591}));

        const auto intact = listTar(at("whole.tar"));
        writeTar(at("whole.tar"), {{"a.wav", std::string(2000, 'c')}, {"b.wav", "d"}}); // replaced while it is in use
        const auto changed = readTarMember(at("whole.tar"), intact->members[1]);
        QVERIFY(!changed);
        QVERIFY2(changed.error().what.english().find("no longer") != std::string::npos,
                 changed.error().what.english().c_str());
    }

    void matchesByName() {
        writeTar(at("s.tar"), {{"x/one.wav", "1"}, {"unknown.wav", "?"}, {"two.flac", "2"}, {"a.b.wav", "3"}});
        std::vector<Utterance> rows{{"/data/two.wav", 0, 1, 0},
                                    {"one.wav", 0, 1, 1},
                                    {"one.wav", 5, 2, 2},
                                    {"gone.wav", 0, 1, 3},
                                    {"a.b.wav", 0, 1, 4}};
        std::vector<std::string> warned;
        const auto found = findInShards(rows, {at("s.tar")}, [&](const std::string& text) { warned.push_back(text); });
        QVERIFY(found);
        std::vector<std::int64_t> order;
        for (const Utterance& utterance : found->utterances)
            order.push_back(utterance.row);
        QCOMPARE(order, (std::vector<std::int64_t>{1, 2, 0, 4})); // the order of the members; one member has two rows
        QCOMPARE(found->utterances[1].offset, 5.0);
        QCOMPARE(found->utterances[0].place(), at("s.tar") + ": x/one.wav");
        QCOMPARE(warned.size(), std::size_t{1});
        QVERIFY2(warned[0].find("1 of 5 utterances") != std::string::npos &&
                     warned[0].find("gone.wav") != std::string::npos,
                 warned[0].c_str());
    }

    void asNemosWorkersRead_data() {
        QTest::addColumn<int>("workers");
        QTest::addColumn<int>("batchSize");
        QTest::addColumn<bool>("dropLast");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("batches"); // of all ranks
        const auto row = [](const char* name, int workers, int batchSize, bool dropLast, int ranks, const char* is) {
            QTest::newRow(name) << workers << batchSize << dropLast << ranks << QString(is);
        };
        row("one", 1, 5, false, 1, "0 1 2 3 4 | 5 6 7 8 9 | 10 11 12 13 14 | 15 16 17 18 19 | 20 21 22 23");
        row("two", 2, 3, false, 1, "0 1 2 | 6 7 8 | 3 4 5 | 9 10 11 | 12 13 14 | 18 19 20 | 15 16 17 | 21 22 23");
        row("more than there are tar files", 8, 3, false, 1,
            "0 1 2 | 6 7 8 | 12 13 14 | 18 19 20 | 3 4 5 | 9 10 11 | 15 16 17 | 21 22 23");
        row("each drops its own rest", 4, 4, true, 1, "0 1 2 3 | 6 7 8 9 | 12 13 14 15 | 18 19 20 21");
        // the loader stops after the fifth of these six, as NeMo does when it limits the batches
        row("each has a rest", 2, 5, false, 1,
            "0 1 2 3 4 | 6 7 8 9 10 | 5 12 13 14 15 | 11 18 19 20 21 | 16 17 | 22 23");
        row("two drop", 2, 5, true, 1, "0 1 2 3 4 | 6 7 8 9 10 | 5 12 13 14 15 | 11 18 19 20 21");
        row("two ranks", 2, 4, false, 2,
            "0 1 2 3 | 6 7 8 9 | 4 5 | 10 11 || 12 13 14 15 | 18 19 20 21 | 16 17 | 22 23");
    }
    /// What NeMo 2.7.3 and 3.0.0 trained on: 24 utterances in 4 tar files of 6, with shuffle: false (the sample_id of
    /// each batch). Batches beyond NeMo's limit are what its workers had left.
    void asNemosWorkersRead() {
        QFETCH(int, workers);
        QFETCH(int, batchSize);
        QFETCH(bool, dropLast);
        QFETCH(int, ranks);
        QFETCH(QString, batches);
        QStringList all;
        for (int rank = 0; rank < ranks; ++rank) {
            ShardOrderOptions options{rank, ranks, false, false, 0, 7};
            options.streams = static_cast<std::size_t>(workers);
            const auto bucket = ShardedBucket::create({0, 6, 12, 18, 24}, options);
            QVERIFY(bucket);
            const auto sampler = plan::BatchSampler::create({*bucket}, {}, {rank, batchSize, dropLast, 7});
            QVERIFY(sampler);
            const plan::BatchOrder order = sampler->order(3);
            QCOMPARE(static_cast<std::int64_t>(order.begin.size()), sampler->batches() + 1);
            QCOMPARE(static_cast<std::int64_t>(order.rows.size()), sampler->samples());
            QCOMPARE(sampler->samples() + sampler->dropped(), std::int64_t{24} / ranks);
            QStringList mine;
            for (std::size_t i = 0; i + 1 < order.begin.size(); ++i) {
                QStringList batch;
                for (auto at = order.begin[i]; at < order.begin[i + 1]; ++at)
                    batch << QString::number(order.rows[static_cast<std::size_t>(at)]);
                mine << batch.join(' ');
            }
            all << mine.join(" | ");
        }
        QCOMPARE(all.join(" || "), batches);
    }

    /// scatter: over all ranks, each utterance of the used shards appears at least once, and all ranks and streams have
    /// the same number; replicate: each rank has all of them, in its own order.
    void sharesOfTheRanks() {
        std::mt19937 random(5);
        const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
        for (int trial = 0; trial < 300; ++trial) {
            const int worldSize = draw(1, 4), shards = worldSize * draw(1, 4) + draw(0, worldSize - 1);
            std::vector<std::int64_t> begin{draw(0, 9)};
            for (int i = 0; i < shards; ++i)
                begin.push_back(begin.back() + draw(1, 12));
            ShardOrderOptions options{0, worldSize, draw(0, 2) == 0, draw(0, 1) == 0, draw(0, 20), 7};
            options.streams = static_cast<std::size_t>(draw(1, 5));
            std::map<std::int64_t, int> seen;
            std::set<std::vector<std::int64_t>> sizes;
            for (options.rank = 0; options.rank < worldSize; ++options.rank) {
                const auto bucket = ShardedBucket::create(begin, options);
                QVERIFY(bucket);
                sizes.insert((*bucket)->sizes());
                QCOMPARE((*bucket)->sizes().size(), options.streams);
                std::set<std::int64_t> mine;
                for (std::size_t stream = 0; stream < options.streams; ++stream) {
                    const auto rows = (*bucket)->rows(trial, 0, stream);
                    QCOMPARE(static_cast<std::int64_t>(rows.size()), (*bucket)->sizes()[stream]);
                    QVERIFY(rows == (*bucket)->rows(trial, 0, stream));
                    for (const std::int64_t row : rows)
                        ++seen[row];
                    mine.insert(rows.begin(), rows.end());
                }
                if (options.replicate)
                    QCOMPARE(static_cast<std::int64_t>(mine.size()), (*bucket)->size());
            }
            QCOMPARE(sizes.size(), std::size_t{1});
            const auto used = static_cast<std::size_t>(shards / worldSize * worldSize);
            QVERIFY(seen.begin()->first >= begin[0] && seen.rbegin()->first < begin.back());
            const auto end = options.replicate ? begin.back() : begin[used];
            QCOMPARE(seen.size(), static_cast<std::size_t>(end - begin[0]));
        }
    }

    /// As with webdataset's shuffle before tarfile_to_samples, only the tar files are shuffled, `n` of them at a time.
    void shufflesTheTarFilesAlone() {
        std::vector<std::int64_t> begin;
        for (int i = 0; i <= 400; ++i)
            begin.push_back(3 * i);
        const auto shards = [&](std::int64_t n, int epoch) {
            const auto rows = (*ShardedBucket::create(begin, {0, 1, false, true, n, 1}))->rows(epoch, 0);
            std::vector<std::int64_t> order;
            for (std::size_t i = 0; i < rows.size(); i += 3) {
                if (rows[i] % 3 != 0 || rows[i + 1] != rows[i] + 1 || rows[i + 2] != rows[i] + 2)
                    return std::vector<std::int64_t>();
                order.push_back(rows[i] / 3);
            }
            return order;
        };
        std::vector<std::int64_t> all(400);
        std::iota(all.begin(), all.end(), 0);
        QCOMPARE(shards(0, 3), all);
        QCOMPARE(shards(1, 3), all);
        for (const std::int64_t n : {2, 50, 2048}) {
            auto mixed = shards(n, 3);
            QVERIFY(mixed != all && mixed != shards(n, 4));
            QVERIFY(mixed == shards(n, 3));
            for (std::size_t i = 0; i < mixed.size(); ++i) // not further ahead than the buffer reaches
                QVERIFY(mixed[i] - static_cast<std::int64_t>(i) <=
                        std::min<std::int64_t>(n, 100 + static_cast<int>(i)));
            std::sort(mixed.begin(), mixed.end());
            QCOMPARE(mixed, all);
        }
    }

    void shufflesUtterancesWhereTheRecipeAsks() {
        std::vector<std::int64_t> begin;
        for (int i = 0; i <= 20; ++i)
            begin.push_back(50 * i);
        const auto rows = [&](bool shuffle, std::int64_t n, int epoch) {
            return (*ShardedBucket::create(begin, {0, 1, false, shuffle, n, 1, true}))->rows(epoch, 0);
        };
        auto plain = rows(false, 100, 3);
        QVERIFY(std::is_sorted(plain.begin(), plain.end()));
        const auto shards = rows(true, 0, 3); // shards in a different order, each in its original order
        QVERIFY(!std::is_sorted(shards.begin(), shards.end()));
        for (std::size_t i = 0; i < shards.size(); ++i)
            QVERIFY(i % 50 == 0 || shards[i] == shards[i - 1] + 1);
        auto mixed = rows(true, 100, 3);
        QVERIFY(mixed != shards && mixed != rows(true, 100, 4));
        // no utterance comes more than n - 1 positions early
        for (std::size_t i = 0; i < mixed.size(); ++i) {
            const auto stood = std::find(shards.begin(), shards.end(), mixed[i]) - shards.begin();
            QVERIFY(stood - static_cast<std::ptrdiff_t>(i) < 100);
        }
        std::sort(mixed.begin(), mixed.end());
        QVERIFY(mixed == plain);
    }

    void batchesAreThoseOfPlainFiles() {
        auto set = tarred(fourShards(), 2);
        set.shuffle = false;
        set.tarred.readers = 1;
        auto plain = config();
        plain.shuffle = false;
        const auto loader = make(set);
        QCOMPARE(loader->utterances(), kFiles);
        QCOMPARE(loader->batchesPerEpoch(), 5);
        const auto fromTar = epoch(*loader, 1), fromFiles = epoch(*make(plain), 1);
        QCOMPARE(fromTar.size(), fromFiles.size());
        for (std::size_t i = 0; i < fromTar.size(); ++i) {
            QCOMPARE(fromTar[i].indices, fromFiles[i].indices);
            QVERIFY(torch::equal(fromTar[i].audio, fromFiles[i].audio));
            QVERIFY(torch::equal(fromTar[i].noisy, fromFiles[i].noisy)); // the same draws
            QVERIFY(fromTar[i].longestFile.find(".tar: ") != std::string::npos);
        }
    }

    /// NeMo ends an epoch after as many batches as the manifest's utterances make, and plans schedules accordingly,
    /// whatever its workers deliver. The shards have 3, 4, 3 and 3 utterances.
    void batchesAsNemoCountsThem() {
        const auto counts = [&](int workers, int batchSize, bool dropLast, std::optional<int> readers = {}) {
            auto set = tarred(fourShards(), workers);
            set.batchSize = batchSize;
            set.dropLast = dropLast;
            set.tarred.readers = readers;
            const auto loader = make(set);
            return std::vector{loader->batchesPerEpoch(), loader->countedBatches(false), loader->countedBatches(true)};
        };
        using Counts = std::vector<std::int64_t>;
        QCOMPARE(counts(0, 5, false), (Counts{3, 3, 2}));
        QCOMPARE(counts(2, 5, false), (Counts{3, 3, 2})); // 6 and 7 make 2 batches each; the fourth is not used
        QCOMPARE(counts(2, 5, true), (Counts{2, 3, 2}));
        QCOMPARE(counts(2, 5, true, 1), (Counts{2, 3, 2}));
        QCOMPARE(counts(2, 5, false, 1), (Counts{3, 3, 2}));
        QCOMPARE(counts(0, 3, false, 4), (Counts{5, 5, 4}));
        auto set = tarred(fourShards(), 2);
        set.shuffle = false;
        set.batchSize = 5;
        const auto limited = make(set);
        QCOMPARE(indicesOf(epoch(*limited, 0)), (Counts{0, 1, 2, 7, 8, 3, 4, 5, 6, 10, 9}));
        QCOMPARE(limited->share(0).rows, indicesOf(epoch(*limited, 0)));
        QVERIFY(limited->share(0).mayMiss == 2);
        const auto plain = make(config());
        QCOMPARE(plain->countedBatches(true), plain->batchesPerEpoch());
        auto replicated = tarred(fourShards());
        replicated.tarred.strategy = "replicate"; // each rank has all, and ends after the size of its share
        QCOMPARE(make(replicated, 1, 2)->batchesPerEpoch(), 3);
        QCOMPARE(epoch(*make(replicated, 1, 2), 0).size(), std::size_t{3});
        const auto lost = make(tarred({shard("a.tar", 0, 3), shard("b.tar", 3, 6)})); // 7 are not in any tar file
        QCOMPARE(lost->batchesPerEpoch(), 2);
        QCOMPARE(lost->countedBatches(false), 5);
    }

    void ranksShareTheShards() {
        std::vector<std::int64_t> all;
        for (int rank = 0; rank < 2; ++rank) {
            const auto loader = make(tarred(fourShards()), rank, 2);
            QCOMPARE(loader->batchesPerEpoch(), 3); // 7 and 6 utterances: both ranks use 7
            const auto rows = indicesOf(epoch(*loader, 0));
            QCOMPARE(rows.size(), std::size_t{7});
            for (const std::int64_t row : rows)
                QVERIFY(rank == 0 ? row < 7 : row >= 7);
            all.insert(all.end(), rows.begin(), rows.end());
        }
        QCOMPARE(std::set<std::int64_t>(all.begin(), all.end()).size(), std::size_t{kFiles});
    }

    void shardsThatAreLeftOver() {
        std::vector<std::string> warned;
        LoaderHooks hooks;
        hooks.warning = [&](const std::string& text) { warned.push_back(text); };
        const auto loader = make(tarred(fourShards()), 0, 3, hooks);
        QCOMPARE(warned.size(), std::size_t{1});
        QVERIFY2(warned[0].find("4 tar files are not a multiple of 3 ranks: the last 1") != std::string::npos,
                 warned[0].c_str());
        QCOMPARE(loader->batchesPerEpoch(), 2); // 3, 4 and 3 utterances, in batches of 3
        const auto none = BatchLoader::create(tarred(fourShards()), 0, 5, 0, {});
        QVERIFY(!none);
        QVERIFY2(none.error().what.english().find("names 4 tar files for 5 ranks") != std::string::npos,
                 none.error().what.english().c_str());
        QVERIFY(BatchLoader::create(
            [&] {
                auto replicated = tarred(fourShards());
                replicated.tarred.strategy = "replicate";
                return replicated;
            }(),
            4, 5, 0, {}));
    }

    void resumesInsideAnEpoch() {
        auto set = tarred(fourShards(), 2);
        set.tarred.shuffleN = 5;
        const auto whole = epoch(*make(set, 1, 2), 6);
        for (std::size_t first = 0; first < whole.size(); ++first) {
            const auto loader = make(set, 1, 2);
            loader->beginEpoch(6, static_cast<std::int64_t>(first));
            for (std::size_t i = first; i < whole.size(); ++i)
                QVERIFY(contentOf(**loader->next()) == contentOf(whole[i]));
            QVERIFY(!*loader->next());
        }
    }

    void bucketsOfShards() {
        std::vector<std::pair<std::string, double>> shortRows, longRows;
        for (int i = 0; i < kFiles; ++i)
            (i < 7 ? shortRows : longRows).emplace_back(std::to_string(i) + ".wav", secondsOf(i));
        writeText(at("short.json"), manifestText(shortRows));
        writeText(at("long.json"), manifestText(longRows));
        const auto shards = fourShards();
        auto set = tarred({}, 2);
        set.buckets = {{at("short.json")}, {at("long.json")}};
        set.manifests = {at("short.json"), at("long.json")};
        set.tarred.shards = {{shards[0], shards[1]}, {shards[2], shards[3]}};
        set.batchSize = 1;
        set.bucketing.scaledBatchSize = 1;
        std::set<std::int64_t> seen;
        std::vector<std::vector<bool>> order(2);
        for (int rank = 0; rank < 2; ++rank)
            for (const Batch& batch : epoch(*make(set, rank, 2), 0)) {
                order[static_cast<std::size_t>(rank)].push_back(batch.indices.front() < 7);
                for (const std::int64_t row : batch.indices) {
                    QCOMPARE(row < 7, batch.indices.front() < 7);
                    seen.insert(row);
                }
            }
        QVERIFY(order[0] == order[1]);
        QCOMPARE(order[0].size(), std::size_t{2 + 3}); // shares of 4 by 2 and of 3 by 1
        QCOMPARE(seen.size(), std::size_t{kFiles});
        set.tarred.shards.pop_back();
        QVERIFY(!BatchLoader::create(set, 0, 1, 0, {}));
    }

    void aBrokenMemberIsSkipped() {
        std::vector<Member> members;
        for (int i = 0; i < 6; ++i)
            members.push_back(
                {std::to_string(i) + ".wav", i == 2 ? "no audio" : readBytes(at(std::to_string(i) + ".wav"))});
        writeTar(at("some.tar"), members);
        auto set = tarred({at("some.tar")});
        std::vector<std::string> named;
        LoaderHooks hooks;
        hooks.skipped = [&](const std::string& text) { named.push_back(text); };
        const auto rows = indicesOf(epoch(*make(set, 0, 1, hooks), 0));
        QCOMPARE(std::set<std::int64_t>(rows.begin(), rows.end()), (std::set<std::int64_t>{0, 1, 3, 4, 5}));
        QCOMPARE(named.size(), std::size_t{1});
        QVERIFY2(named[0].find("some.tar: 2.wav") != std::string::npos, named[0].c_str());
        QVERIFY(!BatchLoader::create(tarred({at("nowhere.tar")}), 0, 1, 0, {}));
        writeTar(at("others.tar"), {{"q.wav", "q"}});
        const auto none = BatchLoader::create(tarred({at("others.tar")}), 0, 1, 0, {});
        QVERIFY(!none);
        QVERIFY2(none.error().what.english().find("in no shard") != std::string::npos,
                 none.error().what.english().c_str());
    }
};

RANKSCOPE_CORE_TEST(TestShards)
#include "tst_tar_shards.moc"
