// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/pickle/pickle.h"

#include "core/base/text/terminal_safe.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace rankscope::trainer::pickle {
namespace {

constexpr unsigned kNewestProtocol = 5;

/// Names opcodes in errors: those that torch.save does not write.
const char* opcodeName(unsigned char op) {
    constexpr std::pair<std::string_view, const char*> kNames[] = {{"i", "INST"},     {"o", "OBJ"},
                                                                   {"P", "PERSID"},   {"\x82\x83\x84", "EXT"},
                                                                   {"TUS", "STRING"}, {"\x97\x98", "BUFFER"}};
    for (const auto& [opcodes, name] : kNames)
        if (opcodes.find(static_cast<char>(op)) != std::string_view::npos)
            return name;
    return "opcode";
}

/// Returns the text for error messages, without terminal control characters.
std::string shownName(std::string_view text) {
    return printableLine(text.substr(0, 100));
}

/// Reports what is wrong with the pickle.
struct PickleError {
    Message what;
};

/// Reads the pickle's bytes from front to back. Throws PickleError if there are too few.
class Bytes {
public:
    explicit Bytes(std::string_view all) : m_all(all) {}

    std::size_t at() const { return m_at; }
    std::size_t left() const { return m_all.size() - m_at; }

    std::string_view take(std::uint64_t size) {
        if (size > left())
            throw PickleError{Message("{} bytes are requested, but {} are left", std::to_string(size), left())};
        const auto part = m_all.substr(m_at, size);
        m_at += size;
        return part;
    }

    /// Reads `size` bytes, little-endian.
    std::uint64_t number(std::size_t size) {
        std::uint64_t n = 0;
        const auto part = take(size);
        for (std::size_t i = size; i-- > 0;)
            n = n << 8 | static_cast<unsigned char>(part[i]);
        return n;
    }

    /// Reads at most 8 bytes, little-endian, in two's complement.
    std::int64_t integer(std::uint64_t size) {
        const std::uint64_t n = number(size);
        if (size == 0 || size == 8)
            return static_cast<std::int64_t>(n);
        const std::uint64_t sign = 1ull << (8 * size - 1);
        return static_cast<std::int64_t>((n ^ sign) - sign);
    }

    /// Reads a float64, big-endian.
    double real() {
        std::uint64_t bits = 0;
        for (const char c : take(8))
            bits = bits << 8 | static_cast<unsigned char>(c);
        return std::bit_cast<double>(bits);
    }

    std::string_view line() {
        const auto end = m_all.find('\n', m_at);
        if (end == std::string_view::npos)
            throw PickleError{"a line does not end"};
        const auto text = take(end - m_at);
        take(1);
        return text;
    }

private:
    std::string_view m_all;
    std::size_t m_at = 0;
};

/// The stack machine that runs the opcodes. Throws PickleError.
class PickleMachine {
public:
    explicit PickleMachine(std::string_view bytes) : m_bytes(bytes) {}

    Values run() {
        for (;;) {
            m_opcodeAt = m_bytes.at();
            const auto op = static_cast<unsigned char>(m_bytes.take(1)[0]);
            if (op != '.') {
                runConstant(op);
                continue;
            }
            const Id result = pop();
            if (!m_stack.empty() || !m_marks.empty())
                throw PickleError{"it stops with more than one value"};
            return {std::move(m_values), result, std::move(m_foreign)};
        }
    }

    /// Returns the byte position of the current opcode.
    std::size_t at() const { return m_opcodeAt; }

private:
    static constexpr std::size_t kMaxValues = 4u << 20; ///< a state dict uses some 10 per tensor

    // Each of these four runs the opcodes of its kind and leaves the others to the next one.

    void runConstant(unsigned char op) {
        switch (op) {
        case 'N': // NONE
            return push({.kind = PickleKind::None});
        case 0x88: // NEWTRUE
        case 0x89: // NEWFALSE
            return push({.kind = PickleKind::Bool, .integer = op == 0x88});
        case 'K': // BININT1
            return pushInteger(static_cast<std::int64_t>(m_bytes.number(1)));
        case 'M': // BININT2
            return pushInteger(static_cast<std::int64_t>(m_bytes.number(2)));
        case 'J': // BININT
            return pushInteger(m_bytes.integer(4));
        case 0x8a: // LONG1
            return pushLong(m_bytes.number(1));
        case 0x8b: // LONG4
            return pushLong(m_bytes.number(4));
        case 'G': // BINFLOAT
            return push({.kind = PickleKind::Real, .real = m_bytes.real()});
        case 'X': // BINUNICODE
            return pushText(m_bytes.number(4));
        case 0x8c: // SHORT_BINUNICODE
            return pushText(m_bytes.number(1));
        case 0x8d: // BINUNICODE8
            return pushText(m_bytes.number(8));
        case 'C': // SHORT_BINBYTES
            return pushOpaqueBytes(m_bytes.number(1));
        case 'B': // BINBYTES
            return pushOpaqueBytes(m_bytes.number(4));
        case 0x8e: // BINBYTES8
        case 0x96: // BYTEARRAY8
            return pushOpaqueBytes(m_bytes.number(8));
        default:
            runContainer(op);
        }
    }

    void runContainer(unsigned char op) {
        switch (op) {
        case '}': // EMPTY_DICT
            return push({.kind = PickleKind::Dict});
        case ']': // EMPTY_LIST
            return push({.kind = PickleKind::List});
        case ')': // EMPTY_TUPLE
            return pushTuple(0);
        case 0x85:
        case 0x86:
        case 0x87: // TUPLE1, 2, 3
            return pushTuple(op - 0x84u);
        case 't': // TUPLE
            return push({.kind = PickleKind::Tuple, .items = popToMark()});
        case '(': // MARK
            if (m_marks.size() >= kMaxValues)
                throw PickleError{"too many marks"};
            return m_marks.push_back(m_stack.size());
        case 's': { // SETITEM
            const Id value = pop(), key = pop();
            return setItems({key, value});
        }
        case 'u': // SETITEMS
            return setItems(popToMark());
        case 'a': // APPEND
            return append({pop()});
        case 'e': // APPENDS
            return append(popToMark());
        case '0': // POP
            pop();
            return;
        case '1': // POP_MARK
            popToMark();
            return;
        case 0x8f: // EMPTY_SET
            return push({.kind = PickleKind::Other});
        case 0x90: // ADDITEMS
            return addToSet();
        case 0x91: // FROZENSET
            popToMark();
            return push({.kind = PickleKind::Other});
        default:
            runMemo(op);
        }
    }

    void runMemo(unsigned char op) {
        switch (op) {
        case 'q': // BINPUT
            return remember(m_bytes.number(1));
        case 'r': // LONG_BINPUT
            return remember(m_bytes.number(4));
        case 0x94: // MEMOIZE
            return remember(m_memo.size());
        case 'h': // BINGET
            return recall(m_bytes.number(1));
        case 'j': // LONG_BINGET
            return recall(m_bytes.number(4));
        default:
            runObject(op);
        }
    }

    void runObject(unsigned char op) {
        switch (op) {
        case 0x80: // PROTO
            if (const auto version = m_bytes.number(1); version > kNewestProtocol)
                throw PickleError{Message("unknown protocol {}", version)};
            return;
        case 0x95: // FRAME: only a hint for reading
            if (const auto size = m_bytes.number(8); size > m_bytes.left())
                throw PickleError{
                    Message("a frame of {} bytes, but only {} are left", std::to_string(size), m_bytes.left())};
            return;
        case 'c': { // GLOBAL
            const auto module = m_bytes.line();
            return pushGlobal(module, m_bytes.line());
        }
        case 0x93: { // STACK_GLOBAL
            const Id name = pop(), module = pop();
            static constexpr char what[] = "a global's name is not a string";
            return pushGlobal(expect(module, PickleKind::Text, what).text, expect(name, PickleKind::Text, what).text);
        }
        case 'Q': // BINPERSID
            return pushStorage();
        case 'R': // REDUCE
            return reduce();
        case 0x81: // NEWOBJ
            return newObject(false);
        case 0x92: // NEWOBJ_EX
            return newObject(true);
        case 'b': // BUILD
            return build();
        default:
            throw PickleError{Message("{} 0x{:02x} is not supported", opcodeName(op), op)};
        }
    }

    // Values and the stack

    void push(Id id) {
        if (m_stack.size() >= kMaxValues)
            throw PickleError{Message("more than {} values on the stack", kMaxValues)};
        m_stack.push_back(id);
    }

    void push(Value value) {
        if (m_values.size() >= kMaxValues)
            throw PickleError{Message("more than {} values", kMaxValues)};
        m_values.push_back(std::move(value));
        push(static_cast<Id>(m_values.size() - 1));
    }

    void pushInteger(std::int64_t integer) { push({.kind = PickleKind::Integer, .integer = integer}); }
    void pushText(std::uint64_t size) { push({.kind = PickleKind::Text, .text = m_bytes.take(size)}); }
    /// Pushes an opaque call, object or part of one; `name`: index in m_foreign.
    void pushForeign(std::int64_t name) { push({.kind = PickleKind::Foreign, .integer = name}); }

    void pushOpaqueBytes(std::uint64_t size) {
        m_bytes.take(size);
        push({.kind = PickleKind::Other});
    }

    void pushLong(std::uint64_t size) {
        if (size > 8)
            return pushOpaqueBytes(size);
        pushInteger(m_bytes.integer(size));
    }

    Id top() const {
        if (m_stack.size() <= (m_marks.empty() ? 0 : m_marks.back()))
            throw PickleError{"the stack is empty"};
        return m_stack.back();
    }

    Id pop() {
        const Id id = top();
        m_stack.pop_back();
        return id;
    }

    std::vector<Id> popToMark() {
        if (m_marks.empty())
            throw PickleError{"there is no mark on the stack"};
        const auto from = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
        std::vector<Id> items(from, m_stack.end());
        m_stack.erase(from, m_stack.end());
        m_marks.pop_back();
        return items;
    }

    bool isForeign(Id id) const { return m_values[id].kind == PickleKind::Foreign; }

    template <std::size_t N> Value& expect(Id id, PickleKind kind, const char (&what)[N]) {
        if (m_values[id].kind != kind)
            throw PickleError{what};
        return m_values[id];
    }

    void pushTuple(std::size_t size) {
        std::vector<Id> items(size);
        for (std::size_t i = size; i-- > 0;)
            items[i] = pop();
        push({.kind = PickleKind::Tuple, .items = std::move(items)});
    }

    void setItems(const std::vector<Id>& items) {
        if (isForeign(top())) // a class that is a dict, such as defaultdict
            return;
        Value& dict = expect(top(), PickleKind::Dict, "an item is set in an object that is not a dict");
        if (items.size() % 2 != 0)
            throw PickleError{"a dict is given a key without a value"};
        dict.items.insert(dict.items.end(), items.begin(), items.end());
    }

    void append(const std::vector<Id>& items) {
        if (isForeign(top()))
            return;
        Value& list = expect(top(), PickleKind::List, "an item is appended to an object that is not a list");
        list.items.insert(list.items.end(), items.begin(), items.end());
    }

    void addToSet() {
        popToMark();
        if (!isForeign(top()))
            expect(top(), PickleKind::Other, "an item is added to an object that is not a set");
    }

    // Effects of the opcodes

    void remember(std::uint64_t slot) { m_memo[slot] = top(); }

    void recall(std::uint64_t slot) {
        const auto found = m_memo.find(slot);
        if (found == m_memo.end())
            throw PickleError{Message("nothing is stored under {}", slot)};
        push(found->second);
    }

    void pushGlobal(std::string_view module, std::string_view name) {
        const auto& known = globals();
        const auto found = std::find_if(known.begin(), known.end(),
                                        [&](const Global& g) { return g.module == module && g.name == name; });
        if (found != known.end())
            return push({.kind = PickleKind::Global, .integer = found - known.begin()});
        m_foreign.push_back({module, name, m_opcodeAt});
        pushForeign(static_cast<std::int64_t>(m_foreign.size() - 1));
    }

    /// Takes ('storage', class, key, place, number of elements). The storage is opaque if its class is not known here.
    void pushStorage() {
        static constexpr char what[] = "a persistent id is not a storage";
        const std::vector<Id> items = expect(pop(), PickleKind::Tuple, what).items;
        if (items.size() != 5 || expect(items[0], PickleKind::Text, what).text != "storage")
            throw PickleError{what};
        if (isForeign(items[1]))
            return pushForeign(m_values[items[1]].integer);
        const auto type = static_cast<std::size_t>(expect(items[1], PickleKind::Global, what).integer);
        if (globals()[type].role != Role::StorageClass)
            throw PickleError{what};
        expect(items[2], PickleKind::Text, what);
        expect(items[3], PickleKind::Text, what);
        expect(items[4], PickleKind::Integer, what);
        push({.kind = PickleKind::Storage, .items = {items[1], items[2], items[4]}});
    }

    void reduce() {
        const Value arguments = expect(pop(), PickleKind::Tuple, "a call without a tuple of arguments");
        const Id function = pop();
        if (isForeign(function)) // not called: its result is opaque
            return pushForeign(m_values[function].integer);
        const Value& called = expect(function, PickleKind::Global, "a call of an object that is not a global");
        const Global& global = globals()[static_cast<std::size_t>(called.integer)];
        switch (global.role) {
        case Role::OrderedDict:
            if (!arguments.items.empty())
                throw PickleError{"an OrderedDict with arguments"};
            return push({.kind = PickleKind::Dict, .ordered = true});
        case Role::RebuildTensor:
            return rebuildTensor(arguments);
        case Role::RebuildParameter: // (tensor, requires_grad, hooks): the tensor
            if (arguments.items.size() != 3 ||
                (m_values[arguments.items[0]].kind != PickleKind::Tensor && !isForeign(arguments.items[0])))
                throw PickleError{"a parameter without its tensor"};
            return push(arguments.items[0]);
        case Role::StorageClass:
            throw PickleError{Message("{}.{} is called", shownName(global.module), shownName(global.name))};
        }
    }

    /// Takes (storage, offset, sizes, strides, requires_grad, hooks[, metadata]).
    void rebuildTensor(const Value& arguments) {
        const auto& items = arguments.items;
        static constexpr char what[] = "a tensor that is not (storage, offset, sizes, strides, …)";
        if (items.size() != 6 && items.size() != 7)
            throw PickleError{what};
        if (isForeign(items[0]))
            return pushForeign(m_values[items[0]].integer);
        expect(items[0], PickleKind::Storage, what);
        expect(items[1], PickleKind::Integer, what);
        for (const Id list : {items[2], items[3]}) {
            const auto& sizes = expect(list, PickleKind::Tuple, what).items;
            if (sizes.size() > kMaxDimensions) // a long list shared by many tensors would be walked for each of them
                throw PickleError{Message("a tensor of {} dimensions", sizes.size())};
            for (const Id size : sizes)
                expect(size, PickleKind::Integer, what);
        }
        push({.kind = PickleKind::Tensor, .items = {items.begin(), items.begin() + 4}});
    }

    /// Creates an opaque object of a foreign class. A known class is a fault: state dicts hold no objects of these.
    void newObject(bool withKeywords) {
        if (withKeywords)
            pop();
        pop(); // the arguments
        const Id type = pop();
        if (!isForeign(type))
            throw PickleError{"an object of something that is not a class"};
        pushForeign(m_values[type].integer);
    }

    /// Handles attributes of an OrderedDict, such as state_dict()'s _metadata, or of an opaque object, and drops them.
    void build() {
        const Id attributes = pop();
        if (isForeign(top()))
            return;
        expect(attributes, PickleKind::Dict, "BUILD without a dict of attributes");
        if (!expect(top(), PickleKind::Dict, "BUILD of an object that is not an OrderedDict").ordered)
            throw PickleError{"BUILD of an object that is not an OrderedDict"};
    }

    Bytes m_bytes;
    std::size_t m_opcodeAt = 0;
    std::vector<Value> m_values;
    std::vector<ForeignName> m_foreign;
    std::vector<Id> m_stack;
    std::vector<std::size_t> m_marks; ///< sizes of the stack
    std::unordered_map<std::uint64_t, Id> m_memo;
};

} // namespace

const std::vector<Global>& globals() {
    static const std::vector<Global> all = [] {
        std::vector<Global> g{
            {"collections", "OrderedDict", Role::OrderedDict, ElementType::F32},
            {"torch._utils", "_rebuild_tensor_v2", Role::RebuildTensor, ElementType::F32},
            {"torch._utils", "_rebuild_parameter", Role::RebuildParameter, ElementType::F32},
        };
        const std::pair<const char*, ElementType> storages[] = {
            {"DoubleStorage", ElementType::F64},    {"FloatStorage", ElementType::F32},
            {"HalfStorage", ElementType::F16},      {"LongStorage", ElementType::I64},
            {"BFloat16Storage", ElementType::BF16}, {"IntStorage", ElementType::I32},
            {"ShortStorage", ElementType::I16},     {"CharStorage", ElementType::I8},
            {"ByteStorage", ElementType::U8},       {"BoolStorage", ElementType::Bool}};
        for (const auto& [name, type] : storages)
            g.push_back({"torch", name, Role::StorageClass, type});
        return g;
    }();
    return all;
}

const Global& storageClass(ElementType type) {
    const auto& all = globals();
    return *std::find_if(all.begin(), all.end(),
                         [&](const Global& g) { return g.role == Role::StorageClass && g.type == type; });
}

Message Values::refusal(const Value& value) const {
    const ForeignName& name = foreign[static_cast<std::size_t>(value.integer)];
    return {"{}.{} is not part of a state dict (byte {})", shownName(name.module), shownName(name.name), name.at};
}

tl::expected<Values, Message> run(std::string_view bytes) {
    PickleMachine machine(bytes);
    try {
        return machine.run();
    } catch (const PickleError& fault) {
        return tl::unexpected(Message("{} (byte {})", fault.what, machine.at()));
    }
}

} // namespace rankscope::trainer::pickle
