// SPDX-License-Identifier: Apache-2.0
// A sound store to damage, and what opening and reading all of it reports; this must not change anything in its folder.
#pragma once

#include "core/base/files/file.h"
#include "store_damage.h"
#include "synthetic.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>

namespace damage {

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

/// Returns everything that a page of the window reads from a store, as text; parts that could not be read are left out.
inline std::string everything(RunReader& reader) {
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
                text += toJson(i.evidence).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
    constexpr std::array whole{Metric::Loss, Metric::WaitTotal};
    if (const auto ranks = reader.ranks())
        for (const RankSummary& rank : *ranks)
            if (const auto points = reader.overall(whole, rank, 1'000'000))
                for (const auto& p : *points)
                    add(p.count), add(p.min), add(p.mean);
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

class DamagedStore {
protected:
    void makeSound() {
        m_run = fs::path(m_dir.path().toStdString()) / "run";
        m_file = m_run / "run.sqlite";
        fs::create_directories(m_run);
        Options options;
        options.steps = 700;
        {
            auto store = RunWriter::open(m_file, meta(2));
            QVERIFY(store && commitAll(*store, makeStream(options), 3));
            for (int i = 0; i < 300; ++i)
                QVERIFY(store->note(telemetry::NoteSeverity::Info, "note " + std::to_string(i) + std::string(100, 'n'),
                                    kStartNs + i));
            QVERIFY(store->finish());
        }
        QVERIFY(!fs::exists(log()));
        m_sound = bytesOf(m_file);
        QVERIFY(m_sound.size() > 100 * 8192);
        auto reader = RunReader::open(m_file);
        QVERIFY(reader && reader->condition().sound());
        m_text = everything(*reader);
        QVERIFY(reader->condition().sound() && m_text.size() > 10'000);
    }
    fs::path log() const { return m_file.string() + "-wal"; }
    void put(const std::string& bytes) {
        fs::remove_all(m_run);
        fs::create_directories(m_run);
        writeBytes(m_file, bytes);
        writeBytes(m_run / "run.json", "{}");
    }
    /// Opens and reads everything and returns the errors; nothing in the folder may change.
    std::string look(std::string* read = nullptr, StoreHealth* condition = nullptr) {
        const auto before = pictureOf(m_run);
        std::string said;
        {
            auto reader = RunReader::open(m_file);
            if (!reader) {
                said = reader.error().message();
            } else {
                const std::string text = everything(*reader);
                said = describe(reader->condition(), m_file).english();
                if (read)
                    *read = text;
                if (condition)
                    *condition = reader->condition();
            }
        }
        const QString changed = difference(before, pictureOf(m_run));
        if (!changed.isEmpty())
            qFatal("%s", qPrintable(changed));
        return said;
    }
    /// Calls look() and checks that the message contains all of these parts.
    void says(const QStringList& parts) {
        const QString said = QString::fromStdString(look());
        for (const QString& part : parts)
            QVERIFY2(said.contains(part), qPrintable(said + " / " + part));
    }

    QTemporaryDir m_dir;
    fs::path m_run, m_file;
    std::string m_sound, m_text; ///< the sound store's bytes, and what is read from them
};

} // namespace damage
