// SPDX-License-Identifier: Apache-2.0
// Tests reading, evaluating and editing recipes with generated inputs: real recipes, damaged, spliced and shuffled.
// Also tests saves that fail or are killed: the file must be either the old or the new one, complete.
//
// RANKSCOPE_FUZZ_INPUTS: number of inputs (2,000). RANKSCOPE_FUZZ_SEED: the first seed; a failure names its seed.
#include "core/base/files/atomic_file.h"
#include "core/base/values/clock.h"
#include "core/config/effective/effective.h"
#include "tests/core/config/support.h"
#include "tests/environment.h"
#include "tests/fuzz/check_input.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;
using rankscope::test::numberFrom;

namespace {

class Generator {
public:
    Generator() {
        for (const char* folder : {"tests/fuzz/seeds/config", "tests/core/config/data", "tests/data/nemo/conf"})
            for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / folder))
                if (entry.path().extension() == ".yaml")
                    m_seeds.push_back(sourceText(std::filesystem::relative(entry.path(), sourceDir())));
        std::sort(m_seeds.begin(), m_seeds.end());
    }
    std::size_t seeds() const { return m_seeds.size(); }

    std::string make(unsigned seed) {
        m_engine.seed(seed);
        std::string text = m_seeds[below(m_seeds.size())];
        if (text.size() > 2000 && below(6) != 0) // a section is read faster, and more of it is damaged
            text = piece(text);
        for (std::size_t i = 0, n = below(3) == 0 ? below(9) : below(3); i < n; ++i)
            damage(text);
        return text.substr(0, std::size_t{64} << 10);
    }

private:
    std::size_t below(std::size_t n) {
        return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(m_engine);
    }

    /// Returns some whole lines, starting at one that is indented by two spaces.
    std::string piece(const std::string& text) {
        std::size_t begin = text.find("\n  ", below(text.size()));
        while (begin != std::string::npos &&
               std::string_view(" #-").find(text[std::min(begin + 3, text.size() - 1)]) != std::string::npos)
            begin = text.find("\n  ", begin + 1);
        if (begin == std::string::npos)
            return text;
        const std::size_t end = text.find('\n', begin + 200 + below(1500));
        return "model:" + text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
    }

    void damage(std::string& text) {
        static const std::vector<std::string> words{"\t",
                                                    "\n",
                                                    "\r\n",
                                                    "\r",
                                                    " ",
                                                    "  ",
                                                    ": ",
                                                    ":",
                                                    "- ",
                                                    "? ",
                                                    "&a ",
                                                    "*a",
                                                    "<<: *a",
                                                    "!!str ",
                                                    "!x ",
                                                    "|\n",
                                                    ">-\n ",
                                                    "'",
                                                    "\"",
                                                    "\\",
                                                    "[",
                                                    "]",
                                                    "{",
                                                    "}",
                                                    ",",
                                                    "#",
                                                    " #",
                                                    "${",
                                                    "}",
                                                    "${a}",
                                                    "${.b}",
                                                    "${..c}",
                                                    "${model}",
                                                    "\\${",
                                                    "${oc.env:X,1}",
                                                    "???",
                                                    "---\n",
                                                    "...\n",
                                                    "%YAML 1.1\n",
                                                    "null",
                                                    "~",
                                                    "1e400",
                                                    "-.inf",
                                                    "0x",
                                                    "é",
                                                    "\xef\xbb\xbf",
                                                    "\xe2\x80\xa8",
                                                    "\xff",
                                                    "\0",
                                                    "model:",
                                                    "\n%%\nmodel.x=1\n",
                                                    "\n%%\n~model\nremove model\n",
                                                    "\n%%\nmove model rankscope -1 m\n"};
        const std::size_t at = below(text.size() + 1);
        switch (below(7)) {
        case 0:
            text.insert(at, words[below(words.size())]);
            break;
        case 1:
            text.erase(at, 1 + below(below(2) ? 4 : 200));
            break;
        case 2:
            if (at < text.size())
                text[at] = static_cast<char>(below(256));
            break;
        case 3: { // copies a line to another place
            const std::size_t line = text.rfind('\n', at) + 1;
            const std::string copy = text.substr(line, text.find('\n', line) - line + 1);
            text.insert(text.rfind('\n', below(text.size() + 1)) + 1, copy);
            break;
        }
        case 4: { // inserts a piece of another file
            const std::string& other = m_seeds[below(m_seeds.size())];
            text.insert(at, other.substr(below(other.size()), below(400)));
            break;
        }
        case 5: // indents
            text.insert(text.rfind('\n', at) + 1, std::string(1 + below(3), ' '));
            break;
        default: {
            std::string many;
            for (std::size_t i = 0, n = below(300); i < n; ++i)
                many += words[at % words.size()];
            text.insert(at, many);
        }
        }
    }

    std::vector<std::string> m_seeds;
    std::mt19937 m_engine;
};

std::size_t filesIn(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

} // namespace

class TestFuzzConfig : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingBreaks() {
        Generator generator;
        QVERIFY(generator.seeds() > 12);
        const int inputs = numberFrom("RANKSCOPE_FUZZ_INPUTS", 2000);
        const auto first = static_cast<unsigned>(numberFrom("RANKSCOPE_FUZZ_SEED", 1));
        double slowest = 0;
        unsigned slowestSeed = 0;
        std::size_t readable = 0, bytes = 0;
        for (unsigned seed = first; seed < first + static_cast<unsigned>(inputs); ++seed) {
            const std::string input = generator.make(seed);
            const auto begin = monotonicNs();
            const std::string wrong = checkInput(input);
            const double took = static_cast<double>(monotonicNs() - begin) / 1e9;
            if (took > slowest) {
                slowest = took;
                slowestSeed = seed;
            }
            bytes += input.size();
            readable += evaluate(input, "r.yaml").rows.empty() ? 0 : 1;
            if (!wrong.empty()) {
                if (qEnvironmentVariableIsSet("RANKSCOPE_FUZZ_KEEP"))
                    (void)writeFileAtomic(qEnvironmentVariable("RANKSCOPE_FUZZ_KEEP").toStdString(), input);
                QFAIL(qPrintable(QString("seed %1: %2").arg(seed).arg(QString::fromStdString(wrong))));
            }
        }
        qInfo("%d inputs, %zu bytes, %zu of them readable; the slowest took %.3f s (seed %u)", inputs, bytes, readable,
              slowest, slowestSeed);
        QVERIFY(readable * 5 > static_cast<std::size_t>(inputs)); // else nothing but the parser was tested
    }

    /// A file size limit interrupts the write.
    void aFailedSaveLeavesTheOldFile() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("r.yaml").toStdString();
        const std::string old = goodRecipe();
        QVERIFY(writeFileAtomic(path, old));
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit was{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &was), 0);
        for (const rlim_t limit : {rlim_t{0}, rlim_t{1}, rlim_t{100}, rlim_t{4096}}) {
            rlimit less = was;
            less.rlim_cur = limit;
            QCOMPARE(setrlimit(RLIMIT_FSIZE, &less), 0);
            const auto done = writeFileAtomic(path, old + "# changed\n");
            QCOMPARE(setrlimit(RLIMIT_FSIZE, &was), 0);
            QVERIFY(!done && !done.error().what.empty());
            COMPARE_TEXT(*readFile(path), old);
            QCOMPARE(filesIn(path.parent_path()), std::size_t{1});
        }
    }

    /// After a kill at any moment, the file holds one of the two texts completely.
    void aKilledSaveLeavesAWholeFile() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("r.yaml").toStdString();
        const std::string one = goodRecipe(), two = one + std::string(200'000, '#') + "\n";
        QVERIFY(writeFileAtomic(path, one));
        std::size_t changed = 0;
        for (int i = 0; i < 40; ++i) {
            const pid_t child = fork();
            QVERIFY(child >= 0);
            if (child == 0) {
                for (;;)
                    if (!writeFileAtomic(path, two) || !writeFileAtomic(path, one))
                        _exit(1);
            }
            usleep(static_cast<useconds_t>(500 + 311 * i));
            QCOMPARE(kill(child, SIGKILL), 0);
            int status = 0;
            QCOMPARE(waitpid(child, &status, 0), child);
            QVERIFY(WIFSIGNALED(status));
            const auto text = readFile(path);
            QVERIFY(text);
            QVERIFY(*text == one || *text == two);
            changed += *text == two ? 1 : 0;
        }
        qInfo("%zu of 40 were killed after the longer text", changed);
    }
};

RANKSCOPE_CORE_TEST(TestFuzzConfig)
#include "tst_fuzz_config.moc"
