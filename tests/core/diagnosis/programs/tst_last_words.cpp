// SPDX-License-Identifier: Apache-2.0
// What is known about a process from the last lines it printed, and what is not read into other text.
#include "core/diagnosis/programs/last_words.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::diagnosis;

class TestLastWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theExceptionAndItsPlace_data() {
        QTest::addColumn<QString>("printed");
        QTest::addColumn<QString>("exception");
        const QString traceback = "Traceback (most recent call last):\n"
                                  "  File \"/home/ann/train.py\", line 88, in <module>\n    main()\n"
                                  "  File \"/venv/lib/python3.11/site-packages/torch/nn/module.py\", line 5, in f\n";
        QTest::newRow("the innermost line of the program") << traceback + "KeyError: 'text'\n"
                                                           << "KeyError: 'text' (train.py:88)";
        QTest::newRow("a class of a package") << traceback + "torch.cuda.OutOfMemoryError: CUDA out of memory."
                                              << "torch.cuda.OutOfMemoryError: CUDA out of memory. (train.py:88)";
        QTest::newRow("nothing but a name") << traceback + "KeyboardInterrupt"
                                            << "KeyboardInterrupt (train.py:88)";
        QTest::newRow("lines after it") << traceback + "ValueError: a\ndestroying the process group: done\n"
                                        << "ValueError: a (train.py:88)";
        QTest::newRow("the last of two") << traceback + "KeyError: 1\n\nDuring handling of the above exception, "
                                                        "another exception occurred:\n\n"
                                                        "Traceback (most recent call last):\n"
                                                        "  File \"/home/ann/data.py\", line 7, in read\nOSError: gone"
                                         << "OSError: gone (data.py:7)";
        QTest::newRow("by torch.distributed")
            << "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"/home/ann/train.py\", line 9, in f\n"
               "[rank1]:     f()\n[rank1]: ValueError: a: b"
            << "ValueError: a: b (train.py:9)";
        QTest::newRow("through torchrun")
            << "[default1]:[rank1]: Traceback (most recent call last):\n"
               "[default1]:[rank1]:   File \"/home/ann/train.py\", line 9, in f\n[default1]:[rank1]: ValueError: a"
            << "ValueError: a (train.py:9)";
        QTest::newRow("no place") << "RuntimeError: a"
                                  << "RuntimeError: a";
        QTest::newRow("a line of a log") << "ERROR:root:cannot read\nstep 5: Error rate 0.1\n[W] loss: 1"
                                         << "";
        QTest::newRow("cut off") << "Traceback (most recent call last):\n  File \"/home/ann/train.py\", line"
                                 << "";
        QTest::newRow("nothing") << ""
                                 << "";
    }
    void theExceptionAndItsPlace() {
        QFETCH(QString, printed);
        QFETCH(QString, exception);
        QCOMPARE(QString::fromStdString(pythonException(printed.toStdString())), exception);
    }
    void whatAnExceptionTells() {
        constexpr std::string_view peer = "RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by peer";
        constexpr std::string_view worker = "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.";
        QVERIFY(mentionsAnotherRank(peer));
        QVERIFY(!mentionsAnotherRank(worker));
        QVERIFY(mentionsLoaderWorker(worker));
        QVERIFY(!mentionsLoaderWorker("ValueError: Caught ValueError in DataLoader worker process 0."));
        QVERIFY(mentionsMemory("torch.cuda.OutOfMemoryError: CUDA out of memory."));
        QVERIFY(mentionsSharedMemory("It is possible that dataloader's workers are out of shared memory."));
        QVERIFY(mentionsFullDisk("OSError: [Errno 28] No space left on device"));
        QVERIFY(!mentionsMemory("") && !mentionsFullDisk("") && !mentionsAnotherRank(""));
    }
};

RANKSCOPE_TEST(TestLastWords)
#include "tst_last_words.moc"
