// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/terminal_safe.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <random>

using namespace rankscope;

class TestPrintable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneLine_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const auto row = [](const char* name, const QByteArray& text, const QByteArray& shown) {
            QTest::newRow(name) << text << shown;
        };
        row("plain", "rank 1 ended with SIGKILL", "rank 1 ended with SIGKILL");
        row("other scripts", "l\xC3\xA4uft \xE8\xAE\xAD\xE7\xBB\x83 \xF0\x9F\x98\x80",
            "l\xC3\xA4uft \xE8\xAE\xAD\xE7\xBB\x83 \xF0\x9F\x98\x80");
        row("title", "\x1b]0;PWNED\x07", "?]0;PWNED?");
        row("colours", "\x1b[31mred\x1b[0m", "?[31mred?[0m");
        row("a forged row", "x\nFAKE  finished\r\nand\tmore", "x FAKE  finished  and more");
        row("NUL, backspace, DEL", QByteArray("a\0b\bc\x7f", 6), "a?b?c?");
        row("C1 as UTF-8",
            "\xC2\x9B"
            "31m\xC2\x90\xC2\xA0",
            "?31m?\xC2\xA0");
        row("C1 as a byte",
            "\x9B"
            "31m",
            "?31m");
        row("no UTF-8", "\xC3( \xC0\xAF \xED\xA0\x80 \xF5", "?( ?? ??? ?");
        row("turned direction",
            "a\xE2\x80\xAE"
            "fdp.exe\xE2\x81\xA6",
            "a?fdp.exe?");
        row("line separator",
            "a\xE2\x80\xA8"
            "b",
            "a?b");
    }
    void oneLine() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(printableLine(text.toStdString())), shown);
    }
    void severalLines() { QCOMPARE(printable("a\n\tb\r\n\x1b[2J"), std::string("a\n\tb?\n?[2J")); }
    void anyBytesObeyNothing() {
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            std::string bytes(random() % 40, '\0');
            for (char& c : bytes)
                c = static_cast<char>(random());
            for (const unsigned char c : printableLine(bytes))
                QVERIFY(c >= 0x20 && c != 0x7f);
            QVERIFY(QString::fromStdString(printableLine(bytes)).toStdString() == printableLine(bytes)); // valid UTF-8
        }
    }
    void jsonKeepsItsValues() {
        const nlohmann::json value{{"cause", "a\xC2\x9B"
                                             "b\x7f\x1b\n\xE2\x80\xAE"},
                                   {"n", 1}};
        const std::string text = printableJson(value.dump(2));
        QVERIFY(nlohmann::json::parse(text) == value);
        QVERIFY2(text.find("\\u009b") != std::string::npos && text.find("\\u007f") != std::string::npos, text.c_str());
        QCOMPARE(printable(text), text);
    }
};

RANKSCOPE_TEST(TestPrintable)
#include "tst_terminal_safe.moc"
