// SPDX-License-Identifier: Apache-2.0
// Passes the error of a Result on to the caller.
#pragma once

#include "core/base/values/error.h"

#include <type_traits>

namespace rankscope {

/// True for values that may be dropped. Guards, such as locks and transactions, can only be moved, and act when they
/// are destroyed.
template <class T> inline constexpr bool kIsDroppable = std::is_void_v<T> || std::is_copy_constructible_v<T>;

} // namespace rankscope

#define RS_CONCATENATE_TOKENS(first, second) first##second
#define RS_CONCATENATE(first, second) RS_CONCATENATE_TOKENS(first, second)

/// Evaluates a Result whose value is not needed, and returns its error from the enclosing function if it has one:
/// `RS_TRY(db.execute("…"));` Does not compile for a guard, which would be released immediately: use RS_TRY_ASSIGN.
#define RS_TRY(...) RS_TRY_NAMED(RS_CONCATENATE(rsResult, __COUNTER__), __VA_ARGS__)

/// Declares a variable with the value of a Result, or returns its error from the enclosing function:
/// `RS_TRY_ASSIGN(const auto text, readFile(path));`
#define RS_TRY_ASSIGN(declaration, ...)                                                                                \
    RS_TRY_ASSIGN_NAMED(RS_CONCATENATE(rsResult, __COUNTER__), declaration, __VA_ARGS__)

#define RS_TRY_NAMED(result, ...)                                                                                      \
    do {                                                                                                               \
        auto result = (__VA_ARGS__);                                                                                   \
        static_assert(rankscope::kIsDroppable<typename decltype(result)::value_type>);                                 \
        if (!result)                                                                                                   \
            return tl::unexpected(std::move(result).error());                                                          \
    } while (false)

#define RS_TRY_ASSIGN_NAMED(result, declaration, ...)                                                                  \
    auto result = (__VA_ARGS__);                                                                                       \
    if (!result)                                                                                                       \
        return tl::unexpected(std::move(result).error());                                                              \
    declaration = *std::move(result)
