// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard as the X server has them from a device: by its extension XTEST, over a connection of its own.
// Pixels are the screen's. Not thread-safe: one thread uses it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace rankscope::test {

class XInput {
public:
    XInput();
    ~XInput();
    XInput(const XInput&) = delete;
    XInput& operator=(const XInput&) = delete;

    /// Empty: the display is there, and takes events.
    const std::string& problem() const { return m_problem; }
    void moveTo(int x, int y);
    void click(int x, int y, int button = 1);
    void doubleClick(int x, int y);
    void drag(int fromX, int fromY, int toX, int toY);
    /// Up (positive) or down, in notches, where the pointer is.
    void wheel(int notches);
    /// "ctrl+Return", "shift+ctrl+r", "slash": modifiers, then a keysym's name. False: no key has it.
    bool press(std::string_view keys);
    /// ASCII. False: a character is on no key.
    bool type(std::string_view text);
    /// Held down while the next events come: "ctrl", "shift" or "alt".
    void hold(std::string_view modifier, bool down);

private:
    bool symbol(unsigned long keysym);
    void flush();

    struct Impl;
    std::unique_ptr<Impl> m;
    std::string m_problem;
};

} // namespace rankscope::test
