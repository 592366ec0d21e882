// SPDX-License-Identifier: GPL-3.0-or-later
// Templates of the core's sentences, and of the phrases in them, about refused launches and dry runs, and wrong
// manifests and files.
#include "widgets/config/labels/problem_templates.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {
struct CoreSentences {
    Q_DECLARE_TR_FUNCTIONS(core)
public:
    static constexpr const char* kAll[] = {
        // devices and ranks
        // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): sentences deliberately span several literals
        QT_TR_NOOP("chosen at launch"),
        // faults
        // resuming a run
        QT_TR_NOOP("the supervisor ended before the run began"),
        // programs and folders
        QT_TR_NOOP("%1 names no program"),
        QT_TR_NOOP("program not found in %1 nor in PATH; install the package %2 or build it, or set %3"),
        QT_TR_NOOP("is LibTorch %1, but this trainer is built with %2: run rankscope-setup, or rankscope-setup "
                   "--libtorch DIR with one of that version"),
        QT_TR_NOOP("RANKSCOPE_LIBTORCH names no LibTorch: it has no lib/libtorch_cpu.so"),
        QT_TR_NOOP("LibTorch is not there, and without it no rank starts: run rankscope-setup, which brings it, or "
                   "rankscope-setup --libtorch DIR with one that you have (looked in %1)"),
        QT_TR_NOOP("no folder for runs: neither RANKSCOPE_RUNS, XDG_DATA_HOME nor HOME is set; pass --runs DIR"),
        // findings of a plan
        // manifests
        QT_TR_NOOP("is a folder; a manifest is a file of JSON lines"),
        QT_TR_NOOP("the manifest cannot be read"),
        QT_TR_NOOP("the manifest is empty"),
        QT_TR_NOOP("the manifest's line is no JSON object"),
        QT_TR_NOOP("the manifest's line has no audio_filepath"),
        QT_TR_NOOP("%1 of %2 lines cannot be used; the first: %3"),
        // batches and steps
        // files
        QT_TR_NOOP("is a folder, a file was expected"),
        QT_TR_NOOP("is larger than %1 bytes"),
        QT_TR_NOOP("is not a folder"),
        QT_TR_NOOP("is not a regular file"),
        QT_TR_NOOP("is a link; in a run's folder none is followed"),
        QT_TR_NOOP("is a disk, a file was expected"),
        QT_TR_NOOP("is no regular file, and nobody reads from it"),
        QT_TR_NOOP("is a link that leads nowhere"),
        QT_TR_NOOP("cannot open the manifest: %1"),
        QT_TR_NOOP("cannot open: %1"),
        QT_TR_NOOP("cannot read: %1"),
        QT_TR_NOOP("cannot write: %1"),
        QT_TR_NOOP("cannot write beside: %1"),
        QT_TR_NOOP("cannot replace: %1"),
        QT_TR_NOOP("cannot sync the folder: %1"),
        QT_TR_NOOP("cannot create folder: %1"),
        QT_TR_NOOP("cannot create the run's folder: %1"),
        QT_TR_NOOP("cannot take the checkpoints of: %1"),
        QT_TR_NOOP("cannot lock: %1"),
        QT_TR_NOOP("cannot make a pipe: %1"),
        QT_TR_NOOP("cannot start a process: %1"),
        QT_TR_NOOP("cannot find a free port on 127.0.0.1: %1"),
        QT_TR_NOOP("No such file or directory"),
        QT_TR_NOOP("Permission denied"),
        QT_TR_NOOP("Operation not permitted"),
        QT_TR_NOOP("No space left on device"),
        QT_TR_NOOP("Disk quota exceeded"),
        QT_TR_NOOP("Read-only file system"),
        QT_TR_NOOP("Input/output error"),
        QT_TR_NOOP("Is a directory"),
        QT_TR_NOOP("Not a directory"),
        QT_TR_NOOP("File name too long"),
        QT_TR_NOOP("Too many open files"),
        QT_TR_NOOP("Resource temporarily unavailable"),
    };
};
} // namespace

std::span<const char* const> problemTemplates() {
    return CoreSentences::kAll;
}

} // namespace rankscope::ui
