// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/pickle/pickle.h"

#include "core/trainer/formats/pickle/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::trainer::pickle {

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

tl::expected<Values, std::string> run(std::string_view bytes) {
    Machine machine(bytes);
    try {
        return machine.run();
    } catch (const Fault& fault) {
        return tl::unexpected(fmt::format("{} (byte {})", fault.what, machine.at()));
    }
}

/// For error messages: nothing that a terminal would obey.
static std::string shownName(std::string_view text) {
    std::string out(text.substr(0, 100));
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = '?';
    return out;
}

std::string Values::refusal(const Value& value) const {
    const ForeignName& name = foreign[static_cast<std::size_t>(value.integer)];
    return fmt::format("{}.{} is not part of a state dict (byte {})", shownName(name.module), shownName(name.name),
                       name.at);
}

// --- Machine: values and stack

Id Machine::add(Value value) {
    if (m_values.size() >= kMaxValues)
        throw Fault{fmt::format("more than {} values", kMaxValues)};
    m_values.push_back(std::move(value));
    return static_cast<Id>(m_values.size() - 1);
}

void Machine::push(Id id) {
    if (m_stack.size() >= kMaxValues)
        throw Fault{fmt::format("more than {} values on the stack", kMaxValues)};
    m_stack.push_back(id);
}

void Machine::pushKind(Kind kind, std::int64_t integer) {
    Value value;
    value.kind = kind;
    value.integer = integer;
    push(add(std::move(value)));
}

void Machine::pushText(std::string_view text) {
    Value value;
    value.kind = Kind::Text;
    value.text = text;
    push(add(std::move(value)));
}

Id Machine::pop() {
    const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
    if (m_stack.size() <= floor)
        throw Fault{"the stack is empty"};
    const Id id = m_stack.back();
    m_stack.pop_back();
    return id;
}

Id Machine::top() const {
    const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
    if (m_stack.size() <= floor)
        throw Fault{"the stack is empty"};
    return m_stack.back();
}

std::vector<Id> Machine::popToMark() {
    if (m_marks.empty())
        throw Fault{"there is no mark on the stack"};
    const auto from = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
    std::vector<Id> items(from, m_stack.end());
    m_stack.erase(from, m_stack.end());
    m_marks.pop_back();
    return items;
}

Value& Machine::expect(Id id, Kind kind, const char* what) {
    if (m_values[id].kind != kind)
        throw Fault{what};
    return m_values[id];
}

void Machine::pushTuple(std::size_t size) {
    Value value;
    value.kind = Kind::Tuple;
    value.items.resize(size);
    for (std::size_t i = size; i-- > 0;)
        value.items[i] = pop();
    push(add(std::move(value)));
}

void Machine::pushForeign(std::int64_t name) {
    pushKind(Kind::Foreign, name);
}

void Machine::setItems(const std::vector<Id>& items) {
    if (isForeign(top())) // a class that is a dict, such as defaultdict
        return;
    Value& dict = expect(top(), Kind::Dict, "an item is set in what is no dict");
    if (items.size() % 2 != 0)
        throw Fault{"a dict gets a key without a value"};
    dict.items.insert(dict.items.end(), items.begin(), items.end());
}

void Machine::append(const std::vector<Id>& items) {
    if (isForeign(top()))
        return;
    Value& list = expect(top(), Kind::List, "an item is appended to what is no list");
    list.items.insert(list.items.end(), items.begin(), items.end());
}

void Machine::addToSet() {
    popToMark();
    if (!isForeign(top()))
        expect(top(), Kind::Other, "an item is added to what is no set");
}

// --- Machine: bytes

std::string_view Machine::take(std::uint64_t size) {
    if (size > m_bytes.size() - m_at)
        throw Fault{fmt::format("{} bytes are asked for, {} are left", size, m_bytes.size() - m_at)};
    const auto part = m_bytes.substr(m_at, size);
    m_at += size;
    return part;
}

std::uint64_t Machine::number(std::size_t size) {
    std::uint64_t n = 0;
    const auto part = take(size);
    for (std::size_t i = size; i-- > 0;)
        n = n << 8 | static_cast<unsigned char>(part[i]);
    return n;
}

std::string_view Machine::line() {
    const auto end = m_bytes.find('\n', m_at);
    if (end == std::string_view::npos)
        throw Fault{"a line does not end"};
    const auto text = take(end - m_at);
    take(1);
    return text;
}

void Machine::pushLong(std::uint64_t size) {
    if (size <= 8)
        return pushKind(Kind::Integer, longInteger(size));
    take(size);
    pushKind(Kind::Other);
}

std::int64_t Machine::longInteger(std::uint64_t size) {
    const std::uint64_t n = number(size);
    if (size == 0 || size == 8)
        return static_cast<std::int64_t>(n);
    const std::uint64_t sign = 1ull << (8 * size - 1);
    return static_cast<std::int64_t>((n ^ sign) - sign);
}

} // namespace rankscope::trainer::pickle
