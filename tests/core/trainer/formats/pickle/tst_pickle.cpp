// SPDX-License-Identifier: Apache-2.0
// The pickle machine: it reads what a state dict needs, executes nothing, and survives any input.
#include "core/trainer/formats/pickle/pickle.h"
#include "core/trainer/formats/pickle/pickled_state.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <random>

using namespace rankscope::trainer;
using pickle::PickleKind;

namespace {

using namespace std::string_literals;

const std::string kDict = "ccollections\nOrderedDict\n)R"; ///< an empty OrderedDict

std::string text(const std::string& s) {
    std::string out = "X";
    for (int i = 0; i < 4; ++i)
        out += static_cast<char>(s.size() >> (8 * i) & 0xff);
    return out + s;
}

/// Returns a tensor with the arguments of _rebuild_tensor_v2; the parts are opcodes.
std::string tensor(const std::string& elements, const std::string& offset, const std::string& sizes,
                   const std::string& strides, const std::string& storageClass = "ctorch\nFloatStorage\n") {
    return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + storageClass + text("0") + text("cpu") +
           elements + "tQ" + offset + "(" + sizes + "t(" + strides + "t\x89" + kDict + "tR";
}

std::string state(const std::string& value, const std::string& key = text("w")) {
    return "\x80\x02" + kDict + "(" + key + value + "u.";
}

std::vector<TensorSpec> twoTensors() {
    std::vector<TensorSpec> out(2); // not in braces: GCC 12 warns about them wrongly
    out[0].name = std::string(1, 'a');
    out[0].storage.key = std::string(1, '0');
    out[0].storage.elements = 6;
    out[0].shape = {2, 3};
    out[0].strides = {3, 1};
    out[1].name = std::string(1, 'b');
    out[1].storage.key = std::string(1, '1');
    out[1].storage.type = ElementType::I64;
    out[1].storage.elements = 1;
    return out;
}

std::string problemOf(const std::string& bytes) {
    const auto result = readPickledState(bytes);
    return result ? std::string() : result.error().english();
}

} // namespace

class TestPickle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void values();
    void refused_data();
    void refused();
    void whatStandsBesideTheState_data();
    void whatStandsBesideTheState();
    void nestingCostsNothing();
    void writtenStatesComeBack();
    void everyCutIsAnError();
    void randomBytesNeverCrash();
};

void TestPickle::values() {
    const std::string bytes = "\x80\x04("s + "K\xff" + "M\x34\x12" + "J\xfe\xff\xff\xff" + "\x8a\x01\x80" +
                              "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f" + "\x8a\x00"s +
                              "G\x3f\xf8\x00\x00\x00\x00\x00\x00"s + "\x88\x89N" + "\x8c\x02hi" +
                              "\x8d\x01\x00\x00\x00\x00\x00\x00\x00z"s + "](K\x01K\x02" + "e" + "t.";
    const auto result = pickle::run(bytes);
    QVERIFY2(result.has_value(), result ? "" : result.error().english().c_str());
    const auto& items = result->all[result->top].items;
    QCOMPARE(items.size(), std::size_t(13));
    const auto at = [&](std::size_t i) { return result->all[items[i]]; };
    const std::int64_t integers[] = {255, 0x1234, -2, -128, INT64_MAX, 0};
    for (std::size_t i = 0; i < std::size(integers); ++i)
        QCOMPARE(at(i).integer, integers[i]);
    QCOMPARE(at(6).real, 1.5);
    QVERIFY(at(7).kind == PickleKind::Bool && at(7).integer == 1);
    QVERIFY(at(8).kind == PickleKind::Bool && at(8).integer == 0);
    QVERIFY(at(9).kind == PickleKind::None);
    QVERIFY(at(10).text == "hi" && at(11).text == "z");
    QVERIFY(at(12).kind == PickleKind::List && at(12).items.size() == 2);
}

void TestPickle::refused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* name, const std::string& bytes, const char* complaint) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << complaint;
    };
    row("os.system", "cos\nsystem\n" + text("touch /tmp/x") + "\x85R.",
        "os.system is not part of a state dict (byte 0)");
    row("stack global", "\x80\x04\x8c\x05posix\x8c\x06system\x93" + text("id") + "\x85R.", "posix.system");
    row("builtins.eval", "c__builtin__\neval\n" + text("1") + "\x85R.", "__builtin__.eval");
    row("a terminal escape", "cos\n\x1b[2J\n.", "os.?[2J");
    row("another class of torch", "ctorch._utils\n_rebuild_sparse_tensor\n)R.", "torch._utils._rebuild_sparse_tensor");
    row("an unknown storage", "ctorch\nComplexFloatStorage\n.", "torch.ComplexFloatStorage");
    row("a called class", "ctorch\nFloatStorage\n)R.", "torch.FloatStorage is called");
    row("INST", "(ios\nsystem\n.", "INST 0x69");
    row("OBJ", "(o.", "OBJ 0x6f");
    row("NEWOBJ of what is no class", "))\x81.", "an object of something that is not a class");
    row("NEWOBJ of a storage", "ctorch\nFloatStorage\n)\x81.", "an object of something that is not a class");
    row("an object", "ccollections\nCounter\n)\x81.", "collections.Counter is not part of a state dict (byte 0)");
    row("an object with keywords",
        "\x80\x02"
        "comegaconf\nA\n)}\x92}b.",
        "omegaconf.A is not part of a state dict (byte 2)");
    row("out of band", "\x97.", "BUFFER 0x97");
    row("extension", "\x82\x01.", "EXT 0x82");
    row("unknown opcode", "\xfe.", "opcode 0xfe");
    row("text protocol", "I1\n.", "opcode 0x49");
    row("future protocol", "\x80\x09.", "protocol 9");
    row("no end", "N", "1 bytes are requested, but 0 are left");
    row("empty", "", "0 are left");
    row("two values", "NN.", "more than one value");
    row("nothing", ".", "stack is empty");
    row("an open mark", "N(N.", "more than one value");
    row("no mark", "Nt.", "no mark");
    row("below a mark", "N(\x85.", "stack is empty");
    row("memo out of range", "j\xff\xff\xff\xff.", "nothing is stored under 4294967295");
    row("memo of nothing", "q\x01.", "stack is empty");
    row("long text",
        "X\xff\xff\xff\xff"
        "a.",
        "4294967295 bytes are requested");
    row("huge text",
        "\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
        "a.",
        "18446744073709551615 bytes");
    row("huge frame", "\x95\xff\xff\xff\xff\xff\xff\xff\xffN.", "frame of 18446744073709551615 bytes");
    row("long integer", "\x8a\xff.", "255 bytes are requested");
    row("longer integer", "\x8b\xff\xff\xff\xff.", "4294967295 bytes are requested");
    row("long bytes", "\x8e\xff\xff\xff\xff\xff\xff\xff\xff.", "18446744073709551615 bytes");
    row("a set of nothing", "N(N\x90.", "not a set");
    row("line without end", "cos", "line does not end");
    row("odd items", kDict + "(Nu.", "without a value");
    row("items of a list", "]NNs.", "not a dict");
    row("append to a dict", "}Na.", "not a list");
    row("BUILD of a dict", "}}b.", "not an OrderedDict");
    row("BUILD with a list", kDict + "]b.", "BUILD without a dict");
    row("OrderedDict with arguments", "ccollections\nOrderedDict\nN\x85R.", "OrderedDict with arguments");
    row("call of a text", text("os.system") + ")R.", "not a global");
    row("persistent text", text("storage") + "Q.", "not a storage");
    row("persistent number", std::string("(") + text("module") + "NNNNtQ.", "not a storage");
    row("a tensor without storage", "ctorch._utils\n_rebuild_tensor_v2\n(NNNNNNtR.", "a tensor that is not");
    row("a parameter of text", "ctorch._utils\n_rebuild_parameter\n(NNNtR.", "without its tensor");

    row("an entry of another class", state("comegaconf.dictconfig\nDictConfig\n)\x81"),
        "entry w: omegaconf.dictconfig.DictConfig is not part of a state dict (byte 36); remove it");
    row("a tensor of another class", state(tensor("K\x06", "K\0"s, "K\x02", "K\x01", "ctorch\nComplexFloatStorage\n")),
        "entry w: torch.ComplexFloatStorage is not part of a state dict");
    row("a class for an entry", state("ctorch\nfloat32\n"), "entry w: torch.float32");
    row("bytes for an entry", state("C\x01x"), "entry w is not a tensor");
    row("a state dict of another class", "}" + text("state_dict") + "ctorch.nn\nModule\n)\x81s.",
        "torch.nn.Module is not part of a state dict (byte 16)");
    row("no state dict", "}" + text("state_dict") + "Ns.", "no dict of tensors");
    row("not a dict", "].", "no dict of tensors");
    row("a number in it", state("K\x01"), "entry w is not a tensor");
    row("a key that is no text", state("N", "K\x01"), "key that is not a string");
    row("a key with an escape", state("N", text("\x1b[2J")), "control character");
    row("twice",
        "\x80\x02" + kDict + "(" + text("w") + tensor("K\x01", "K\0"s, "", "") + text("w") +
            tensor("K\x01", "K\0"s, "", "") + "u.",
        "tensor w occurs twice");
    row("beyond the storage", state(tensor("K\x06", "K\x01", "K\x02K\x03", "K\x03K\x01")), "beyond its storage of 6");
    row("strides beyond", state(tensor("K\x06", "K\0"s, "K\x02K\x03", "K\x04K\x01")), "beyond its storage");
    row("more elements", state(tensor("K\x02", "K\0"s, "K\x03", "K\0"s)), "more elements than its storage");
    row("huge sizes", state(tensor("K\x06", "K\0"s, "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x02", "K\0K\0"s)),
        "more elements");
    row("huge stride", state(tensor("K\x06", "K\0"s, "K\x03", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f")), "beyond");
    row("negative stride", state(tensor("K\x06", "K\x05", "K\x06", "J\xff\xff\xff\xff")), "stride -1");
    row("negative size", state(tensor("K\x06", "K\0"s, "J\xff\xff\xff\xff", "K\x01")), "size -1");
    row("negative offset", state(tensor("K\x06", "J\xff\xff\xff\xff", "K\x01", "K\x01")), "element -1 of 6");
    row("negative storage", state(tensor("J\xff\xff\xff\xff", "K\0"s, "K\0"s, "K\x01")), "of -1");
    row("sizes without strides", state(tensor("K\x06", "K\0"s, "K\x02K\x03", "K\x01")), "2 sizes and 1 strides");
    std::string sizes;
    for (int i = 0; i < 17; ++i)
        sizes += "K\x01";
    row("17 dimensions", state(tensor("K\x06", "K\0"s, sizes, sizes)), "a tensor of 17 dimensions");
    row("sizes that are text", state(tensor("K\x06", "K\0"s, text("2"), "K\x01")), "a tensor that is not");
}

void TestPickle::refused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, complaint);
    const std::string problem = problemOf(bytes.toStdString());
    QVERIFY2(QString::fromStdString(problem).contains(complaint), problem.c_str());
}

/// Values of unknown classes next to the state are accepted, but neither imported nor called.
void TestPickle::whatStandsBesideTheState_data() {
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* name, const std::string& value) {
        QTest::newRow(name) << QByteArray::fromStdString(value);
    };
    const std::string config = "comegaconf.dictconfig\nDictConfig\n)\x81", counter = "ccollections\nCounter\n";
    row("a class", "ctyping\nAny\n");
    row("by STACK_GLOBAL", "\x8c\x06typing\x8c\x03"
                           "Any\x93");
    row("an object with attributes", config + "}(" + text("_content") + "}" + text("_parent") + "Nub");
    row("an object with slots", config + "N}" + text("a") + "K\x01s\x86" + "b");
    row("one that holds itself", config + "q\x07}" + text("_parent") + "h\x07sb");
    row("a call", "cos\nsystem\n" + text("touch /tmp/x") + "\x85R");
    row("a call of what a call gave", "cbuiltins\ngetattr\n(NNtR)R");
    row("a dict of another class",
        "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\x01K\x02u" + text("k") + "Ns");
    row("a list of another class", "cmy\nList\n)\x81(K\x01K\x02"
                                   "eNa");
    row("a set", "\x8f(K\x01K\x02\x90");
    row("a set of another class", "cmy\nSet\n)\x81(K\x01\x90");
    row("a frozen set", "(K\x01K\x02\x91");
    row("bytes", "C\x02\x00\xff"s);
    row("longer bytes", "B\x02\x00\x00\x00hi"s);
    row("byte array", "\x96\x02\x00\x00\x00\x00\x00\x00\x00hi"s);
    row("large integer", "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x40"s);
    row("larger integer", "\x8b\x0a\x00\x00\x00zzzzzzzzzz"s);
    row("popped", "N0N" + std::string("(NN1"));
    row("keyword arguments", counter + ")}\x92");
    row("a tensor of another kind", tensor("K\x06", "K\0"s, "K\x02", "K\x01", "ctorch\nComplexFloatStorage\n"));
    row("a parameter of another kind", "ctorch._utils\n_rebuild_parameter\n(" +
                                           tensor("K\x06", "K\0"s, "K\x02", "K\x01", "ctorch\nUntypedStorage\n") +
                                           "\x88" + kDict + "tR");
    row("a sparse tensor",
        "ctorch._utils\n_rebuild_sparse_tensor\n(N" + tensor("K\x06", "K\0"s, "K\x02", "K\x01") + "tR");
}

void TestPickle::whatStandsBesideTheState() {
    QFETCH(QByteArray, value);
    const std::string weight = tensor("K\x06", "K\0"s, "K\x02K\x03", "K\x03K\x01");
    const std::string bytes = "\x80\x04}(" + text("hyper_parameters") + value.toStdString() + text("state_dict") +
                              kDict + text("w") + weight + "s}" + text("_metadata") + "Nsb" + text("epoch") + "K\x03u.";
    const auto result = readPickledState(bytes);
    QVERIFY2(result.has_value(), result ? "" : result.error().english().c_str());
    QCOMPARE(result->size(), std::size_t(1));
    QCOMPARE(result->front().name, std::string("w"));
    // inside the state dict, the same value is rejected
    const auto inside = readPickledState(state(value.toStdString()));
    QVERIFY(!inside.has_value());
    QVERIFY2(inside.error().english().starts_with("entry w"), inside.error().english().c_str());
}

void TestPickle::nestingCostsNothing() {
    // as deep as the limit allows: neither building nor freeing it may be recursive
    const std::size_t depth = 1'000'000;
    const auto nested = pickle::run(")" + std::string(depth, '\x85') + ".");
    QVERIFY2(nested.has_value(), nested ? "" : nested.error().english().c_str());
    QCOMPARE(nested->all.size(), depth + 1);
    // each level contains the one below twice: 2^64 paths
    std::string doubled = ")";
    for (int i = 0; i < 64; ++i)
        doubled += "q\x01h\x01\x86";
    QVERIFY(pickle::run(doubled + ".").has_value());
    QVERIFY(problemOf(doubled + ".").find("no dict") != std::string::npos);
    // a list that contains itself
    QVERIFY(pickle::run("]q\x01h\x01"
                        "a.")
                .has_value());
    QVERIFY(problemOf(std::string(5'000'000, 'N') + ".").find("more than 4194304 values") != std::string::npos);
    QVERIFY(!problemOf(std::string(5'000'000, '(')).empty());
}

void TestPickle::writtenStatesComeBack() {
    std::mt19937_64 random(7);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    for (int round = 0; round < 300; ++round) {
        std::vector<TensorSpec> specs;
        for (std::int64_t n = below(6); n > 0; --n) {
            TensorSpec t;
            t.name = fmt::format("layer.{}.wéight", n);
            std::int64_t reach = 1;
            for (std::int64_t d = below(4); d > 0; --d) {
                t.shape.push_back(below(round % 3 == 0 ? 70'000 : 5));
                t.strides.push_back(reach);
                reach *= std::max<std::int64_t>(t.shape.back(), 1);
            }
            t.offset = below(300);
            t.storage = {std::to_string(n), ElementType::BF16, t.offset + reach + below(3)};
            specs.push_back(t);
        }
        const auto back = readPickledState(writePickledState(specs));
        QVERIFY2(back.has_value(), back ? "" : back.error().english().c_str());
        QCOMPARE(back->size(), specs.size());
        for (std::size_t i = 0; i < specs.size(); ++i) {
            const TensorSpec &a = specs[i], &b = (*back)[i];
            QVERIFY(a.name == b.name && a.offset == b.offset && a.shape == b.shape && a.strides == b.strides);
            QVERIFY(a.storage.key == b.storage.key && a.storage.type == b.storage.type);
            QCOMPARE(b.storage.elements, a.storage.elements);
        }
    }
}

void TestPickle::everyCutIsAnError() {
    const std::string whole = writePickledState(twoTensors());
    QVERIFY(problemOf(whole).empty());
    for (std::size_t size = 0; size < whole.size(); ++size)
        QVERIFY2(!problemOf(whole.substr(0, size)).empty(), std::to_string(size).c_str());
}

void TestPickle::randomBytesNeverCrash() {
    const std::string whole = writePickledState(twoTensors());
    const std::string opcodes = "\x80\x02}])(tsuaqhjrQRbNKMJXGc.\x85\x86\x87\x88\x89\x8a\x8c\x93\x94";
    std::mt19937 random(3);
    for (int round = 0; round < 50'000; ++round) {
        std::string bytes = whole;
        for (int edits = 1 + round % 4; edits > 0; --edits) {
            const char byte = round % 2 ? opcodes[random() % opcodes.size()] : static_cast<char>(random());
            bytes[random() % bytes.size()] = byte;
        }
        const auto result = readPickledState(bytes);
        if (!result)
            QVERIFY(!result.error().empty());
        else
            for (const TensorSpec& t : *result) { // whatever it says now is within its storage
                std::int64_t last = t.offset, reach = 0;
                if (std::find(t.shape.begin(), t.shape.end(), 0) != t.shape.end())
                    continue;
                for (std::size_t d = 0; d < t.shape.size(); ++d) {
                    QVERIFY(t.shape[d] > 0 && t.strides[d] >= 0);
                    QVERIFY(!__builtin_mul_overflow(t.shape[d] - 1, t.strides[d], &reach));
                    QVERIFY(!__builtin_add_overflow(last, reach, &last));
                }
                QVERIFY(last < t.storage.elements);
            }
    }
}

RANKSCOPE_CORE_TEST(TestPickle)
#include "tst_pickle.moc"
