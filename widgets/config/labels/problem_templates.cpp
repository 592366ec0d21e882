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
        QT_TR_NOOP("'%1' is neither auto, -1, a number of devices, nor a list of GPUs such as 0,2"),
        QT_TR_NOOP("names GPU %1 twice"),
        QT_TR_NOOP("names GPU %1; this machine has %2 (numbered from 0)"),
        QT_TR_NOOP("names GPU %1; CUDA_VISIBLE_DEVICES leaves %2 (numbered from 0)"),
        QT_TR_NOOP("names GPUs %1, but the ranks run on the CPU; write a number of ranks"),
        QT_TR_NOOP("%1 CPU ranks are beyond what %2 cores can carry; ask for at most %3"),
        // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): sentences deliberately span several literals
        QT_TR_NOOP("asks for %1 devices; this machine has %2 GPUs and %3 cores: ask for at most %4, or pass --ranks N "
                   "(up to %5) to share cores"),
        QT_TR_NOOP("asks for %1 GPUs; this machine has %2. For ranks on the CPU set trainer.accelerator: cpu"),
        QT_TR_NOOP(
            "asks for %1 GPUs; CUDA_VISIBLE_DEVICES leaves %2. For ranks on the CPU set trainer.accelerator: cpu"),
        QT_TR_NOOP("%1 is no number of ranks"),
        QT_TR_NOOP("'%1' is not supported; use auto, gpu or cpu"),
        QT_TR_NOOP("is %1, but this machine has no NVIDIA GPU (no /dev/nvidia0); set it to cpu or auto"),
        QT_TR_NOOP("is %1, but CUDA_VISIBLE_DEVICES leaves no GPU of this machine; set it to cpu or auto"),
        QT_TR_NOOP("'%1' is not supported for %2 ranks; use ddp or auto"),
        QT_TR_NOOP(
            "is %1; a launch covers this machine only. Start rankscope-trainer on each node with torchrun or srun"),
        QT_TR_NOOP("%1 nodes: the processes of this one are listed; torchrun or srun starts them on each, and gives "
                   "its own addresses"),
        QT_TR_NOOP("chosen at launch"),
        // faults
        QT_TR_NOOP("a %1 fault is asked of rank %2, but the run has %3 rank (numbered from 0)"),
        QT_TR_NOOP("a %1 fault is asked of rank %2, but the run has %3 ranks (numbered from 0)"),
        QT_TR_NOOP("a checkpoint fault is asked of rank %1, but rank 0 alone writes them"),
        QT_TR_NOOP("a no_length_sync fault is asked for, but model.encoder.sync_max_audio_length is false"),
        QT_TR_NOOP("a %1 fault is asked of layer %2, but the encoder has %3 (numbered from 0)"),
        QT_TR_NOOP("a %1 fault is asked of a place and of the phase %2, but only forward and backward tell places"),
        QT_TR_NOOP("a %1 fault is asked of %2 in backward, which tells layer and subsampling"),
        QT_TR_NOOP("a %1 fault is asked of layer %2 and of the place %3: name one of them"),
        // resuming a run
        QT_TR_NOOP("is finished, its steps are all done: raise trainer.max_steps, trainer.max_epochs or "
                   "trainer.max_time to go on"),
        QT_TR_NOOP("is still %1; stop it first"),
        QT_TR_NOOP("has no checkpoint to go on from"),
        QT_TR_NOOP("has no checkpoint to go on from: %1: %2"),
        QT_TR_NOOP("is no checkpoint of that run; its folder checkpoints/ has the names"),
        QT_TR_NOOP("is %1, but the run had %2 rank: shares of the data and random numbers belong to ranks"),
        QT_TR_NOOP("is %1, but the run had %2 ranks: shares of the data and random numbers belong to ranks"),
        QT_TR_NOOP("the run has a live supervisor"),
        QT_TR_NOOP("the supervisor ended before the run began"),
        QT_TR_NOOP("was told to stop"),
        // programs and folders
        QT_TR_NOOP("there is no program %1 that may be run"),
        QT_TR_NOOP("%1 names no program"),
        QT_TR_NOOP("program not found in %1 nor in PATH; install the package %2 or build it, or set %3"),
        QT_TR_NOOP("is LibTorch %1, but this trainer is built with %2: run rankscope-setup, or rankscope-setup "
                   "--libtorch DIR with one of that version"),
        QT_TR_NOOP("RANKSCOPE_LIBTORCH names no LibTorch: it has no lib/libtorch_cpu.so"),
        QT_TR_NOOP("LibTorch is not there, and without it no rank starts: run rankscope-setup, which brings it, or "
                   "rankscope-setup --libtorch DIR with one that you have (looked in %1)"),
        QT_TR_NOOP("no folder for runs: neither RANKSCOPE_RUNS, XDG_DATA_HOME nor HOME is set; pass --runs DIR"),
        // findings of a plan
        QT_TR_NOOP("no GPU was found here, so trainer.devices %1 is one rank on the CPU"),
        QT_TR_NOOP("no manifest is chosen yet"),
        QT_TR_NOOP("%1 does not exist (a relative path starts at the working folder)"),
        QT_TR_NOOP("%1 does not exist: run rankscope-setup, which makes the sample speech (in a checkout "
                   "resources/sample/make.sh)"),
        QT_TR_NOOP("a rank needs %1, %2 available: it will run out of memory"),
        QT_TR_NOOP("the run needs at least %1, %2 free"),
        // manifests
        QT_TR_NOOP("the manifest does not exist (relative paths start at the working folder)"),
        QT_TR_NOOP("the tar file does not exist (relative paths start at the working folder)"),
        QT_TR_NOOP("%1 of the %2 audio files that were looked for do not exist (a relative path starts at the "
                   "manifest's folder, or at the working folder), rankscope.max_broken_share lets %3 of them be "
                   "missing; the first is %4"),
        QT_TR_NOOP("the file does not exist (relative paths start at the working folder)"),
        QT_TR_NOOP("tensor %1 is [%2], the model's is [%3]: change the recipe, or name it in exclude"),
        QT_TR_NOOP("has no tensor of the model that include and exclude let pass; its first is %1, the model's %2"),
        QT_TR_NOOP("has no tensor"),
        QT_TR_NOOP("is a folder; a manifest is a file of JSON lines"),
        QT_TR_NOOP("is a folder, a manifest file was expected"),
        QT_TR_NOOP("is no regular file; a shard is a tar file"),
        QT_TR_NOOP("the manifest cannot be read"),
        QT_TR_NOOP("the manifest is empty"),
        QT_TR_NOOP("no manifest is named; there is nothing to train on"),
        QT_TR_NOOP("the manifest's line is no JSON object"),
        QT_TR_NOOP("the manifest's line has no audio_filepath"),
        QT_TR_NOOP("is not a JSON object"),
        QT_TR_NOOP(
            "is not JSON: NaN and Infinity are no JSON numbers; give the utterance its duration or remove the line"),
        QT_TR_NOOP("is not JSON, a manifest has one object {\"audio_filepath\": ..., \"duration\": ...} a line: %1"),
        QT_TR_NOOP("has no audio_filepath"),
        QT_TR_NOOP("audio_filepath is not a string, one file an utterance is supported"),
        QT_TR_NOOP("audio_filepath is empty or holds a zero byte"),
        QT_TR_NOOP("%1 is not a number of seconds: %2"),
        QT_TR_NOOP("%1 is %2 s, expected 0 to %3"),
        QT_TR_NOOP("has no duration (seconds), which filters and batches need"),
        QT_TR_NOOP("has more than %1 lines"),
        QT_TR_NOOP("is longer than %1 bytes, this is no manifest"),
        QT_TR_NOOP("%1 of %2 lines cannot be used; the first: %3"),
        QT_TR_NOOP("none of the %1 utterances is left: %2 are shorter than min_duration %3 s, %4 longer than "
                   "max_duration %5 s"),
        QT_TR_NOOP("the shares follow from what lies in each tar file, which a plan does not open"),
        // batches and steps
        QT_TR_NOOP("has %1 items for %2 buckets"),
        QT_TR_NOOP("is %1, expected 1 to 1000"),
        QT_TR_NOOP("gives bucket %1 batches of %2"),
        QT_TR_NOOP("leaves no batch: a rank's share is %1, batch_size is %2"),
        QT_TR_NOOP("leaves no batch of bucket %1: a rank's share is %2, batch_size is %3"),
        QT_TR_NOOP("%1 batches are more than the %2 of an epoch: set trainer.check_val_every_n_epoch: null to count "
                   "across epochs"),
        QT_TR_NOOP("leaves none of the %1 batches of an epoch"),
        QT_TR_NOOP("%1 of %2 batches is less than one: give at least %3, or a whole number of batches"),
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
