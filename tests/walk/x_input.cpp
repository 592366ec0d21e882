// SPDX-License-Identifier: GPL-3.0-or-later
#include "x_input.h"

#include <chrono>
#include <thread>
#include <vector>

// included last: they define macros such as None and Bool
#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>

namespace rankscope::test {

namespace {

/// Between two events: no hand is faster, and toolkits that merge events still see each one.
constexpr auto kBetween = std::chrono::milliseconds(12);

unsigned long modifierKey(std::string_view name) {
    return name == "ctrl" ? XK_Control_L : name == "shift" ? XK_Shift_L : name == "alt" ? XK_Alt_L : NoSymbol;
}

} // namespace

struct XInput::Impl {
    Display* display = nullptr;
    void key(unsigned long keysym, bool down) const {
        XTestFakeKeyEvent(display, XKeysymToKeycode(display, keysym), down, CurrentTime);
    }
    void button(int which, bool down) const {
        XTestFakeButtonEvent(display, static_cast<unsigned>(which), down, CurrentTime);
    }
};

XInput::XInput() : m(std::make_unique<Impl>()) {
    m->display = XOpenDisplay(nullptr);
    int event = 0, error = 0, major = 0, minor = 0;
    if (!m->display)
        m_problem = "the display cannot be opened";
    else if (!XTestQueryExtension(m->display, &event, &error, &major, &minor))
        m_problem = "the X server has no extension XTEST";
}

XInput::~XInput() {
    if (m->display)
        XCloseDisplay(m->display);
}

void XInput::flush() {
    XSync(m->display, False);
    std::this_thread::sleep_for(kBetween);
}

void XInput::moveTo(int x, int y) {
    XTestFakeMotionEvent(m->display, DefaultScreen(m->display), x, y, CurrentTime);
    flush();
}

void XInput::click(int x, int y, int button) {
    moveTo(x, y);
    m->button(button, true);
    flush();
    m->button(button, false);
    flush();
}

void XInput::doubleClick(int x, int y) {
    click(x, y);
    click(x, y);
}

void XInput::drag(int fromX, int fromY, int toX, int toY) {
    constexpr int kParts = 12;
    moveTo(fromX, fromY);
    m->button(1, true);
    flush();
    for (int i = 1; i <= kParts; ++i)
        moveTo(fromX + (toX - fromX) * i / kParts, fromY + (toY - fromY) * i / kParts);
    m->button(1, false);
    flush();
}

void XInput::wheel(int notches) {
    for (int i = 0; i < std::abs(notches); ++i) {
        const int button = notches > 0 ? 4 : 5;
        m->button(button, true);
        m->button(button, false);
        flush();
    }
}

void XInput::hold(std::string_view modifier, bool down) {
    m->key(modifierKey(modifier), down);
    flush();
}

bool XInput::symbol(unsigned long keysym) {
    const KeyCode code = XKeysymToKeycode(m->display, keysym);
    if (code == 0)
        return false;
    const bool shifted = XkbKeycodeToKeysym(m->display, code, 0, 0) != keysym;
    if (shifted && XkbKeycodeToKeysym(m->display, code, 0, 1) != keysym)
        return false;
    if (shifted)
        m->key(XK_Shift_L, true);
    m->key(keysym, true);
    m->key(keysym, false);
    if (shifted)
        m->key(XK_Shift_L, false);
    flush();
    return true;
}

bool XInput::press(std::string_view keys) {
    std::vector<std::string_view> held;
    for (auto plus = keys.find('+'); plus != std::string_view::npos; plus = keys.find('+')) {
        held.push_back(keys.substr(0, plus));
        keys.remove_prefix(plus + 1);
    }
    const unsigned long keysym = XStringToKeysym(std::string(keys).c_str());
    if (keysym == NoSymbol)
        return false;
    for (const auto name : held)
        hold(name, true);
    const bool ok = symbol(keysym);
    for (const auto name : held)
        hold(name, false);
    return ok;
}

bool XInput::type(std::string_view text) {
    for (const char c : text)
        if (!symbol(static_cast<unsigned char>(c))) // of ASCII the keysym is the character
            return false;
    return true;
}

} // namespace rankscope::test
