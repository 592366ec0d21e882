// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::config {

/// Typed access to a section of a tree that check() has accepted and withCodeDefaults() has completed.
class Reader {
public:
    explicit Reader(const Node& node) : m_node(&node) {}

    bool present() const { return m_node && m_node->isMap(); }
    Reader section(const std::string& name) const { return Reader(child(name)); }

    /// `otherwise`: when the key is absent, null or ???.
    bool boolean(const std::string& name, bool otherwise) const;
    int integer(const std::string& name, int otherwise) const; ///< clamped to what an int holds
    std::int64_t integer64(const std::string& name, std::int64_t otherwise) const;
    double real(const std::string& name, double otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const; ///< of any scalar
    std::vector<int> integers(const std::string& name) const;
    static std::vector<int> integersOf(const Node& list);
    std::vector<double> reals(const std::string& name) const;
    std::vector<std::string> texts(const std::string& name) const; ///< a scalar as a list of one
    bool isNull(const std::string& name) const;                    ///< written, as null
    std::vector<std::string> paths(const std::string& name) const; ///< one, a list, or a list of lists
    std::vector<std::vector<std::string>>
    pathLists(const std::string& name) const;                         ///< a list of lists as such, all else as one list
    double logGuard(const std::string& name, double otherwise) const; ///< a number, "tiny" or "eps" of float32
    const Node* child(const std::string& name) const;

private:
    explicit Reader(const Node* node) : m_node(node) {}

    const Node* m_node;
};

} // namespace rankscope::config
