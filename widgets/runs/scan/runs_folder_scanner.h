// SPDX-License-Identifier: GPL-3.0-or-later
// Scans a runs folder repeatedly. Only changed data is read again: run.json and marks.json by date and size, the
// store's figures while a run is live and once after its end, effective.yaml once and again after the run's end. What
// was read of ended runs is kept in a file for the next start.
#pragma once

#include "widgets/runs/scan/ended_runs.h"
#include "widgets/runs/scan/run_row.h"
#include "widgets/runs/scan/settings_reader.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

class RunScan {
public:
    /// `kept`: where to keep what is read of ended runs; empty: nowhere.
    explicit RunScan(std::filesystem::path dir, std::filesystem::path kept = {})
        : m_dir(std::move(dir)), m_keptFile(std::move(kept)) {}
    ~RunScan() { writeEnded(); }
    RunScan(const RunScan&) = delete;
    RunScan& operator=(const RunScan&) = delete;

    /// Also lists the run in this folder, which is outside the runs folder.
    void alsoList(const std::filesystem::path& run);
    /// Reads the folders and their run.json; returns true if something changed. The first call reads the newest runs
    /// first and then calls `first`, if there are many.
    Result<bool> list(const std::function<void()>& first = [] {});
    /// Reads the figures and settings that are still missing, the newest run first. Calls `shown` now and then if there
    /// is something new, and at the end; stops when `stopped` returns true.
    void fill(const std::function<void()>& shown, const std::function<bool()>& stopped);
    /// Returns the rows, newest first.
    QList<RunRow> rows() const;
    /// Returns how often the recipe and the store of an ended run were read.
    int endedRead() const { return m_endedRead; }

private:
    struct KnownRun {
        RunRow row;
        FileStamp info, marks, store, log;
        std::vector<store::NotFiniteTail> tails; ///< of an ended run, those that are not empty
        std::optional<store::RunReader> reader;  ///< of a live run: opening a store costs more than reading it
        bool here = false, read = false;         ///< read: figures and settings were searched for
        bool settled = false;                    ///< nothing more to read unless a file changes
    };
    /// One reading of a run's settings and figures.
    struct Reading {
        const std::string* name = nullptr;
        KnownRun* run = nullptr;
        RunStamps stamps; ///< before it is read
        bool done = false, taken = false, configured = false, changed = false;
    };

    /// One look at a run's folder.
    struct Look {
        const std::string* name = nullptr;
        KnownRun* run = nullptr;
        bool changed = false;
    };

    bool look(KnownRun& seen, int folder, const std::string& name) const;
    bool lookAtAll(std::vector<Look>& looks, int folder, std::size_t threads);
    bool lookElsewhere(int folder);
    void sortNames();
    static void readInfo(KnownRun& seen, const launch::RunPaths& paths);
    void readAll(std::vector<Reading>& readings, const std::function<bool()>& stopped);
    void readRun(Reading& reading, SettingsReader& settings) const;
    bool finish(const Reading& reading);
    bool takeEnded(Reading& reading) const;
    void keepEnded(const Reading& reading);
    void writeEnded();
    static void show(const RunFiguresPtr& figures, RunRow& row);
    static bool readStore(KnownRun& seen, const FileStamp& store, const FileStamp& log);
    static Result<RunFigures> figuresOf(KnownRun& seen);
    static bool readSettings(KnownRun& seen, SettingsReader& settings);
    static bool checkStalls(KnownRun& seen);
    void linkChains();
    bool sumEarlierRuns();
    RunTotals earlierOf(const RunRow& run) const;
    bool compareSettings();
    const RunRow* originOf(const RunRow& run, const std::unordered_map<std::string_view, const RunRow*>& oldest) const;

    std::filesystem::path m_dir, m_keptFile;
    std::vector<std::string> m_elsewhere;             ///< absolute paths of runs that are not in m_dir
    std::unordered_map<std::string, KnownRun> m_seen; ///< by folder name; a run elsewhere by its path
    std::vector<std::string> m_order;                 ///< newest first
    std::shared_ptr<StringInterner> m_pool = std::make_shared<StringInterner>();
    std::vector<SettingsReader> m_settings; ///< one for each thread that reads
    EndedRuns m_ended;                      ///< as in the file, and those read since
    int m_endedRead = 0;
    bool m_endedTaken = false;   ///< the file was read
    bool m_endedChanged = false; ///< since the file was written
    std::int64_t m_writtenNs = INT64_MIN / 2;
    quint64 m_revision = 0;
    bool m_comparable = true; ///< runs or settings have changed since the last comparison
};

} // namespace rankscope::ui
