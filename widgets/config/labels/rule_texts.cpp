// SPDX-License-Identifier: GPL-3.0-or-later
// The risk rules' sentences, as core/config/rules_*.cpp has them: what coreText() translates. A test holds the list
// against the rules.
#include "widgets/config/labels/rule_texts.h"

#include <QtGlobal>

namespace rankscope::ui {

const std::vector<const char*>& ruleTexts() {
    // the more specific first
    static const std::vector<const char*> all{
        // reasons
        QT_TRANSLATE_NOOP("rules", "adds one blocking all-reduce before every encoder forward, also in validation: the "
                                   "rank whose batch comes last holds all others"),
        QT_TRANSLATE_NOOP("rules",
                          "adds one all-reduce before every encoder forward, also in validation; a rank that waits "
                          "longer than rankscope.length_sync.timeout_s goes on with its own longest batch"),
        QT_TRANSLATE_NOOP("rules", "no length all-reduce: each rank pads its position table to its own longest batch"),
        QT_TRANSLATE_NOOP("rules", "no effect: model.encoder.sync_max_audio_length is false"),
        QT_TRANSLATE_NOOP("rules", "no effect with one rank"),
        QT_TRANSLATE_NOOP("rules", "little effect with SyncBN: the encoder's first layer waits for the late rank too"),
        QT_TRANSLATE_NOOP(
            "rules",
            "a late rank holds the others this long in the length sync, and then only in their next collective"),
        QT_TRANSLATE_NOOP(
            "rules", "all ranks meet before every encoder forward: the rank whose batch comes last holds all others"),
        QT_TRANSLATE_NOOP("rules", "no effect: conv_norm_type is %1, the encoder has no batch norm"),
        QT_TRANSLATE_NOOP("rules", "%1 gathers in forward and %2 reduces in backward per step (one per layer): every "
                                   "layer waits for the slowest rank"),
        QT_TRANSLATE_NOOP("rules",
                          "each rank normalises with the statistics of its own batch; running averages are rank 0's"),
        QT_TRANSLATE_NOOP(
            "rules",
            "SyncBN and length sync run in each of %1 batches: the slowest rank is waited for %2 times a step"),
        QT_TRANSLATE_NOOP("rules",
                          "gradients are exchanged every %1 batches; length sync and SyncBN still run in each"),
        QT_TRANSLATE_NOOP("rules",
                          "dropped layers are computed all the same: no time is saved, and collectives still match"),
        QT_TRANSLATE_NOOP("rules", "several devices become ddp by themselves; say ddp to see it in the file"),
        QT_TRANSLATE_NOOP(
            "rules", "gradients are all-reduced in buckets during backward: each bucket waits for the slowest rank"),
        QT_TRANSLATE_NOOP("rules",
                          "walks the whole graph each step and adds one all-reduce of a number per parameter tensor"),
        QT_TRANSLATE_NOOP("rules", "the sub-sampling gets no gradient, and DDP waits for one"),
        QT_TRANSLATE_NOOP("rules", "%1 is not what the trainer does with several ranks: it takes ddp or auto"),
        QT_TRANSLATE_NOOP("rules", "very small buckets: many all-reduces, each with its own start-up time"),
        QT_TRANSLATE_NOOP("rules", "very large buckets: little of the exchange overlaps with backward"),
        QT_TRANSLATE_NOOP("rules", "rank 0's running averages are broadcast before each forward"),
        QT_TRANSLATE_NOOP(
            "rules",
            "the first step reduces its gradients after backward, without overlap; the graph must never change"),
        QT_TRANSLATE_NOOP("rules", "gradients are not averaged: the ranks' weights drift apart; for timing only"),
        QT_TRANSLATE_NOOP("rules", "half the bytes per all-reduce; gradients above 65504 overflow, small ones vanish"),
        QT_TRANSLATE_NOOP("rules", "half the bytes per all-reduce; gradients keep 8 bits of precision"),
        QT_TRANSLATE_NOOP(
            "rules",
            "takes every GPU that is there: the global batch size depends on the machine (without a GPU: one rank)"),
        QT_TRANSLATE_NOOP("rules", "names GPUs, but the accelerator is the CPU: the launch is refused"),
        QT_TRANSLATE_NOOP("rules", "asks for %1 GPUs; this machine has %2"),
        QT_TRANSLATE_NOOP("rules", "ranks run on the CPU, while this machine has %1 GPUs"),
        QT_TRANSLATE_NOOP("rules", "%1 ranks share %2 cores"),
        QT_TRANSLATE_NOOP("rules", "collectives cross the network between hosts"),
        QT_TRANSLATE_NOOP(
            "rules",
            "the last batch of an epoch may be smaller or missing on some ranks: uneven batches end in a stall"),
        QT_TRANSLATE_NOOP("rules", "the last batch of an epoch is what is left over: smaller, on all ranks alike"),
        QT_TRANSLATE_NOOP("rules", "batches are read in the training thread: every slow file holds all ranks"),
        QT_TRANSLATE_NOOP("rules", "validation batches are read in the training thread"),
        QT_TRANSLATE_NOOP("rules", "one batch is kept ready: a single slow file is waited for"),
        QT_TRANSLATE_NOOP("rules", "%1 workers on %2 cores"),
        QT_TRANSLATE_NOOP("rules", "no limit: one long recording holds all ranks for a step"),
        QT_TRANSLATE_NOOP("rules", "lengths up to %1 s: ranks with short batches wait for the long one"),
        QT_TRANSLATE_NOOP("rules", "clips shorter than one masked block give batches without a masked frame (no loss)"),
        QT_TRANSLATE_NOOP("rules", "the manifest's order: sorted lengths give one rank the long ones"),
        QT_TRANSLATE_NOOP("rules", "every rank reads the same batches: N times the same step"),
        QT_TRANSLATE_NOOP("rules", "every rank reads the whole set, in an order of its own"),
        QT_TRANSLATE_NOOP("rules",
                          "shards of unequal size: a rank with fewer utterances sees some of them twice an epoch"),
        QT_TRANSLATE_NOOP("rules", "%1 tar files for %2 ranks: some get none"),
        QT_TRANSLATE_NOOP("rules", "%1 does not exist, nor do %2 others"),
        QT_TRANSLATE_NOOP("rules", "%1 does not exist"),
        QT_TRANSLATE_NOOP("rules", "%1 of %2 lines cannot be used; the first: %3"),
        QT_TRANSLATE_NOOP(
            "rules",
            "More audio files are missing than rankscope.max_broken_share lets be left out: a launch is refused. A "
            "relative path starts at the manifest's folder, or at the working folder where only that has the file."),
        QT_TRANSLATE_NOOP(
            "rules", "An audio file that is not there is left out of its batch, counted and named. A relative path "
                     "starts at the manifest's folder, or at the working folder where only that has the file."),
        QT_TRANSLATE_NOOP("rules", "Mend the paths, or start where they begin."),
        QT_TRANSLATE_NOOP("rules", "%1 of the %2 audio files that were looked for do not exist; the first is %3"),
        QT_TRANSLATE_NOOP("rules", "none of %1 utterances is within the limits: %2 too short, %3 too long"),
        QT_TRANSLATE_NOOP("rules", "%1 of %2 utterances are left out: %3 too short, %4 too long"),
        QT_TRANSLATE_NOOP("rules",
                          "durations have a long tail: median %1 s, 95 % below %2 s, longest %3 s, and no buckets"),
        QT_TRANSLATE_NOOP("rules", "ranks will wait %1 % of their time for longer batches"),
        QT_TRANSLATE_NOOP("rules", "%1 resolves to nothing"),
        QT_TRANSLATE_NOOP("rules", "%1 may be another value on each host"),
        QT_TRANSLATE_NOOP("rules", "float16 needs a GPU: on the CPU it becomes bf16-mixed"),
        QT_TRANSLATE_NOOP(
            "rules", "ranks skip a step together when one overflows; on a CPU it becomes bf16-mixed, as in Lightning"),
        QT_TRANSLATE_NOOP("rules", "16-mixed without gradient clipping: one bad batch can end in NaN"),
        QT_TRANSLATE_NOOP("rules", "this CPU has no units for bfloat16: slower than 32"),
        QT_TRANSLATE_NOOP("rules", "compute capability %1.%2 has no bfloat16"),
        QT_TRANSLATE_NOOP("rules",
                          "a rank needs about %1 GB for its largest batch; there are %2 GB for each, too little "
                          "even for a batch of one"),
        QT_TRANSLATE_NOOP("rules", "a rank needs about %1 GB for its largest batch; there are %2 GB for each"),
        QT_TRANSLATE_NOOP("rules", "the warm-up of %1 steps is as long as the run of %2"),
        QT_TRANSLATE_NOOP("rules", "is %1, the encoder's is %2: the learning rate is %3 times what it would be"),
        QT_TRANSLATE_NOOP("rules", "with NoamAnnealing lr is a factor: the rate is %1 at its peak"),
        QT_TRANSLATE_NOOP("rules", "the learning rate is %1 at its peak"),
        QT_TRANSLATE_NOOP("rules", "%1 batches are more than the %2 of an epoch"),
        QT_TRANSLATE_NOOP("rules", "the run of %1 batches ends before its first validation"),
        QT_TRANSLATE_NOOP("rules", "val_loss is never logged: there is no validation"),
        QT_TRANSLATE_NOOP("rules", "%1 is never logged"),
        QT_TRANSLATE_NOOP("rules", "a checkpoint every %1 steps: all ranks wait for rank 0 to write it"),
        QT_TRANSLATE_NOOP("rules", "a checkpoint or validation longer than this ends the run"),
        QT_TRANSLATE_NOOP("rules", "%1 s are not below rankscope.collective_timeout_s, %2 s: no stall is told"),
        QT_TRANSLATE_NOOP("rules", "a rank that needs more than %1 s to start is given up"),
        QT_TRANSLATE_NOOP("rules", "rankscope.seed is null: a new launch draws other weights and masks"),
        QT_TRANSLATE_NOOP("rules", "one rank gets another seed than the others"),
        QT_TRANSLATE_NOOP("rules", "injects a fault on purpose; the stall or error that it causes is expected"),
        QT_TRANSLATE_NOOP("rules", "injects %1 faults on purpose; the stalls or errors that they cause are expected"),
        // explanations
        QT_TRANSLATE_NOOP("rules",
                          "NeMo's encoder asks all ranks for the longest batch before each forward, and no YAML says "
                          "so: it is the default in the code. A rank that comes late, or not at all, holds all others "
                          "there. The result only sizes the positional table; training is unaffected."),
        QT_TRANSLATE_NOOP(
            "rules", "The length sync runs in a group of its own. A rank that has waited for the timeout goes on with "
                     "its own longest batch, which changes no number that is trained on, and says so in its log."),
        QT_TRANSLATE_NOOP(
            "rules", "Each rank makes its position table as long as its own longest batch needs. Ranks no longer meet "
                     "before forward; where they meet next is SyncBN's first layer, or the first bucket of gradients."),
        QT_TRANSLATE_NOOP(
            "rules",
            "The timeout belongs to the length sync. Where there is none, or only one rank, nothing waits for it."),
        QT_TRANSLATE_NOOP(
            "rules",
            "A late rank holds the others for this long in the length sync; after that they go on, and wait for it "
            "where they meet next. With SyncBN that is the encoder's first layer, so that little is gained."),
        QT_TRANSLATE_NOOP("rules",
                          "A barrier shows how late each rank comes to the encoder, apart from what the length sync "
                          "costs. It is for measuring: each step waits for the slowest data loader."),
        QT_TRANSLATE_NOOP("rules", "SyncBN exchanges the statistics of batch norms. Another norm has none, so the "
                                   "setting does nothing and hides that."),
        QT_TRANSLATE_NOOP("rules", "With one rank there is nobody to exchange statistics with."),
        QT_TRANSLATE_NOOP(
            "rules", "Each batch norm gathers mean and variance of all ranks in forward and sums two vectors in "
                     "backward, and the training thread waits for both. Ranks with short batches wait for the long one "
                     "in every layer. conv_norm_type: layer_norm needs no exchange, but is another model."),
        QT_TRANSLATE_NOOP("rules",
                          "Each rank normalises with the mean and variance of its own batch. With small batches these "
                          "differ much between ranks; the running averages that validation uses are those of rank 0."),
        QT_TRANSLATE_NOOP("rules", "Accumulation saves exchanges of gradients only. SyncBN and the length sync run in "
                                   "each of the batches, so that a step waits for the slowest rank as many times; and "
                                   "the statistics are those of one batch, not of the step."),
        QT_TRANSLATE_NOOP("rules", "Gradients are summed over several batches before they are exchanged, which makes "
                                   "the step as large without more memory."),
        QT_TRANSLATE_NOOP("rules",
                          "Ranks draw for themselves which layers to drop. NeMo, and Rankscope, compute a dropped "
                          "layer all the same and multiply it by 0, so that every rank enters the same collectives."),
        QT_TRANSLATE_NOOP("rules", "Lightning takes ddp for several devices when the file says auto."),
        QT_TRANSLATE_NOOP("rules",
                          "Gradients are averaged over all ranks while backward still runs, bucket by bucket. What "
                          "ranks wait for here is mostly a rank that came late, not the exchange itself."),
        QT_TRANSLATE_NOOP("rules",
                          "DDP then searches the graph for parameters without a gradient before each backward, and "
                          "exchanges one number per parameter tensor. NEST uses all its parameters in every step "
                          "(except with mask_position: post_conv), so the search finds nothing."),
        QT_TRANSLATE_NOOP(
            "rules",
            "With mask_position: post_conv NeMo trains nothing below the mask, so the sub-sampling gets no gradient. "
            "DDP waits for it, and the second step fails with \"Expected to have finished reduction\"."),
        QT_TRANSLATE_NOOP(
            "rules",
            "Rankscope's trainer does data parallelism as DistributedDataParallel does it. Strategies that cut the "
            "model itself into parts (fsdp, deepspeed, tensor parallelism) exchange something else at other places."),
        QT_TRANSLATE_NOOP("rules",
                          "Every bucket is an all-reduce of its own, and each costs a round trip however small it is."),
        QT_TRANSLATE_NOOP("rules", "A bucket is sent when its last gradient is there. With few large ones most is sent "
                                   "after backward, when nothing is left to compute meanwhile."),
        QT_TRANSLATE_NOOP("rules",
                          "Without SyncBN the running averages drift apart; DDP takes rank 0's before each forward."),
        QT_TRANSLATE_NOOP("rules",
                          "DDP learns in the first step which parameters are used and relies on it from then on."),
        QT_TRANSLATE_NOOP("rules", "noop_hook is for measuring what a run costs without its exchange. Each rank trains "
                                   "a model of its own, and only rank 0's is saved."),
        QT_TRANSLATE_NOOP(
            "rules",
            "float16 has the digits but not the range of gradients: large ones become infinite, small ones 0."),
        QT_TRANSLATE_NOOP("rules",
                          "Gradients are rounded to bfloat16 for the exchange alone; sums are made in it as well."),
        QT_TRANSLATE_NOOP("rules", "The number of ranks, and with it the global batch size and the steps of an epoch, "
                                   "follow from the machine."),
        QT_TRANSLATE_NOOP(
            "rules",
            "A list names GPUs by number. Ranks on the CPU have no number of a device, and the launch is refused."),
        QT_TRANSLATE_NOOP(
            "rules",
            "Each rank needs a GPU of its own: two on one wait for each other inside NCCL, so the launch is refused."),
        QT_TRANSLATE_NOOP("rules", "A GPU trains this model many times as fast as the cores beside it."),
        QT_TRANSLATE_NOOP("rules", "Ranks that share cores take turns: whoever is not running holds all others in the "
                                   "next collective, and who that is changes from step to step."),
        QT_TRANSLATE_NOOP("rules", "Every collective crosses the network, and takes as long as its slowest link. Start "
                                   "the ranks with torchrun or srun."),
        QT_TRANSLATE_NOOP("rules",
                          "Without a distributed sampler, and with tar files in NeMo, ranks may have a different "
                          "number of batches. The one that is done first leaves the others in a collective that never "
                          "completes. (Rankscope's own trainer fills the shares up; NeMo does not.)"),
        QT_TRANSLATE_NOOP(
            "rules",
            "The distributed sampler gives all ranks as many utterances, so that they end together; but the last batch "
            "of an epoch holds what is left, perhaps a single utterance, and weighs as much as a whole one."),
        QT_TRANSLATE_NOOP("rules", "With 0 the training thread reads, decodes and mixes itself. A file on a slow disk "
                                   "then holds not only this rank but all that wait for it in the next collective."),
        QT_TRANSLATE_NOOP("rules",
                          "Validation reads in the training thread: a slow file makes every validation as slow."),
        QT_TRANSLATE_NOOP(
            "rules",
            "Each worker keeps so many batches ready. With one of one worker, a single slow file is waited for."),
        QT_TRANSLATE_NOOP(
            "rules", "Workers of all ranks take the cores from the training threads, and each rank is slow in turn."),
        QT_TRANSLATE_NOOP("rules",
                          "Attention takes memory with the square of the length. One recording that nobody cut makes "
                          "its rank slow for a step, or ends it for want of memory, and all others with it."),
        QT_TRANSLATE_NOOP("rules", "Ranks whose batch is short wait for the one whose batch is long. How much that is "
                                   "for your manifest, rankscopectl plan says."),
        QT_TRANSLATE_NOOP("rules", "A clip that is shorter than a masked block has nothing to predict. A batch of such "
                                   "clips has no loss, and NaN goes through SyncBN to all ranks."),
        QT_TRANSLATE_NOOP("rules", "Ranks take the rows of the manifest in turn, every epoch in the same order. A "
                                   "manifest that is sorted by length, or by speaker, trains in that order."),
        QT_TRANSLATE_NOOP("rules", "Without Lightning's sampler nothing shares the set out. Every rank trains on all "
                                   "of it, and with a seed, or without shuffle, in the same order: as many times the "
                                   "work for the same step."),
        QT_TRANSLATE_NOOP("rules", "Tar files are dealt out whole. Where a rank's hold fewer utterances than "
                                   "another's, it sees some of them again, so that all ranks have as many batches."),
        QT_TRANSLATE_NOOP("rules", "With tarred_shard_strategy: scatter each rank has tar files of its own. A rank "
                                   "that gets none has nothing to train on, and the launch ends."),
        QT_TRANSLATE_NOOP("rules",
                          "A launch checks its files before it starts anything; on other nodes nobody does, and a rank "
                          "that does not find them never joins. Relative paths start at the working folder."),
        QT_TRANSLATE_NOOP("rules", "Every line is a JSON object with audio_filepath and duration. The trainer stops at "
                                   "the first line that is not, on all ranks."),
        QT_TRANSLATE_NOOP("rules", "Nothing is left to train on: the launch ends at its start."),
        QT_TRANSLATE_NOOP("rules", "Utterances outside min_duration and max_duration are left out without a word. That "
                                   "may be what you want, or a duration in the wrong unit."),
        QT_TRANSLATE_NOOP("rules", "Most utterances are short and a few are long. A batch with one long utterance pads "
                                   "all others in it, and the rank that drew it holds all ranks."),
        QT_TRANSLATE_NOOP("rules",
                          "Counted with the batches of the first epoch, as if a batch took as long as its padded "
                          "audio. Ranks meet in each batch where there is a length sync or SyncBN, else once a step."),
        QT_TRANSLATE_NOOP("rules",
                          "An interpolation that ends in null, or in nothing, reads as if the key were not there: the "
                          "default in the code acts, and that is often another value than the one you meant."),
        QT_TRANSLATE_NOOP("rules", "Each host resolves ${oc.env:NAME} with its own environment. Where it differs, so "
                                   "do the ranks' settings: other batches, other collectives, a stall."),
        QT_TRANSLATE_NOOP(
            "rules",
            "float16 needs a GPU. On the CPU Lightning, and Rankscope, take bfloat16 instead and say so in the log."),
        QT_TRANSLATE_NOOP("rules", "Gradients are scaled so that small ones survive float16. When one overflows on any "
                                   "rank, all ranks skip the step and the scale is halved."),
        QT_TRANSLATE_NOOP("rules", "float16 ends at 65504. One batch with large gradients, which clipping would have "
                                   "tamed, can throw the weights so far that every later step overflows."),
        QT_TRANSLATE_NOOP(
            "rules", "This CPU has neither AVX512-BF16 nor AMX: bfloat16 is right there, but slower than float32."),
        QT_TRANSLATE_NOOP("rules", "GPUs before Ampere (compute capability 8.0) compute bfloat16 in software."),
        QT_TRANSLATE_NOOP(
            "rules", "Estimated for the largest batch: weights, gradients, the optimizer's state, and what forward "
                     "keeps for backward. A rank that runs out of memory is killed, and the run ends with it."),
        QT_TRANSLATE_NOOP("rules", "The learning rate rises to the last step and is never brought down again."),
        QT_TRANSLATE_NOOP("rules", "NoamAnnealing divides by the square root of d_model. The recipes say "
                                   "${model.encoder.d_model}, so that both stay the same when the size changes."),
        QT_TRANSLATE_NOOP(
            "rules", "With NoamAnnealing lr is a factor, 5.0 in NeMo's recipe: the rate itself is lr / sqrt(d_model x "
                     "warmup steps) at its peak. A value meant for another schedule trains almost nothing."),
        QT_TRANSLATE_NOOP(
            "rules",
            "Rates above 1e-2 make AdamW diverge on this model: loss and gradients become NaN, on all ranks at once."),
        QT_TRANSLATE_NOOP("rules", "Lightning, and Rankscope, refuse an interval that is longer than the epoch it is "
                                   "counted in: the run ends at its start."),
        QT_TRANSLATE_NOOP("rules",
                          "The run ends before its first validation: there is no val_loss to choose checkpoints by."),
        QT_TRANSLATE_NOOP("rules",
                          "The best checkpoints are chosen by a value that this run never logs: Lightning warns and "
                          "keeps none of them. Logged are val_loss, where there is a validation, and train_loss."),
        QT_TRANSLATE_NOOP("rules", "Rank 0 writes weights and the optimizer's state, three times the model, while all "
                                   "others wait for it in the next step."),
        QT_TRANSLATE_NOOP("rules",
                          "A rank that is late by more than this ends the run: one that validates, writes a checkpoint "
                          "to a slow disk, or reads a long file. Rankscope names a stall after seconds without it."),
        QT_TRANSLATE_NOOP("rules", "A stall is told when it is longer than this. The collective library gives up "
                                   "before: the run ends, and nobody has said why."),
        QT_TRANSLATE_NOOP("rules", "Ranks read the manifest and build the model before they meet. On a cold disk, or "
                                   "with a large manifest, some take longer than others."),
        QT_TRANSLATE_NOOP(
            "rules", "A launch then draws a number and keeps it with the run; repeating or resuming the run uses the "
                     "same one. A new launch draws another: other weights, masks and losses from the first step on."),
        QT_TRANSLATE_NOOP("rules",
                          "Deterministic operations give the same results for the same random numbers. Without a seed "
                          "only a repetition of the run draws them again; a new launch does not."),
        QT_TRANSLATE_NOOP("rules",
                          "Ranks share the data by cutting one shuffled order, which the seed gives. With different "
                          "seeds they cut different orders: utterances are trained on twice, or by nobody."),
        QT_TRANSLATE_NOOP("rules",
                          "The list makes ranks late, dead or wrong on purpose, to show how Rankscope reports it."),
        // remedies
        QT_TRANSLATE_NOOP("rules", "Set it to false, or give it a timeout."),
        QT_TRANSLATE_NOOP("rules", "Remove the timeout."),
        QT_TRANSLATE_NOOP("rules", "Switch it off when you have measured."),
        QT_TRANSLATE_NOOP("rules", "Set trainer.sync_batchnorm to false."),
        QT_TRANSLATE_NOOP(
            "rules", "Keep batches of equal length (buckets), or set it to false where the batches are large enough."),
        QT_TRANSLATE_NOOP("rules", "Use larger batches instead, or no SyncBN."),
        QT_TRANSLATE_NOOP("rules", "Say ddp, so that the file shows it."),
        QT_TRANSLATE_NOOP("rules", "Use strategy: ddp."),
        QT_TRANSLATE_NOOP("rules", "Use strategy: ddp_find_unused_parameters_true."),
        QT_TRANSLATE_NOOP("rules", "25 MB is torch's default."),
        QT_TRANSLATE_NOOP("rules", "Remove the hook."),
        QT_TRANSLATE_NOOP("rules", "bf16_compress_hook keeps the range at the same number of bytes."),
        QT_TRANSLATE_NOOP("rules", "Write the number, so that a run means the same elsewhere."),
        QT_TRANSLATE_NOOP("rules", "Write how many ranks there are to be."),
        QT_TRANSLATE_NOOP("rules", "Ask for as many as there are, or for ranks on the CPU."),
        QT_TRANSLATE_NOOP("rules", "Set trainer.accelerator to auto."),
        QT_TRANSLATE_NOOP("rules", "Ask for as many ranks as there are cores, or fewer."),
        QT_TRANSLATE_NOOP("rules", "Set drop_last to true, and make shards of equal size."),
        QT_TRANSLATE_NOOP("rules", "Set drop_last to true."),
        QT_TRANSLATE_NOOP("rules", "Give each rank workers of its own."),
        QT_TRANSLATE_NOOP("rules", "Give validation workers as well."),
        QT_TRANSLATE_NOOP("rules", "Use 2 or more."),
        QT_TRANSLATE_NOOP("rules", "Use fewer workers."),
        QT_TRANSLATE_NOOP("rules", "Set a limit, such as 60 s."),
        QT_TRANSLATE_NOOP("rules", "Sort the manifests into buckets, or narrow the limits."),
        QT_TRANSLATE_NOOP("rules", "Set a limit, such as 1 s."),
        QT_TRANSLATE_NOOP("rules", "Set shuffle to true."),
        QT_TRANSLATE_NOOP("rules", "Set trainer.use_distributed_sampler to true."),
        QT_TRANSLATE_NOOP("rules", "Make more shards, use fewer ranks, or set tarred_shard_strategy to replicate."),
        QT_TRANSLATE_NOOP("rules", "Give the path as it is on every machine."),
        QT_TRANSLATE_NOOP("rules", "Mend or remove these lines."),
        QT_TRANSLATE_NOOP("rules", "Look at min_duration and max_duration, which are in seconds."),
        QT_TRANSLATE_NOOP("rules", "Cut long recordings into pieces, or widen the limits."),
        QT_TRANSLATE_NOOP("rules", "Sort the utterances into buckets: manifest_filepath as a list of lists."),
        QT_TRANSLATE_NOOP("rules", "Look at what it points to."),
        QT_TRANSLATE_NOOP("rules", "Write the value, or start all ranks with what rankscopectl resolve prints."),
        QT_TRANSLATE_NOOP("rules", "Say bf16-mixed."),
        QT_TRANSLATE_NOOP("rules", "Set trainer.gradient_clip_val to 1.0, or use bf16-mixed."),
        QT_TRANSLATE_NOOP("rules", "Use 32."),
        QT_TRANSLATE_NOOP("rules", "Use 16-mixed with gradient clipping, or 32."),
        QT_TRANSLATE_NOOP("rules", "Take a smaller batch and accumulate more of them, or shorten max_duration."),
        QT_TRANSLATE_NOOP("rules", "Warm up for a tenth of the steps."),
        QT_TRANSLATE_NOOP("rules", "Point it to the encoder's d_model."),
        QT_TRANSLATE_NOOP("rules", "Use a factor between 0.5 and 10."),
        QT_TRANSLATE_NOOP("rules", "Lower lr, or use NoamAnnealing, where it is a factor."),
        QT_TRANSLATE_NOOP("rules", "Count across epochs: trainer.check_val_every_n_epoch: null."),
        QT_TRANSLATE_NOOP("rules", "Validate more often."),
        QT_TRANSLATE_NOOP("rules", "Monitor what is logged, or give a validation set."),
        QT_TRANSLATE_NOOP("rules", "Write every few hundred steps."),
        QT_TRANSLATE_NOOP("rules", "Leave it at 1800."),
        QT_TRANSLATE_NOOP("rules", "Lower rankscope.stall.min_seconds."),
        QT_TRANSLATE_NOOP("rules", "Leave it at 60."),
        QT_TRANSLATE_NOOP("rules", "Set a seed where runs are to be compared."),
        QT_TRANSLATE_NOOP("rules", "Set rankscope.seed."),
        QT_TRANSLATE_NOOP("rules", "Give all ranks one seed."),
        QT_TRANSLATE_NOOP("rules", "Remove it for real training."),
    };
    return all;
}

} // namespace rankscope::ui
