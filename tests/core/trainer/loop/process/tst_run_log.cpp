// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/file.h"
#include "core/base/files/unique_fd.h"
#include "core/trainer/loop/process/run_log.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

using namespace rankscope;

class TestRunLog : public QObject {
    Q_OBJECT

    /// Returns what RunLog::info() writes for this text.
    static std::string written(std::string_view text) {
        const QTemporaryDir dir;
        const std::string file = dir.path().toStdString() + "/log.txt";
        std::fflush(stdout);
        const UniqueFd before(::dup(STDOUT_FILENO)), log(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        ::dup2(log.get(), STDOUT_FILENO);
        trainer::RunLog(1, nullptr).info(text);
        ::dup2(before.get(), STDOUT_FILENO);
        return readFile(file).value_or("");
    }

private Q_SLOTS:
    /// Started by torchrun, the rank writes to a terminal, and a recipe may name files as it likes.
    void namesObeyNothing() {
        const std::string line = written("reads \x1b[31m\xc2\x9bx.json\nand more");
        QVERIFY2(line.ends_with("info rank 1: reads ?[31m?x.json\nand more\n"), line.c_str());
    }
};

RANKSCOPE_TEST(TestRunLog)
#include "tst_run_log.moc"
