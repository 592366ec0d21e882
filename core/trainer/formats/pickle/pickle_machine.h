// SPDX-License-Identifier: Apache-2.0
// The stack machine behind pickle::run(). Throws Fault inside.
#pragma once

#include "core/trainer/formats/pickle/pickle.h"

#include <unordered_map>

namespace rankscope::trainer::pickle {

struct Fault {
    std::string what;
};

class Machine {
public:
    explicit Machine(std::string_view bytes) : m_bytes(bytes) {}

    Values run();
    std::size_t at() const { return m_opcodeAt; }

private:
    static constexpr std::size_t kMaxValues = 4u << 20; ///< a state dict uses some 10 a tensor

    // each: true when the opcode was one of its own
    bool constant(unsigned char op);
    bool container(unsigned char op);
    bool memo(unsigned char op);
    bool object(unsigned char op);

    void pushGlobal(std::string_view module, std::string_view name);
    void persistent(); ///< a storage
    void reduce();
    void newObject(bool withKeywords);
    void build();
    void rebuildTensor(const Value& arguments);
    bool isForeign(Id id) const { return m_values[id].kind == Kind::Foreign; }
    void pushForeign(std::int64_t name);
    void remember(std::uint64_t slot);
    void recall(std::uint64_t slot);

    Id add(Value value);
    void push(Id id);
    void pushKind(Kind kind, std::int64_t integer = 0);
    void pushText(std::string_view text);
    void pushTuple(std::size_t size);
    void setItems(const std::vector<Id>& items);
    void append(const std::vector<Id>& items);
    void addToSet();
    Id pop();
    Id top() const;
    std::vector<Id> popToMark();
    Value& expect(Id id, Kind kind, const char* what);

    std::string_view take(std::uint64_t size);
    std::uint64_t number(std::size_t size);       ///< little-endian
    std::int64_t longInteger(std::uint64_t size); ///< of at most 8 bytes
    void pushLong(std::uint64_t size);
    std::string_view line();

    std::string_view m_bytes;
    std::size_t m_at = 0, m_opcodeAt = 0;
    std::vector<Value> m_values;
    std::vector<ForeignName> m_foreign;
    std::vector<Id> m_stack;
    std::vector<std::size_t> m_marks; ///< sizes of the stack
    std::unordered_map<std::uint64_t, Id> m_memo;
};

} // namespace rankscope::trainer::pickle
