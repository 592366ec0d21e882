// SPDX-License-Identifier: Apache-2.0
// The random choices for edits of recipes.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace rankscope::config::test {

inline const std::vector<std::string> kValues{"5",
                                              "-1",
                                              "1e-3",
                                              "true",
                                              "False",
                                              "null",
                                              "word",
                                              "two words",
                                              "'it''s'",
                                              "\"a: b\"",
                                              "[1, 2]",
                                              "[]",
                                              "{}",
                                              "{a: 1, b: [x]}",
                                              "${a.b}",
                                              "???",
                                              "0.00001",
                                              "\"\"",
                                              "'# no'",
                                              "路径/数据.json",
                                              "http://h:1/x#y",
                                              "a,b",
                                              "[a, 'b, c', [1]]",
                                              "\"tab\\t\"",
                                              "~"};

class Rng {
public:
    explicit Rng(unsigned seed) : m_engine(seed) {}
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_engine); }
    template <class T> const T& of(const std::vector<T>& list) { return list[below(list.size())]; }

private:
    std::mt19937 m_engine;
};

} // namespace rankscope::config::test
