// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/page_shortcuts.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

struct PageKeys {
    Q_DECLARE_TR_FUNCTIONS(PageKeys)
};

QString q(const char* keys) {
    return QString::fromUtf8(keys);
}

KeySection configure() {
    return {PageKeys::tr("Configure, in the tree"),
            {{q("Enter  F2"), PageKeys::tr("Edit the value; open or close a section")},
             {q("Space"), PageKeys::tr("Switch between true and false")},
             {q("Insert"), PageKeys::tr("Add a key to the section")},
             {q("Del"), PageKeys::tr("Remove the key from your file")},
             {q("Alt+↑  Alt+↓"), PageKeys::tr("Move the key or section")},
             {q("Ctrl+I"), PageKeys::tr("Explain the key")},
             {q("Ctrl+J"), PageKeys::tr("Go to the line in the text, and back")},
             {q("F3  Shift+F3"), PageKeys::tr("In the text: next and previous match")},
             {q("Ctrl+]  Ctrl+["), PageKeys::tr("In the text: indent, and back")},
             {q("Esc  Tab"), PageKeys::tr("Leave the text")}}};
}

KeySection review() {
    return {PageKeys::tr("Review"),
            {{q("←  →"), PageKeys::tr("Move the view, in a plot or the strip")},
             {q("Alt+↑  Alt+↓"), PageKeys::tr("Move the plot among the others")},
             {q("Ctrl+↑  Ctrl+↓"), PageKeys::tr("Zoom the y axis")},
             {q("Ctrl+Home"), PageKeys::tr("Fit the y axis again")},
             {q("Del"), PageKeys::tr("Remove the plot")},
             {q("↑  ↓"), PageKeys::tr("In the strip: zoom in and out")},
             {q("Enter  Space"), PageKeys::tr("On the board: this rank alone; mute it")},
             {q("P"), PageKeys::tr("On the board: pin the rank")}}};
}

KeySection timeline() {
    return {PageKeys::tr("Timeline"),
            {{q("+  −  W  S"), PageKeys::tr("Zoom in the middle")},
             {q("0  Home  End"), PageKeys::tr("Whole run; its end")},
             {q("←  →  A  D"), PageKeys::tr("Move (with Ctrl: further)")},
             {q("↑  ↓"), PageKeys::tr("Other lanes (PgUp, PgDown: a page)")},
             {q("←  →  ↑  ↓"), PageKeys::tr("From a selected span: to its neighbours")},
             {q("Enter"), PageKeys::tr("Details; zoom to the selection")},
             {q("C"), PageKeys::tr("From a wait to its cause")},
             {q("Esc"), PageKeys::tr("Clear the selection")},
             {q("Ctrl+C"), PageKeys::tr("Copy the details")},
             {q("[  ]"), PageKeys::tr("Previous and next incident")},
             {q("F"), PageKeys::tr("Follow a live run")}}};
}

KeySection logs() {
    return {PageKeys::tr("Logs"),
            {{q("Enter  F3"), PageKeys::tr("Next match")},
             {q("Shift+F3"), PageKeys::tr("Previous match")},
             {q("Ctrl+G"), PageKeys::tr("Go to a line, step or time")},
             {q("Ctrl+C"), PageKeys::tr("Copy the selected lines")}}};
}

KeySection runs() {
    return {PageKeys::tr("Runs"),
            {{q("Enter"), PageKeys::tr("Open the run")},
             {q("Space"), PageKeys::tr("Toggle favourite")},
             {q("T"), PageKeys::tr("Tags")},
             {q("F2"), PageKeys::tr("Rename")},
             {q("N"), PageKeys::tr("Edit the note")},
             {q("Del"), PageKeys::tr("Move to the trash")},
             {q("Ctrl+A"), PageKeys::tr("Select all runs, to compare them")},
             {q("Ctrl+C"), PageKeys::tr("Copy the selected rows")},
             {q("Ctrl+Space"), PageKeys::tr("In the filter: suggestions")}}};
}

} // namespace

QList<KeySection> pageKeys() {
    return {configure(), review(), timeline(), logs(), runs()};
}

} // namespace rankscope::ui
