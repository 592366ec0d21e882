// SPDX-License-Identifier: GPL-3.0-or-later
// Scans a runs folder repeatedly. Only changed data is read again: run.json and marks.json by date and size, the
// store's figures while a run is live and once after its end, effective.yaml once.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rankscope::ui {

class RunScan {
public:
    explicit RunScan(std::filesystem::path dir) : m_dir(std::move(dir)) {}

    /// Also lists the run in this folder, which is outside the runs folder.
    void alsoList(const std::filesystem::path& run);
    /// Reads the folders and their run.json; returns true if something changed.
    Result<bool> list();
    /// Reads the figures and settings that are still missing, the newest run first. Calls `shown` now and then if there
    /// is something new, and at the end; stops when `stopped` returns true.
    void fill(const std::function<void()>& shown, const std::function<bool()>& stopped);
    /// Returns the rows, newest first.
    QList<RunRow> rows() const;

private:
    struct FolderStamp {
        std::int64_t ns = -1, bytes = -1; ///< -1: there is no such file
        friend bool operator==(const FolderStamp&, const FolderStamp&) = default;
        static FolderStamp of(const std::filesystem::path& file);
        static FolderStamp at(int folder, const std::string& name); ///< relative to an open folder: no path is built
    };
    struct KnownRun {
        RunRow row;
        FolderStamp info, marks, store, log;
        std::optional<store::RunReader> reader; ///< of a live run: opening a store costs more than reading it
        bool here = false, read = false;        ///< read: figures and settings were searched for
        bool settled = false;                   ///< nothing more to read unless a file changes
    };

    bool look(KnownRun& seen, int folder, const std::string& name);
    bool lookElsewhere(int folder);
    void sortNames();
    void readInfo(KnownRun& seen, const launch::RunPaths& paths);
    bool readStore(KnownRun& seen);
    static Result<RunFigures> figuresOf(KnownRun& seen);
    bool readSettings(KnownRun& seen);
    static bool checkStalls(KnownRun& seen);
    bool linkChains();
    bool compareSettings();
    const RunRow* originOf(const RunRow& run, const std::unordered_map<std::string_view, const RunRow*>& oldest) const;

    std::filesystem::path m_dir;
    std::vector<std::string> m_elsewhere;             ///< absolute paths of runs that are not in m_dir
    std::unordered_map<std::string, KnownRun> m_seen; ///< by folder name; a run elsewhere by its path
    std::vector<std::string> m_order;                 ///< newest first
    std::shared_ptr<StringInterner> m_pool = std::make_shared<StringInterner>();
    quint64 m_revision = 0;
    bool m_comparable = true; ///< runs or settings have changed since the last comparison
};

} // namespace rankscope::ui
