// SPDX-License-Identifier: Apache-2.0
// Runs the seeds of a target and some thousand mutations of them, in seconds; tests/fuzz/run.sh does so for hours. The
// target is named by RANKSCOPE_FUZZ_TARGET.
//
// RANKSCOPE_FUZZ_INPUTS: number of mutations (3,000). RANKSCOPE_FUZZ_SEED: the first seed; a failure names its seed.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "tests/environment.h"
#include "tests/fuzz/target.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <vector>

using namespace rankscope;

namespace {

constexpr double kHang = 1.0;          ///< most CPU seconds for an input
constexpr long kMostKib = 1024 * 1024; ///< most memory by which the process may grow
constexpr std::size_t kLongest = 256u << 10;
constexpr double kPatience = 20; ///< seconds for all mutations: a busy machine makes fewer of them
constexpr int kAtLeast = 50;

double cpuSeconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

long peakKib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// Returns the words of a libFuzzer dictionary, whose lines are name="text with \xNN".
std::vector<std::string> dictionary(const std::filesystem::path& file) {
    std::vector<std::string> words;
    const auto text = readFile(file);
    if (!text)
        return words;
    for (const QByteArray& line : QByteArray::fromStdString(*text).split('\n')) {
        const auto begin = line.indexOf('"'), end = line.lastIndexOf('"');
        if (line.startsWith('#') || begin < 0 || end <= begin)
            continue;
        std::string word;
        for (auto i = begin + 1; i < end; ++i) {
            const bool hex = line[i] == '\\' && line[i + 1] == 'x';
            word += hex ? static_cast<char>(line.mid(i + 2, 2).toInt(nullptr, 16)) : line[line[i] == '\\' ? ++i : i];
            i += hex ? 3 : 0;
        }
        words.push_back(word);
    }
    return words;
}

class Mutator {
public:
    Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
        : m_seeds(std::move(seeds)), m_words(std::move(words)) {
        for (const std::uint64_t n : {0ull, 1ull, 0x7Full, 0x80ull, 0xFFull, 0x7FFFFFFFull, 0xFFFFFFFFull,
                                      0x7FFFFFFFFFFFFFFFull, 0x8000000000000000ull, 0xFFFFFFFFFFFFFFFFull})
            m_words.emplace_back(reinterpret_cast<const char*>(&n), sizeof n);
    }
    std::string make(unsigned seed) {
        m_engine.seed(seed);
        std::string bytes = m_seeds[below(m_seeds.size())];
        for (std::size_t i = 0, n = 1 + below(below(4) == 0 ? 12 : 3); i < n; ++i)
            damage(bytes);
        return bytes.substr(0, kLongest);
    }

private:
    std::size_t below(std::size_t n) {
        return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(m_engine);
    }
    void damage(std::string& bytes) {
        const std::size_t at = below(bytes.size() + 1);
        const std::string& word = m_words[below(m_words.size())];
        const std::string& other = m_seeds[below(m_seeds.size())];
        switch (below(8)) {
        case 0:
            bytes.insert(at, word);
            break;
        case 1:
            bytes.replace(at, std::min(word.size(), bytes.size() - at), word);
            break;
        case 2:
            bytes.erase(at, 1 + below(below(2) ? 4 : 200));
            break;
        case 3:
            bytes.resize(at);
            break;
        case 4:
            bytes.insert(at, other, below(other.size()), 1 + below(300));
            break;
        case 5:
            bytes.insert(below(bytes.size() + 1), bytes.substr(at, 1 + below(100)));
            break;
        default:
            if (at < bytes.size())
                bytes[at] = below(2) ? static_cast<char>(below(256)) : static_cast<char>(bytes[at] ^ (1 << below(8)));
        }
    }

    std::vector<std::string> m_seeds, m_words;
    std::mt19937 m_engine;
};

} // namespace

class TestFuzz : public QObject {
    Q_OBJECT
    std::vector<std::string> m_seeds, m_names;
    std::filesystem::path m_folder;
    const fuzz::Target* m_target = nullptr;
    std::string m_name;
    double m_slowest = 0;

    /// Returns what is wrong; empty: nothing.
    QString problemOf(const std::string& bytes) {
        const double begin = cpuSeconds();
        const std::string wrong = m_target->check(bytes);
        const double took = cpuSeconds() - begin;
        m_slowest = std::max(m_slowest, took);
        if (!wrong.empty())
            return QString::fromStdString(wrong);
        return took > kHang ? QStringLiteral("it took %1 s").arg(took) : QString();
    }

private Q_SLOTS:
    void initTestCase() {
        m_name = qgetenv("RANKSCOPE_FUZZ_TARGET").toStdString();
        m_target = fuzz::Target::named(m_name);
        QVERIFY2(m_target, qPrintable(QStringLiteral("RANKSCOPE_FUZZ_TARGET=%1: no such target").arg(m_name.c_str())));
        m_folder = std::filesystem::path(RANKSCOPE_SOURCE_DIR) / "tests/fuzz";
        for (const auto& entry : std::filesystem::directory_iterator(m_folder / "seeds" / m_name))
            m_names.push_back(entry.path().string());
        std::sort(m_names.begin(), m_names.end());
        for (const auto& name : m_names) {
            auto bytes = readFile(name);
            QVERIFY2(bytes, name.c_str());
            m_seeds.push_back(std::move(*bytes));
        }
        QVERIFY(!m_seeds.empty());
    }

    void seeds() {
        for (std::size_t i = 0; i < m_seeds.size(); ++i) {
            const QString wrong = problemOf(m_seeds[i]);
            QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(m_names[i]) + ": " + wrong));
        }
        QVERIFY(fuzz::taken > 0);
        QVERIFY(problemOf({}).isEmpty());
    }

    void mutations() {
        Mutator mutator(m_seeds, dictionary(m_folder / (m_name + ".dict")));
        const int inputs = test::numberFrom("RANKSCOPE_FUZZ_INPUTS", 3000),
                  first = test::numberFrom("RANKSCOPE_FUZZ_SEED", 1);
        const long before = peakKib();
        const double begin = cpuSeconds();
        fuzz::taken = 0;
        int made = 0;
        for (; made < inputs && (made < kAtLeast || inputs != 3000 || cpuSeconds() - begin < kPatience); ++made) {
            const std::string input = mutator.make(static_cast<unsigned>(first + made));
            const QString wrong = problemOf(input);
            if (!wrong.isEmpty() && qEnvironmentVariableIsSet("RANKSCOPE_FUZZ_KEEP"))
                (void)writeFileAtomic(qEnvironmentVariable("RANKSCOPE_FUZZ_KEEP").toStdString(), input);
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(first + made).arg(wrong)));
        }
        const long grew = peakKib() - before;
        qInfo("%d inputs in %.1f s, %zu taken; the slowest took %.3f s; %ld MiB more", made, cpuSeconds() - begin,
              fuzz::taken, m_slowest, grew / 1024);
        QVERIFY(fuzz::taken > 0);
        QVERIFY2(grew < kMostKib, qPrintable(QStringLiteral("it took %1 MiB of memory").arg(grew / 1024)));
    }
};

RANKSCOPE_CORE_TEST(TestFuzz)
#include "tst_fuzz.moc"
