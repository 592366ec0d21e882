// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope::ui {

/// One change of a text: bytes at an offset are replaced by others. The file's bytes decide; the editor shows them
/// with plain line feeds, so a change made there is translated to the file's own line ends.
struct TextChange {
    std::size_t offset = 0;
    std::string removed, inserted;

    bool empty() const { return removed.empty() && inserted.empty(); }
    std::string apply(const std::string& text) const;
    TextChange inverse() const { return {offset, inserted, removed}; }
};

/// The smallest single replacement that turns `before` into `after`; never splits a UTF-8 sequence.
TextChange changeBetween(std::string_view before, std::string_view after);

/// "\r\n" and lone "\r" as "\n".
std::string withLineFeeds(std::string_view bytes);

/// "\r\n" when most lines end so, else "\n".
std::string_view lineEnd(std::string_view bytes);

/// The change of the bytes that corresponds to a change of withLineFeeds(bytes).
TextChange toBytes(const TextChange& shown, std::string_view bytes);

} // namespace rankscope::ui
