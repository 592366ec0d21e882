// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

/// A key and the value that it sets.
template <class T> struct Field {
    const char* name;
    T& value;
};
template <class T> Field(const char*, T&) -> Field<T>;

/// Typed access to a section of a tree that check() has accepted and withCodeDefaults() has completed.
class Reader {
public:
    explicit Reader(const Node& node) : m_node(&node) {}

    bool present() const { return m_node && m_node->isMap(); }
    Reader section(const std::string& name) const { return Reader(child(name)); }

    /// `fallback`: returned if the key is absent, null or ???.
    bool boolean(const std::string& name, bool fallback) const;
    int integer(const std::string& name, int fallback) const; ///< clamped to the range of int
    std::int64_t integer64(const std::string& name, std::int64_t fallback) const;
    double real(const std::string& name, double fallback) const;
    std::string text(const std::string& name, const std::string& fallback) const; ///< of any scalar
    std::vector<int> integers(const std::string& name) const;
    static std::vector<int> integersOf(const Node& list);
    std::vector<double> reals(const std::string& name) const;
    std::vector<std::string> texts(const std::string& name) const; ///< a scalar as a list of one
    bool isNull(const std::string& name) const;                    ///< the key is present and null
    std::vector<std::string> paths(const std::string& name) const; ///< one, a list, or a list of lists
    /// Keeps a list of lists; anything else becomes one list.
    std::vector<std::vector<std::string>> pathLists(const std::string& name) const;
    double logGuard(const std::string& name, double fallback) const; ///< a number, "tiny" or "eps" of float32
    const Node* child(const std::string& name) const;
    /// Sets each field whose key is present and neither null nor ???. The others keep their values.
    template <class... T> void read(const Field<T>&... fields) const { (set(fields.name, fields.value), ...); }

private:
    explicit Reader(const Node* node) : m_node(node) {}

    void set(const char* name, bool& value) const { value = boolean(name, value); }
    void set(const char* name, int& value) const { value = integer(name, value); }
    void set(const char* name, std::int64_t& value) const { value = integer64(name, value); }
    void set(const char* name, double& value) const { value = real(name, value); }
    void set(const char* name, std::string& value) const { value = text(name, value); }
    template <class T> void set(const char* name, std::optional<T>& value) const {
        if (child(name))
            set(name, value.emplace());
    }

    const Node* m_node;
};

} // namespace rankscope::config
