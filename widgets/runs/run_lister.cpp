// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_lister.h"

#include "core/store/run_reader.h"

#include <QHash>
#include <QTimer>

#include <algorithm>
#include <system_error>

namespace rankscope::ui {

namespace fs = std::filesystem;

class RunLister::Worker final : public QObject {
public:
    Worker(RunLister* owner, fs::path dir) : m_owner(owner), m_dir(std::move(dir)) {}

    void start(int intervalMs) {
        m_timer = new QTimer(this);
        connect(m_timer, &QTimer::timeout, this, [this] { poll(); });
        m_timer->start(intervalMs);
        poll();
    }

    void poll() {
        if (!list())
            return;
        publish();
        bool filled = false;
        for (RunRow& row : m_rows)
            filled = fillFigures(row) || filled;
        if (filled)
            publish();
    }

private:
    struct Seen {
        fs::file_time_type written{};
        std::uintmax_t size = 0;
        RunRow row;
        bool figuresFinal = false; ///< read after the run's end
    };

    bool list() {
        std::error_code ec;
        QList<RunRow> rows;
        fs::directory_iterator entries(m_dir, ec);
        if (ec && ec != std::errc::no_such_file_or_directory) {
            if (!m_failed)
                emit m_owner->failed(
                    RunLister::tr("%1 cannot be listed: %2")
                        .arg(QString::fromStdString(m_dir.string()), QString::fromStdString(ec.message())));
            m_failed = true;
            return false;
        }
        m_failed = false;
        QHash<QString, Seen> kept;
        for (; !ec && entries != fs::directory_iterator(); entries.increment(ec)) {
            const launch::RunPaths paths{entries->path()};
            std::error_code missing;
            const auto written = fs::last_write_time(paths.runJson(), missing);
            if (missing)
                continue; // no run, or one that is being made
            const auto size = fs::file_size(paths.runJson(), missing);
            const QString dir = QString::fromStdString(paths.dir.string());
            Seen seen = m_seen.value(dir);
            // a live run's state may change without its file: its supervisor may be gone
            if (seen.written != written || seen.size != size || launch::isLive(seen.row.info.state))
                read(seen, paths, written, size);
            rows << seen.row;
            kept.insert(dir, seen);
        }
        m_seen = std::move(kept);
        std::sort(rows.begin(), rows.end(), [](const RunRow& a, const RunRow& b) {
            return a.paths.dir.filename().native() > b.paths.dir.filename().native();
        });
        m_rows = std::move(rows);
        return true;
    }

    static void read(Seen& seen, const launch::RunPaths& paths, fs::file_time_type written, std::uintmax_t size) {
        seen.written = written;
        seen.size = size;
        seen.row.paths = paths;
        seen.row.problem.clear();
        seen.figuresFinal = false;
        if (auto info = launch::readRunInfo(paths)) {
            seen.row.info = std::move(*info);
        } else {
            seen.row.info = {};
            seen.row.info.id = paths.dir.filename().string();
            seen.row.info.state = launch::RunState::Lost;
            seen.row.problem = QString::fromStdString(info.error().what);
        }
    }

    bool fillFigures(RunRow& row) {
        Seen& seen = m_seen[row.dir()];
        if (seen.figuresFinal || !row.problem.isEmpty())
            return false;
        seen.figuresFinal = !launch::isLive(row.info.state);
        auto reader = store::RunReader::open(row.paths.store());
        if (!reader)
            return false;
        const auto ranks = reader->ranks();
        if (!ranks || ranks->empty())
            return false;
        qint64 step = std::numeric_limits<qint64>::max();
        for (const auto& rank : *ranks)
            step = std::min<qint64>(step, rank.lastStep);
        row.lastStep = step;
        if (step >= 0)
            row.lastLoss = ranks->front().lastLoss;
        const bool changed = !sameShown(row, seen.row);
        seen.row = row;
        return changed;
    }

    void publish() {
        const bool same = m_published && m_rows.size() == m_shown.size() &&
                          std::equal(m_rows.begin(), m_rows.end(), m_shown.begin(), sameShown);
        if (same)
            return;
        m_published = true;
        m_shown = m_rows;
        emit m_owner->listed(m_rows);
    }

    RunLister* m_owner;
    fs::path m_dir;
    QTimer* m_timer = nullptr;
    QHash<QString, Seen> m_seen;
    QList<RunRow> m_rows, m_shown;
    bool m_published = false, m_failed = false;
};

RunLister::RunLister(fs::path runsDir, QObject* parent) : QObject(parent), m_runsDir(std::move(runsDir)) {
    qRegisterMetaType<QList<RunRow>>("QList<rankscope::ui::RunRow>");
    m_thread.setObjectName(QStringLiteral("runs"));
    m_worker = new Worker(this, m_runsDir);
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

RunLister::~RunLister() {
    if (!m_started) {
        delete m_worker; // its thread never ran, so nobody else does it
        return;
    }
    m_thread.quit();
    m_thread.wait();
}

void RunLister::start(int intervalMs) {
    m_started = true;
    m_thread.start(QThread::LowPriority);
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, intervalMs] { worker->start(intervalMs); });
}

void RunLister::refresh() {
    QMetaObject::invokeMethod(m_worker, [worker = m_worker] { worker->poll(); });
}

} // namespace rankscope::ui
