// SPDX-License-Identifier: Apache-2.0
// Holds the part of a class that its header does not show.
#pragma once

#include <memory>
#include <utility>

namespace rankscope {

/// Owns the hidden part of a class and knows how to destroy it, so a class with such a member needs no destructor and
/// no move operations in the file that defines the part.
template <class T> using HiddenPart = std::unique_ptr<T, void (*)(T*)>;

template <class T, class... Args> HiddenPart<T> makeHidden(Args&&... args) {
    return {new T(std::forward<Args>(args)...), [](T* part) { delete part; }};
}

} // namespace rankscope
