// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef __has_feature // clang's; gcc defines other names
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
    __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true; ///< memory is another's: what a test measures of it says nothing
#else
inline constexpr bool kSanitized = false;
#endif
