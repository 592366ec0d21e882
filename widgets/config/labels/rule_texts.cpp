// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences of the risk rules in core/config/risks, which coreText() translates. A test compares the list with the
// rules.
#include "widgets/config/labels/rule_texts.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {
struct RuleSentences {
    Q_DECLARE_TR_FUNCTIONS(rules)
public:
    static constexpr const char* kAll[] = {
        // reasons, most specific first
        QT_TR_NOOP("adds one blocking all-reduce before every encoder forward, also in validation: the rank whose "
                   "batch comes last holds all others"),
        QT_TR_NOOP("adds one all-reduce before every encoder forward, also in validation; a rank that waits longer "
                   "than rankscope.length_sync.timeout_s goes on with its own longest batch"),
        QT_TR_NOOP("no length all-reduce: each rank pads its position table to its own longest batch"),
        QT_TR_NOOP("no effect: model.encoder.sync_max_audio_length is false"),
        QT_TR_NOOP("no effect with one rank"),
        QT_TR_NOOP("little effect with SyncBN: the encoder's first layer waits for the late rank too"),
        QT_TR_NOOP("a late rank holds the others this long in the length sync, and then only in their next collective"),
        QT_TR_NOOP("all ranks meet before every encoder forward: the rank whose batch comes last holds all others"),
        QT_TR_NOOP("no effect: conv_norm_type is %1, the encoder has no batch norm"),
        QT_TR_NOOP("%1 gathers in forward and %2 reduces in backward per step (one per layer): every layer waits for "
                   "the slowest rank"),
        QT_TR_NOOP("each rank normalises with the statistics of its own batch; running averages are rank 0's"),
        QT_TR_NOOP("SyncBN and length sync run in each of %1 batches: the slowest rank is waited for %2 times a step"),
        QT_TR_NOOP("gradients are exchanged every %1 batches; length sync and SyncBN still run in each"),
        QT_TR_NOOP("dropped layers are computed all the same: no time is saved, and collectives still match"),
        QT_TR_NOOP("several devices become ddp by themselves; say ddp to see it in the file"),
        QT_TR_NOOP("gradients are all-reduced in buckets during backward: each bucket waits for the slowest rank"),
        QT_TR_NOOP("walks the whole graph each step and adds one all-reduce of a number per parameter tensor"),
        QT_TR_NOOP("the sub-sampling gets no gradient, and DDP waits for one"),
        QT_TR_NOOP("%1 is not what the trainer does with several ranks: it takes ddp or auto"),
        QT_TR_NOOP("very small buckets: many all-reduces, each with its own start-up time"),
        QT_TR_NOOP("very large buckets: little of the exchange overlaps with backward"),
        QT_TR_NOOP("rank 0's running averages are broadcast before each forward"),
        QT_TR_NOOP("the first step reduces its gradients after backward, without overlap; the graph must never change"),
        QT_TR_NOOP("gradients are not averaged: the ranks' weights drift apart; for timing only"),
        QT_TR_NOOP("half the bytes per all-reduce; gradients above 65504 overflow, small ones vanish"),
        QT_TR_NOOP("half the bytes per all-reduce; gradients keep 8 bits of precision"),
        QT_TR_NOOP(
            "takes every GPU that is there: the global batch size depends on the machine (without a GPU: one rank)"),
        QT_TR_NOOP("names GPUs, but the accelerator is the CPU: the launch is refused"),
        QT_TR_NOOP("asks for %1 GPUs; the machine has %2"),
        QT_TR_NOOP("ranks run on the CPU, while the machine has %1 GPUs"),
        QT_TR_NOOP("%1 ranks share %2 cores"),
        QT_TR_NOOP("collectives cross the network between hosts"),
        QT_TR_NOOP("the last batch of an epoch may be smaller or missing on some ranks: uneven batches end in a stall"),
        QT_TR_NOOP("the last batch of an epoch is what is left over: smaller, on all ranks alike"),
        QT_TR_NOOP("batches are read in the training thread: every slow file holds all ranks"),
        QT_TR_NOOP("validation batches are read in the training thread"),
        QT_TR_NOOP("one batch is kept ready: a single slow file is waited for"),
        QT_TR_NOOP("%1 workers on %2 cores"),
        QT_TR_NOOP("no limit: one long recording holds all ranks for a step"),
        QT_TR_NOOP("lengths up to %1 s: ranks with short batches wait for the long one"),
        QT_TR_NOOP("clips shorter than one masked block give batches without a masked frame (no loss)"),
        QT_TR_NOOP("the manifest's order: sorted lengths give one rank the long ones"),
        QT_TR_NOOP("every rank reads the same batches: N times the same step"),
        QT_TR_NOOP("every rank reads the whole set, in an order of its own"),
        QT_TR_NOOP("shards of unequal size: a rank with fewer utterances sees some of them twice an epoch"),
        QT_TR_NOOP("%1 tar files for %2 ranks: some get none"),
        QT_TR_NOOP("%1 does not exist, nor do %2 others"),
        QT_TR_NOOP("%1 does not exist"),
        QT_TR_NOOP("%1 of %2 lines cannot be used; the first: %3"),
        QT_TR_NOOP(
            "More audio files are missing than rankscope.max_broken_share lets be left out: a launch is refused. A "
            "relative path starts at the manifest's folder, or at the working folder where only that has the file."),
        QT_TR_NOOP("An audio file that is not there is left out of its batch, counted and named. A relative path "
                   "starts at the manifest's folder, or at the working folder where only that has the file."),
        QT_TR_NOOP("Mend the paths, or start where they begin."),
        QT_TR_NOOP("%1 of the %2 audio files that were looked for do not exist; the first is %3"),
        QT_TR_NOOP("none of %1 utterances is within the limits: %2 too short, %3 too long"),
        QT_TR_NOOP("%1 of %2 utterances are left out: %3 too short, %4 too long"),
        QT_TR_NOOP("durations have a long tail: median %1 s, 95 % below %2 s, longest %3 s, and no buckets"),
        QT_TR_NOOP("ranks will wait %1 % of their time for longer batches"),
        QT_TR_NOOP("%1 resolves to nothing"),
        QT_TR_NOOP("%1 may be another value on each host"),
        QT_TR_NOOP("float16 needs a GPU: on the CPU it becomes bf16-mixed"),
        QT_TR_NOOP("ranks skip a step together when one overflows; on a CPU it becomes bf16-mixed, as in Lightning"),
        QT_TR_NOOP("16-mixed without gradient clipping: one bad batch can end in NaN"),
        QT_TR_NOOP("this CPU has no units for bfloat16: slower than 32"),
        QT_TR_NOOP("compute capability %1.%2 has no bfloat16"),
        QT_TR_NOOP("a rank needs about %1 GB for its largest batch; there are %2 GB for each, too little even for a "
                   "batch of one"),
        QT_TR_NOOP("a rank needs about %1 GB for its largest batch; there are %2 GB for each"),
        QT_TR_NOOP("the warm-up of %1 steps is as long as the run of %2"),
        QT_TR_NOOP("is %1, the encoder's is %2: the learning rate is %3 times what it would be"),
        QT_TR_NOOP("with NoamAnnealing lr is a factor: the rate is %1 at its peak"),
        QT_TR_NOOP("the learning rate is %1 at its peak"),
        QT_TR_NOOP("%1 batches are more than the %2 of an epoch"),
        QT_TR_NOOP("the run of %1 batches ends before its first validation"),
        QT_TR_NOOP("val_loss is never logged: there is no validation"),
        QT_TR_NOOP("%1 is never logged"),
        QT_TR_NOOP("a checkpoint every %1 steps: all ranks wait for rank 0 to write it"),
        QT_TR_NOOP("a checkpoint or validation longer than this ends the run"),
        QT_TR_NOOP("%1 s are not below rankscope.collective_timeout_s, %2 s: no stall is told"),
        QT_TR_NOOP("a rank that needs more than %1 s to start is given up"),
        QT_TR_NOOP("rankscope.seed is null: a new launch draws other weights and masks"),
        QT_TR_NOOP("one rank gets another seed than the others"),
        QT_TR_NOOP("injects a fault on purpose; the stall or error that it causes is expected"),
        QT_TR_NOOP("injects %1 faults on purpose; the stalls or errors that they cause are expected"),
        // explanations
        QT_TR_NOOP("NeMo's encoder asks all ranks for the longest batch before each forward, and no YAML says so: it "
                   "is the default in the code. A rank that comes late, or not at all, holds all others there. The "
                   "result only sizes the positional table; training is unaffected."),
        QT_TR_NOOP("The length sync runs in a group of its own. A rank that has waited for the timeout goes on with "
                   "its own longest batch, which changes no number that is trained on, and says so in its log."),
        QT_TR_NOOP("Each rank makes its position table as long as its own longest batch needs. Ranks no longer meet "
                   "before forward; where they meet next is SyncBN's first layer, or the first bucket of gradients."),
        QT_TR_NOOP(
            "The timeout belongs to the length sync. Where there is none, or only one rank, nothing waits for it."),
        QT_TR_NOOP("A late rank holds the others for this long in the length sync; after that they go on, and wait for "
                   "it where they meet next. With SyncBN that is the encoder's first layer, so that little is gained."),
        QT_TR_NOOP("A barrier shows how late each rank comes to the encoder, apart from what the length sync costs. It "
                   "is for measuring: each step waits for the slowest data loader."),
        QT_TR_NOOP("SyncBN exchanges the statistics of batch norms. Another norm has none, so the setting does nothing "
                   "and hides that."),
        QT_TR_NOOP("With one rank there is nobody to exchange statistics with."),
        QT_TR_NOOP("Each batch norm gathers mean and variance of all ranks in forward and sums two vectors in "
                   "backward, and the training thread waits for both. Ranks with short batches wait for the long one "
                   "in every layer. conv_norm_type: layer_norm needs no exchange, but is another model."),
        QT_TR_NOOP("Each rank normalises with the mean and variance of its own batch. With small batches these differ "
                   "much between ranks; the running averages that validation uses are those of rank 0."),
        QT_TR_NOOP("Accumulation saves exchanges of gradients only. SyncBN and the length sync run in each of the "
                   "batches, so that a step waits for the slowest rank as many times; and the statistics are those of "
                   "one batch, not of the step."),
        QT_TR_NOOP("Gradients are summed over several batches before they are exchanged, which makes the step as large "
                   "without more memory."),
        QT_TR_NOOP("Ranks draw for themselves which layers to drop. NeMo, and Rankscope, compute a dropped layer all "
                   "the same and multiply it by 0, so that every rank enters the same collectives."),
        QT_TR_NOOP("Lightning takes ddp for several devices when the file says auto."),
        QT_TR_NOOP("Gradients are averaged over all ranks while backward still runs, bucket by bucket. What ranks wait "
                   "for here is mostly a rank that came late, not the exchange itself."),
        QT_TR_NOOP("DDP then searches the graph for parameters without a gradient before each backward, and exchanges "
                   "one number per parameter tensor. NEST uses all its parameters in every step (except with "
                   "mask_position: post_conv), so the search finds nothing."),
        QT_TR_NOOP(
            "With mask_position: post_conv NeMo trains nothing below the mask, so the sub-sampling gets no gradient. "
            "DDP waits for it, and the second step fails with \"Expected to have finished reduction\"."),
        QT_TR_NOOP(
            "Rankscope's trainer does data parallelism as DistributedDataParallel does it. Strategies that cut the "
            "model itself into parts (fsdp, deepspeed, tensor parallelism) exchange something else at other places."),
        QT_TR_NOOP("Every bucket is an all-reduce of its own, and each costs a round trip however small it is."),
        QT_TR_NOOP("A bucket is sent when its last gradient is there. With few large ones most is sent after backward, "
                   "when nothing is left to compute meanwhile."),
        QT_TR_NOOP("Without SyncBN the running averages drift apart; DDP takes rank 0's before each forward."),
        QT_TR_NOOP("DDP learns in the first step which parameters are used and relies on it from then on."),
        QT_TR_NOOP("noop_hook is for measuring what a run costs without its exchange. Each rank trains a model of its "
                   "own, and only rank 0's is saved."),
        QT_TR_NOOP("float16 has the digits but not the range of gradients: large ones become infinite, small ones 0."),
        QT_TR_NOOP("Gradients are rounded to bfloat16 for the exchange alone; sums are made in it as well."),
        QT_TR_NOOP("The number of ranks, and with it the global batch size and the steps of an epoch, follow from the "
                   "machine."),
        QT_TR_NOOP(
            "A list names GPUs by number. Ranks on the CPU have no number of a device, and the launch is refused."),
        QT_TR_NOOP(
            "Each rank needs a GPU of its own: two on one wait for each other inside NCCL, so the launch is refused."),
        QT_TR_NOOP("A GPU trains this model many times as fast as the cores beside it."),
        QT_TR_NOOP("Ranks that share cores take turns: whoever is not running holds all others in the next collective, "
                   "and who that is changes from step to step."),
        QT_TR_NOOP("Every collective crosses the network, and takes as long as its slowest link. Start the ranks with "
                   "torchrun or srun."),
        QT_TR_NOOP("Without a distributed sampler, and with tar files in NeMo, ranks may have a different number of "
                   "batches. The one that is done first leaves the others in a collective that never completes. "
                   "(Rankscope's own trainer fills the shares up; NeMo does not.)"),
        QT_TR_NOOP(
            "The distributed sampler gives all ranks as many utterances, so that they end together; but the last batch "
            "of an epoch holds what is left, perhaps a single utterance, and weighs as much as a whole one."),
        QT_TR_NOOP("With 0 the training thread reads, decodes and mixes itself. A file on a slow disk then holds not "
                   "only this rank but all that wait for it in the next collective."),
        QT_TR_NOOP("Validation reads in the training thread: a slow file makes every validation as slow."),
        QT_TR_NOOP(
            "Each worker keeps so many batches ready. With one of one worker, a single slow file is waited for."),
        QT_TR_NOOP("Workers of all ranks take the cores from the training threads, and each rank is slow in turn."),
        QT_TR_NOOP("Attention takes memory with the square of the length. One recording that nobody cut makes its rank "
                   "slow for a step, or ends it for want of memory, and all others with it."),
        QT_TR_NOOP("Ranks whose batch is short wait for the one whose batch is long. How much that is for your "
                   "manifest, rankscopectl plan says."),
        QT_TR_NOOP("A clip that is shorter than a masked block has nothing to predict. A batch of such clips has no "
                   "loss, and NaN goes through SyncBN to all ranks."),
        QT_TR_NOOP("Ranks take the rows of the manifest in turn, every epoch in the same order. A manifest that is "
                   "sorted by length, or by speaker, trains in that order."),
        QT_TR_NOOP("Without Lightning's sampler nothing shares the set out. Every rank trains on all of it, and with a "
                   "seed, or without shuffle, in the same order: as many times the work for the same step."),
        QT_TR_NOOP("Tar files are dealt out whole. Where a rank's hold fewer utterances than another's, it sees some "
                   "of them again, so that all ranks have as many batches."),
        QT_TR_NOOP("With tarred_shard_strategy: scatter each rank has tar files of its own. A rank that gets none has "
                   "nothing to train on, and the launch ends."),
        QT_TR_NOOP("A launch checks its files before it starts anything; on other nodes nobody does, and a rank that "
                   "does not find them never joins. Relative paths start at the working folder."),
        QT_TR_NOOP("Every line is a JSON object with audio_filepath and duration. The trainer stops at the first line "
                   "that is not, on all ranks."),
        QT_TR_NOOP("Nothing is left to train on: the launch ends at its start."),
        QT_TR_NOOP("Utterances outside min_duration and max_duration are left out without a word. That may be what you "
                   "want, or a duration in the wrong unit."),
        QT_TR_NOOP("Most utterances are short and a few are long. A batch with one long utterance pads all others in "
                   "it, and the rank that drew it holds all ranks."),
        QT_TR_NOOP("Counted with the batches of the first epoch, as if a batch took as long as its padded audio. Ranks "
                   "meet in each batch where there is a length sync or SyncBN, else once a step."),
        QT_TR_NOOP("An interpolation that ends in null, or in nothing, reads as if the key were not there: the default "
                   "in the code acts, and that is often another value than the one you meant."),
        QT_TR_NOOP("Each host resolves ${oc.env:NAME} with its own environment. Where it differs, so do the ranks' "
                   "settings: other batches, other collectives, a stall."),
        QT_TR_NOOP(
            "float16 needs a GPU. On the CPU Lightning, and Rankscope, take bfloat16 instead and say so in the log."),
        QT_TR_NOOP("Gradients are scaled so that small ones survive float16. When one overflows on any rank, all ranks "
                   "skip the step and the scale is halved."),
        QT_TR_NOOP("float16 ends at 65504. One batch with large gradients, which clipping would have tamed, can throw "
                   "the weights so far that every later step overflows."),
        QT_TR_NOOP("This CPU has neither AVX512-BF16 nor AMX: bfloat16 is right there, but slower than float32."),
        QT_TR_NOOP("GPUs before Ampere (compute capability 8.0) compute bfloat16 in software."),
        QT_TR_NOOP("Estimated for the largest batch: weights, gradients, the optimizer's state, and what forward keeps "
                   "for backward. A rank that runs out of memory is killed, and the run ends with it."),
        QT_TR_NOOP("The learning rate rises to the last step and is never brought down again."),
        QT_TR_NOOP("NoamAnnealing divides by the square root of d_model. The recipes say ${model.encoder.d_model}, so "
                   "that both stay the same when the size changes."),
        QT_TR_NOOP("With NoamAnnealing lr is a factor, 5.0 in NeMo's recipe: the rate itself is lr / sqrt(d_model x "
                   "warmup steps) at its peak. A value meant for another schedule trains almost nothing."),
        QT_TR_NOOP(
            "Rates above 1e-2 make AdamW diverge on this model: loss and gradients become NaN, on all ranks at once."),
        QT_TR_NOOP("Lightning, and Rankscope, refuse an interval that is longer than the epoch it is counted in: the "
                   "run ends at its start."),
        QT_TR_NOOP("The run ends before its first validation: there is no val_loss to choose checkpoints by."),
        QT_TR_NOOP("The best checkpoints are chosen by a value that this run never logs: Lightning warns and keeps "
                   "none of them. Logged are val_loss, where there is a validation, and train_loss."),
        QT_TR_NOOP("Rank 0 writes weights and the optimizer's state, three times the model, while all others wait for "
                   "it in the next step."),
        QT_TR_NOOP("A rank that is late by more than this ends the run: one that validates, writes a checkpoint to a "
                   "slow disk, or reads a long file. Rankscope names a stall after seconds without it."),
        QT_TR_NOOP("A stall is told when it is longer than this. The collective library gives up before: the run ends, "
                   "and nobody has said why."),
        QT_TR_NOOP("Ranks read the manifest and build the model before they meet. On a cold disk, or with a large "
                   "manifest, some take longer than others."),
        QT_TR_NOOP("A launch then draws a number and keeps it with the run; repeating or resuming the run uses the "
                   "same one. A new launch draws another: other weights, masks and losses from the first step on."),
        QT_TR_NOOP("Deterministic operations give the same results for the same random numbers. Without a seed only a "
                   "repetition of the run draws them again; a new launch does not."),
        QT_TR_NOOP("Ranks share the data by cutting one shuffled order, which the seed gives. With different seeds "
                   "they cut different orders: utterances are trained on twice, or by nobody."),
        QT_TR_NOOP("The list makes ranks late, dead or wrong on purpose, to show how Rankscope reports it."),
        // remedies
        QT_TR_NOOP("Set it to false, or give it a timeout."),
        QT_TR_NOOP("Remove the timeout."),
        QT_TR_NOOP("Switch it off when you have measured."),
        QT_TR_NOOP("Set trainer.sync_batchnorm to false."),
        QT_TR_NOOP("Keep batches of equal length (buckets), or set it to false where the batches are large enough."),
        QT_TR_NOOP("Use larger batches instead, or no SyncBN."),
        QT_TR_NOOP("Say ddp, so that the file shows it."),
        QT_TR_NOOP("Use strategy: ddp."),
        QT_TR_NOOP("Use strategy: ddp_find_unused_parameters_true."),
        QT_TR_NOOP("25 MB is torch's default."),
        QT_TR_NOOP("Remove the hook."),
        QT_TR_NOOP("bf16_compress_hook keeps the range at the same number of bytes."),
        QT_TR_NOOP("Write the number, so that a run means the same elsewhere."),
        QT_TR_NOOP("Write how many ranks there are to be."),
        QT_TR_NOOP("Ask for as many as there are, or for ranks on the CPU."),
        QT_TR_NOOP("Set trainer.accelerator to auto."),
        QT_TR_NOOP("Ask for as many ranks as there are cores, or fewer."),
        QT_TR_NOOP("Set drop_last to true, and make shards of equal size."),
        QT_TR_NOOP("Set drop_last to true."),
        QT_TR_NOOP("Give each rank workers of its own."),
        QT_TR_NOOP("Give validation workers as well."),
        QT_TR_NOOP("Use 2 or more."),
        QT_TR_NOOP("Use fewer workers."),
        QT_TR_NOOP("Set a limit, such as 60 s."),
        QT_TR_NOOP("Sort the manifests into buckets, or narrow the limits."),
        QT_TR_NOOP("Set a limit, such as 1 s."),
        QT_TR_NOOP("Set shuffle to true."),
        QT_TR_NOOP("Set trainer.use_distributed_sampler to true."),
        QT_TR_NOOP("Make more shards, use fewer ranks, or set tarred_shard_strategy to replicate."),
        QT_TR_NOOP("Give the path as it is on every machine."),
        QT_TR_NOOP("Mend or remove these lines."),
        QT_TR_NOOP("Look at min_duration and max_duration, which are in seconds."),
        QT_TR_NOOP("Cut long recordings into pieces, or widen the limits."),
        QT_TR_NOOP("Sort the utterances into buckets: manifest_filepath as a list of lists."),
        QT_TR_NOOP("Look at what it points to."),
        QT_TR_NOOP("Write the value, or start all ranks with what rankscopectl resolve prints."),
        QT_TR_NOOP("Say bf16-mixed."),
        QT_TR_NOOP("Set trainer.gradient_clip_val to 1.0, or use bf16-mixed."),
        QT_TR_NOOP("Use 32."),
        QT_TR_NOOP("Use 16-mixed with gradient clipping, or 32."),
        QT_TR_NOOP("Take a smaller batch and accumulate more of them, or shorten max_duration."),
        QT_TR_NOOP("Warm up for a tenth of the steps."),
        QT_TR_NOOP("Point it to the encoder's d_model."),
        QT_TR_NOOP("Use a factor between 0.5 and 10."),
        QT_TR_NOOP("Lower lr, or use NoamAnnealing, where it is a factor."),
        QT_TR_NOOP("Count across epochs: trainer.check_val_every_n_epoch: null."),
        QT_TR_NOOP("Validate more often."),
        QT_TR_NOOP("Monitor what is logged, or give a validation set."),
        QT_TR_NOOP("Write every few hundred steps."),
        QT_TR_NOOP("Leave it at 1800."),
        QT_TR_NOOP("Lower rankscope.stall.min_seconds."),
        QT_TR_NOOP("Leave it at 60."),
        QT_TR_NOOP("Set a seed where runs are to be compared."),
        QT_TR_NOOP("Set rankscope.seed."),
        QT_TR_NOOP("Give all ranks one seed."),
        QT_TR_NOOP("Remove it for real training."),
    };
};
} // namespace

std::span<const char* const> ruleTexts() {
    return RuleSentences::kAll;
}

} // namespace rankscope::ui
