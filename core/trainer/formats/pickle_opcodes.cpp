// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace rankscope::trainer::pickle {
namespace {

constexpr unsigned kNewestProtocol = 5;

/// Opcodes that need a name in an error: those with which other pickles begin to differ from a state dict.
const char* opcodeName(unsigned char op) {
    switch (op) {
    case 'i':
        return "INST";
    case 'o':
        return "OBJ";
    case 'P':
        return "PERSID";
    case 0x81:
        return "NEWOBJ";
    case 0x92:
        return "NEWOBJ_EX";
    case 0x82:
    case 0x83:
    case 0x84:
        return "EXT";
    case 'B':
    case 'C':
    case 0x8e:
        return "BINBYTES";
    case 'T':
    case 'U':
    case 'S':
        return "STRING";
    case 0x8b:
        return "LONG4";
    case 0x8f:
    case 0x90:
    case 0x91:
        return "SET";
    default:
        return "opcode";
    }
}

/// For error messages: nothing that a terminal would obey.
std::string printable(std::string_view text) {
    std::string out(text.substr(0, 100));
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = '?';
    return out;
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
            return {std::move(m_values), result};
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
        pushKind(Kind::Integer, longInteger(number(1)));
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
    case 'e': // APPENDS
        append(popToMark());
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
    if (found == known.end())
        throw Fault{fmt::format("{}.{} is not part of a state dict", printable(module), printable(name))};
    pushKind(Kind::Global, found - known.begin());
}

/// ('storage', class, key, place, number of elements)
void Machine::persistent() {
    const char* what = "a persistent id is no storage";
    const std::vector<Id> items = expect(pop(), Kind::Tuple, what).items;
    if (items.size() != 5 || expect(items[0], Kind::Text, what).text != "storage")
        throw Fault{what};
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
    const Value& called = expect(pop(), Kind::Global, "a call of what is no global");
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
        if (arguments.items.size() != 3 || m_values[arguments.items[0]].kind != Kind::Tensor)
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

/// Only attributes of an OrderedDict, as state_dict() has one: _metadata. They are not needed.
void Machine::build() {
    expect(pop(), Kind::Dict, "BUILD without a dict of attributes");
    if (!expect(top(), Kind::Dict, "BUILD of what is no OrderedDict").ordered)
        throw Fault{"BUILD of what is no OrderedDict"};
}

} // namespace rankscope::trainer::pickle
