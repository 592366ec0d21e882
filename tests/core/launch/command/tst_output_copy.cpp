// SPDX-License-Identifier: Apache-2.0
// What a command writes, when the place where it should go is gone or full.
#include "core/base/files/file.h"
#include "core/launch/command/output_copy.h"
#include "core/launch/process/child_process.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>

using namespace rankscope;
using namespace rankscope::launch;

class TestOutputCopy : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    UniqueFd m_program, m_log;

    std::string logFile() const { return m_dir.filePath("log").toStdString(); }
    /// Returns a copy of what m_program gets; none: it cannot be made.
    std::optional<OutputCopy> copyTo(UniqueFd to) {
        auto pipe = makePipe("make a pipe", "");
        m_log = UniqueFd(::open(logFile().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
        if (!pipe || !m_log)
            return std::nullopt;
        m_program = std::move(pipe->writing);
        return OutputCopy(std::move(pipe->reading), std::move(to), m_log.get());
    }
    ssize_t write(std::string_view text) const { return ::write(m_program.get(), text.data(), text.size()); }

private Q_SLOTS:
    void initTestCase() { ::signal(SIGPIPE, SIG_IGN); }

    void everythingIsCopied() {
        auto out = makePipe("make a pipe", "");
        QVERIFY(out);
        auto copy = copyTo(std::move(out->writing));
        QVERIFY(copy);
        QCOMPARE(write("one"), ssize_t(3));
        copy->copy();
        char text[8];
        QCOMPARE(::read(out->reading.get(), text, sizeof text), ssize_t(3));
        m_program.reset();
        copy->copy();
        QVERIFY(copy->ended());
        QCOMPARE(copy->error(), 0);
    }
    void aPipeThatNobodyReadsIsClosed() {
        auto out = makePipe("make a pipe", "");
        QVERIFY(out);
        out->reading.reset();
        auto copy = copyTo(std::move(out->writing));
        QVERIFY(copy);
        QCOMPARE(write("one"), ssize_t(3));
        copy->copy();
        QVERIFY(copy->ended());
        QCOMPARE(copy->error(), 0); // the program itself gets the error
        QCOMPARE(write("two"), ssize_t(-1));
        QCOMPARE(errno, EPIPE);
    }
    /// Its reader is slow, and another program has the pipe open as well.
    void whatIsInThePipeAtTheEndIsCopied() {
        auto out = makePipe("make a pipe", "");
        QVERIFY(out);
        ::fcntl(out->writing.get(), F_SETFL, O_NONBLOCK);
        const std::string piece(4096, 'x');
        ssize_t full = 0;
        for (ssize_t n = 0; n >= 0; n = ::write(out->writing.get(), piece.data(), piece.size()))
            full += n;
        auto copy = copyTo(std::move(out->writing));
        QVERIFY(copy);
        QCOMPARE(write("one"), ssize_t(3));
        copy->copy(); // it is read, but cannot be written
        QCOMPARE(write("two"), ssize_t(3));
        copy->finish();
        copy->copy();
        QVERIFY(!copy->ended());
        std::string text(static_cast<std::size_t>(full), '\0');
        QCOMPARE(::read(out->reading.get(), text.data(), text.size()), full);
        copy->copy();
        QVERIFY(copy->ended());
        QCOMPARE(::read(out->reading.get(), text.data(), text.size()), ssize_t(6));
        QCOMPARE(text.substr(0, 6), std::string("onetwo"));
        QCOMPARE(readFile(logFile()).value_or(""), std::string("onetwo"));
    }
    void aFullDiskEndsNobody() {
        auto copy = copyTo(UniqueFd(::open("/dev/full", O_WRONLY | O_CLOEXEC)));
        QVERIFY(copy);
        for (const char* text : {"one", "two"}) {
            QCOMPARE(write(text), ssize_t(3));
            copy->copy();
            QCOMPARE(copy->error(), ENOSPC);
            QVERIFY(!copy->ended());
        }
        QCOMPARE(readFile(logFile()).value_or(""), std::string("onetwo"));
    }
};

RANKSCOPE_CORE_TEST(TestOutputCopy)
#include "tst_output_copy.moc"
