// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope::ui {

/// A single change of a text that replaces the bytes at an offset. The file's bytes are authoritative; the editor shows
/// them with plain line feeds, so changes made there are translated to the file's own line ends.
struct TextChange {
    std::size_t offset = 0;
    std::string removed, inserted;

    bool empty() const { return removed.empty() && inserted.empty(); }
    std::string apply(const std::string& text) const;
    TextChange inverse() const { return {offset, inserted, removed}; }
};

/// Returns the smallest single replacement that turns `before` into `after`; never splits a UTF-8 sequence.
TextChange changeBetween(std::string_view before, std::string_view after);

/// Returns the text with "\r\n" and lone "\r" replaced by "\n".
std::string withLineFeeds(std::string_view bytes);

/// Returns "\r\n" if most lines end in it, otherwise "\n".
std::string_view lineEnd(std::string_view bytes);

/// Returns the change of the bytes that corresponds to a change of withLineFeeds(bytes).
TextChange toBytes(const TextChange& shown, std::string_view bytes);

} // namespace rankscope::ui
