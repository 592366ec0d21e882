// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard input as from a device: by the X server's extension XTEST, over a separate connection. Positions
// are in screen pixels. Not thread-safe: use it from one thread.
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

    /// Empty: the display can be used.
    const std::string& problem() const { return m_problem; }
    void moveTo(int x, int y);
    void click(int x, int y, int button = 1);
    void doubleClick(int x, int y);
    void drag(int fromX, int fromY, int toX, int toY);
    /// Turns the wheel at the pointer, in notches; positive: up.
    void wheel(int notches);
    /// Presses "ctrl+Return", "shift+ctrl+r" or "slash": modifiers, then a keysym's name. False: no key has it.
    bool press(std::string_view keys);
    /// Types ASCII text. False: no key has one of the characters.
    bool type(std::string_view text);
    /// Holds down "ctrl", "shift" or "alt" during the next events, or releases it.
    void hold(std::string_view modifier, bool down);

private:
    bool symbol(unsigned long keysym);
    void flush();

    struct Impl;
    std::unique_ptr<Impl> m;
    std::string m_problem;
};

} // namespace rankscope::test
