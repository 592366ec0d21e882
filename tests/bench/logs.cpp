// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the log page with files of a gigabyte: the time to the first lines, to the middle, and to the end of a
// search through everything; memory, and the longest time that the window's thread is busy without a break. Run it with
// QT_QPA_PLATFORM=offscreen.
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/run_folder.h"
#include "support.h"
#include "widgets/logs/log_page.h"
#include "widgets/logs/log_position_bar.h"
#include "widgets/models/run/run_session.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDateTime>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QThread>

#include <cstdio>
#include <fstream>
#include <functional>

using namespace rankscope;
using namespace rankscope::bench;
using namespace rankscope::ui;

namespace {

/// Records how long each event keeps the window's thread busy.
class Watched final : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (QThread::currentThread() != thread())
            return QApplication::notify(receiver, event);
        const bool outer = m_depth++ == 0;
        const std::int64_t began = monotonicNs();
        const bool done = QApplication::notify(receiver, event);
        --m_depth;
        if (outer)
            worstNs = std::max(worstNs, monotonicNs() - began);
        return done;
    }
    std::int64_t worstNs = 0;

private:
    int m_depth = 0;
};

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

bool waitFor(const std::function<bool()>& done) {
    const std::int64_t until = monotonicNs() + 300'000'000'000;
    while (!done() && monotonicNs() < until)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    return done();
}

std::int64_t rssBytes() {
    const auto stat = processStat(::getpid());
    return stat ? stat->rssBytes : 0;
}

/// Writes a log as the trainer does, with 10 ms between a rank's lines.
void writeLog(const std::filesystem::path& file, int rank, std::int64_t bytes, std::int64_t beginMs) {
    std::ofstream out(file, std::ios::binary);
    std::string block;
    std::int64_t written = 0;
    for (std::int64_t i = 0; written < bytes; ++i) {
        const QDateTime when = QDateTime::fromMSecsSinceEpoch(beginMs + 10 * i + rank);
        char line[256];
        const QTime time = when.time();
        static QDate day;
        static char date[16];
        if (when.date() != day) {
            day = when.date();
            std::snprintf(date, sizeof date, "%s", day.toString(Qt::ISODate).toLatin1().constData());
        }
        const int n = std::snprintf(
            line, sizeof line, "%s %02d:%02d:%02d.%03d %s rank %d: step %lld: loss %.4f, %lld samples/s, bucket %lld\n",
            date, time.hour(), time.minute(), time.second(), time.msec(), i % 100'003 == 77 ? "warning" : "info", rank,
            static_cast<long long>(i), 5.0 + static_cast<double>(i % 977) / 977, static_cast<long long>(300 + i % 61),
            static_cast<long long>(i % 16));
        block.append(line, static_cast<std::size_t>(n));
        if (block.size() > (1u << 20)) {
            out << block;
            written += static_cast<std::int64_t>(block.size());
            block.clear();
        }
    }
    out << block;
}

launch::RunPaths makeRun(const Folder& folder, int ranks, std::int64_t bytes) {
    launch::RunPaths run{folder.path / "20250131-090000-logs-1a2b"};
    launch::RunInfo info;
    info.name = "logs";
    info.state = launch::RunState::Finished;
    info.worldSize = ranks;
    info.host = launch::hostName();
    const std::int64_t beginMs = QDateTime(QDate(2025, 1, 31), QTime(9, 0)).toMSecsSinceEpoch();
    info.startRealtimeNs = beginMs * 1'000'000;
    info.endRealtimeNs = info.startRealtimeNs + 86'400'000'000'000;
    for (int r = 0; r < ranks; ++r) {
        std::filesystem::create_directories(run.rank(r));
        writeLog(run.log(r), r, bytes / ranks, beginMs);
    }
    if (auto written = launch::writeRunInfo(run, info); !written)
        std::fprintf(stderr, "%s\n", written.error().message().c_str());
    return run;
}

struct Bench {
    Watched& app;
    LogPage& page;
    QTableView* table = page.findChild<QTableView*>();
    double total = 0;
    bool good = true;

    QString count() const {
        for (const auto* label : page.findChildren<QLabel*>())
            if (label->objectName() == QLatin1String("count"))
                return label->text();
        return {};
    }
    void measure(const char* what, const std::function<void()>& start, const std::function<bool()>& done) {
        app.worstNs = 0;
        const std::int64_t began = monotonicNs();
        QMetaObject::invokeMethod(&app, start, Qt::QueuedConnection);
        const bool reached = waitFor(done);
        good = good && reached;
        std::printf("  %-34s %8.3f s   window's thread at most %5.1f ms   %s%s\n", what, seconds(monotonicNs() - began),
                    static_cast<double>(app.worstNs) * 1e-6, qPrintable(count()), reached ? "" : "   NOT REACHED");
        std::fflush(stdout);
    }
    void search(const char* what, const QString& pattern) {
        auto* filter = page.findChild<QLineEdit*>();
        const std::int64_t began = monotonicNs();
        measure(
            what, [&] { filter->setText(pattern); },
            [&] {
                return count().contains(QStringLiteral("matches")) && !count().contains(QStringLiteral("searching"));
            });
        std::printf("  %-34s %8.0f MB/s\n", "", total / 1e6 / seconds(monotonicNs() - began));
        measure(
            "  taken away again", [&] { filter->clear(); },
            [&] { return !count().contains(QStringLiteral("matches")) && table->model()->rowCount() > 0; });
    }
};

} // namespace

int main(int argc, char** argv) {
    Arguments arguments{{"--megabytes", 1024}, {"--ranks", 4}};
    if (!parse(argc, argv, arguments, nullptr, 1)) {
        std::fprintf(stderr, "usage: bench_logs [--megabytes N] [--ranks N]\n");
        return 2;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    Watched app(argc, argv);
    Theme::instance().apply(Theme::Mode::Light);
    const Folder folder;
    const std::int64_t bytes = arguments["--megabytes"] << 20;
    const auto run = makeRun(folder, static_cast<int>(arguments["--ranks"]), bytes);
    LogPage page;
    page.resize(1440, 800);
    page.show();
    waitFor([&] { return page.isVisible(); });
    const std::int64_t before = rssBytes();
    RunSession session(run);
    Bench bench{app, page};
    bench.total = static_cast<double>(bytes);
    std::printf("%lld MB in the logs of %lld ranks\n", static_cast<long long>(bytes >> 20),
                static_cast<long long>(arguments["--ranks"]));
    bench.measure(
        "to the first lines", [&] { page.setSession(&session); }, [&] { return bench.table->model()->rowCount() > 0; });
    auto* position = page.findChild<LogPosition*>();
    bench.measure(
        "to the middle", [&] { emit position->asked(0.5); },
        [&] { return std::abs((position->from() + position->to()) / 2 - 0.5) < 0.1; });
    bench.search("search: a word", QStringLiteral("step 123456:"));
    bench.search("search: warnings' word, sparse", QStringLiteral("loss 5\\.0000"));
    bench.search("search: regular expression", QStringLiteral("step \\d*777: .*bucket 9$"));
    bench.search("search: every line", QStringLiteral("loss"));
    bench.search("search: catastrophic", QStringLiteral("(\\w+\\s?)+#"));
    const std::int64_t more = rssBytes() - before;
    std::printf("  resident memory: %.0f MB more\n", static_cast<double>(more) / 1e6);
    page.setSession(nullptr);
    return bench.good ? 0 : 1;
}
