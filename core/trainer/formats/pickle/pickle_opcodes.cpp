// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/pickle/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace rankscope::trainer::pickle {
namespace {

constexpr unsigned kNewestProtocol = 5;

/// Opcodes that need a name in an error: those of pickles that torch.save does not write.
const char* opcodeName(unsigned char op) {
    switch (op) {
    case 'i':
        return "INST";
    case 'o':
        return "OBJ";
    case 'P':
        return "PERSID";
    case 0x82:
    case 0x83:
    case 0x84:
        return "EXT";
    case 'T':
    case 'U':
    case 'S':
        return "STRING";
    case 0x97:
    case 0x98:
        return "BUFFER";
    default:
        return "opcode";
    }
}

} // namespace

Values Machine::run() {
    for (;;) {
        m_opcodeAt = m_at;
        const auto op = static_cast<unsigned char>(take(1)[0]);
        if (op == '.') {
            const Id result = pop();
            if (!m_stack.empty() || !m_marks.empty())
                throw Fault{"it stops with more than one value"};
            return {std::move(m_values), result, std::move(m_foreign)};
        }
        if (!constant(op) && !container(op) && !memo(op) && !object(op))
            throw Fault{fmt::format("{} 0x{:02x} is not part of a state dict", opcodeName(op), op)};
    }
}

bool Machine::constant(unsigned char op) {
    switch (op) {
    case 'N': // NONE
        pushKind(Kind::None);
        return true;
    case 0x88: // NEWTRUE
        pushKind(Kind::Bool, 1);
        return true;
    case 0x89: // NEWFALSE
        pushKind(Kind::Bool, 0);
        return true;
    case 'K': // BININT1
        pushKind(Kind::Integer, static_cast<std::int64_t>(number(1)));
        return true;
    case 'M': // BININT2
        pushKind(Kind::Integer, static_cast<std::int64_t>(number(2)));
        return true;
    case 'J': // BININT
        pushKind(Kind::Integer, longInteger(4));
        return true;
    case 0x8a: // LONG1
        pushLong(number(1));
        return true;
    case 0x8b: // LONG4
        pushLong(number(4));
        return true;
    case 'G': { // BINFLOAT, big-endian
        std::uint64_t bits = 0;
        for (const char c : take(8))
            bits = bits << 8 | static_cast<unsigned char>(c);
        pushKind(Kind::Real);
        m_values.back().real = std::bit_cast<double>(bits);
        return true;
    }
    case 'X': // BINUNICODE
        pushText(take(number(4)));
        return true;
    case 0x8c: // SHORT_BINUNICODE
        pushText(take(number(1)));
        return true;
    case 0x8d: // BINUNICODE8
        pushText(take(number(8)));
        return true;
    case 'C': // SHORT_BINBYTES
        take(number(1));
        pushKind(Kind::Other);
        return true;
    case 'B': // BINBYTES
        take(number(4));
        pushKind(Kind::Other);
        return true;
    case 0x8e:
    case 0x96: // BINBYTES8, BYTEARRAY8
        take(number(8));
        pushKind(Kind::Other);
        return true;
    default:
        return false;
    }
}

bool Machine::container(unsigned char op) {
    switch (op) {
    case '}':
        pushKind(Kind::Dict);
        return true;
    case ']':
        pushKind(Kind::List);
        return true;
    case ')':
        pushTuple(0);
        return true;
    case 0x85:
    case 0x86:
    case 0x87: // TUPLE1, 2, 3
        pushTuple(op - 0x84u);
        return true;
    case '(':
        if (m_marks.size() >= kMaxValues)
            throw Fault{"too many marks"};
        m_marks.push_back(m_stack.size());
        return true;
    case 't': { // TUPLE
        Value tuple;
        tuple.kind = Kind::Tuple;
        tuple.items = popToMark();
        push(add(std::move(tuple)));
        return true;
    }
    case 's': { // SETITEM
        const Id value = pop(), key = pop();
        setItems({key, value});
        return true;
    }
    case 'u': // SETITEMS
        setItems(popToMark());
        return true;
    case 'a': // APPEND
        append({pop()});
        return true;
    case 'e': { // APPENDS
        const auto items = popToMark();
        append(items);
        return true;
    }
    case '0': // POP
        pop();
        return true;
    case '1': // POP_MARK
        popToMark();
        return true;
    case 0x8f: // EMPTY_SET
        pushKind(Kind::Other);
        return true;
    case 0x90: // ADDITEMS
        addToSet();
        return true;
    case 0x91: // FROZENSET
        popToMark();
        pushKind(Kind::Other);
        return true;
    default:
        return false;
    }
}

bool Machine::memo(unsigned char op) {
    switch (op) {
    case 'q': // BINPUT
        remember(number(1));
        return true;
    case 'r': // LONG_BINPUT
        remember(number(4));
        return true;
    case 0x94: // MEMOIZE
        remember(m_memo.size());
        return true;
    case 'h': // BINGET
        recall(number(1));
        return true;
    case 'j': // LONG_BINGET
        recall(number(4));
        return true;
    default:
        return false;
    }
}

bool Machine::object(unsigned char op) {
    switch (op) {
    case 0x80: // PROTO
        if (const auto version = number(1); version > kNewestProtocol)
            throw Fault{fmt::format("protocol {} is not known", version)};
        return true;
    case 0x95: // FRAME: only a hint for reading
        if (const auto size = number(8); size > m_bytes.size() - m_at)
            throw Fault{fmt::format("a frame of {} bytes, {} are left", size, m_bytes.size() - m_at)};
        return true;
    case 'c': { // GLOBAL
        const auto module = line();
        pushGlobal(module, line());
        return true;
    }
    case 0x93: { // STACK_GLOBAL
        const Id name = pop(), module = pop();
        const char* what = "a global's name is no text";
        pushGlobal(expect(module, Kind::Text, what).text, expect(name, Kind::Text, what).text);
        return true;
    }
    case 'Q': // BINPERSID
        persistent();
        return true;
    case 'R':
        reduce();
        return true;
    case 0x81: // NEWOBJ
        newObject(false);
        return true;
    case 0x92: // NEWOBJ_EX
        newObject(true);
        return true;
    case 'b':
        build();
        return true;
    default:
        return false;
    }
}

void Machine::remember(std::uint64_t slot) {
    m_memo[slot] = top();
}

void Machine::recall(std::uint64_t slot) {
    const auto found = m_memo.find(slot);
    if (found == m_memo.end())
        throw Fault{fmt::format("nothing was remembered under {}", slot)};
    push(found->second);
}

void Machine::pushGlobal(std::string_view module, std::string_view name) {
    const auto& known = globals();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Global& g) { return g.module == module && g.name == name; });
    if (found != known.end())
        return pushKind(Kind::Global, found - known.begin());
    m_foreign.push_back({module, name, m_opcodeAt});
    pushForeign(static_cast<std::int64_t>(m_foreign.size() - 1));
}

/// ('storage', class, key, place, number of elements); of a class that is not known here, an opaque value
void Machine::persistent() {
    const char* what = "a persistent id is no storage";
    const std::vector<Id> items = expect(pop(), Kind::Tuple, what).items;
    if (items.size() != 5 || expect(items[0], Kind::Text, what).text != "storage")
        throw Fault{what};
    if (isForeign(items[1]))
        return pushForeign(m_values[items[1]].integer);
    const auto type = static_cast<std::size_t>(expect(items[1], Kind::Global, what).integer);
    if (globals()[type].role != Role::StorageClass)
        throw Fault{what};
    expect(items[2], Kind::Text, what);
    expect(items[3], Kind::Text, what);
    expect(items[4], Kind::Integer, what);
    Value storage;
    storage.kind = Kind::Storage;
    storage.items = {items[1], items[2], items[4]};
    push(add(std::move(storage)));
}

void Machine::reduce() {
    const Value arguments = expect(pop(), Kind::Tuple, "a call without a tuple of arguments");
    const Id function = pop();
    if (isForeign(function)) // not called: what it would make is opaque
        return pushForeign(m_values[function].integer);
    const Value& called = expect(function, Kind::Global, "a call of what is no global");
    const Global& global = globals()[static_cast<std::size_t>(called.integer)];
    switch (global.role) {
    case Role::OrderedDict:
        if (!arguments.items.empty())
            throw Fault{"an OrderedDict with arguments"};
        pushKind(Kind::Dict);
        m_values.back().ordered = true;
        return;
    case Role::RebuildTensor:
        rebuildTensor(arguments);
        return;
    case Role::RebuildParameter: // (tensor, requires_grad, hooks): the tensor
        if (arguments.items.size() != 3 ||
            (m_values[arguments.items[0]].kind != Kind::Tensor && !isForeign(arguments.items[0])))
            throw Fault{"a parameter without its tensor"};
        push(arguments.items[0]);
        return;
    case Role::StorageClass:
        throw Fault{fmt::format("{}.{} is called", global.module, global.name)};
    }
}

/// (storage, offset, sizes, strides, requires_grad, hooks[, metadata])
void Machine::rebuildTensor(const Value& arguments) {
    const auto& items = arguments.items;
    const char* what = "a tensor that is not (storage, offset, sizes, strides, …)";
    if (items.size() != 6 && items.size() != 7)
        throw Fault{what};
    if (isForeign(items[0]))
        return pushForeign(m_values[items[0]].integer);
    expect(items[0], Kind::Storage, what);
    expect(items[1], Kind::Integer, what);
    for (const Id list : {items[2], items[3]}) {
        const auto& sizes = expect(list, Kind::Tuple, what).items;
        if (sizes.size() > kMaxDimensions) // one long list for many tensors would be walked for each of them
            throw Fault{fmt::format("a tensor of {} dimensions", sizes.size())};
        for (const Id size : sizes)
            expect(size, Kind::Integer, what);
    }
    Value tensor;
    tensor.kind = Kind::Tensor;
    tensor.items.assign(items.begin(), items.begin() + 4);
    push(add(std::move(tensor)));
}

/// An object of a class: never of one that is known here, for state dicts hold none that is made so.
void Machine::newObject(bool withKeywords) {
    if (withKeywords)
        pop();
    pop(); // the arguments
    const Id type = pop();
    if (!isForeign(type))
        throw Fault{"an object of what is no class"};
    pushForeign(m_values[type].integer);
}

/// Attributes of an OrderedDict, as state_dict() has one: _metadata, and of opaque objects. They are not needed.
void Machine::build() {
    const Id attributes = pop();
    if (isForeign(top()))
        return;
    expect(attributes, Kind::Dict, "BUILD without a dict of attributes");
    if (!expect(top(), Kind::Dict, "BUILD of what is no OrderedDict").ordered)
        throw Fault{"BUILD of what is no OrderedDict"};
}

} // namespace rankscope::trainer::pickle
