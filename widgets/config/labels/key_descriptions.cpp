// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/labels/key_descriptions.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {
struct KeyTexts {
    Q_DECLARE_TR_FUNCTIONS(KeyDescriptions)
public:
    static constexpr KeyDescription kAll[] = {
        {"name", QT_TR_NOOP("Name of the run: it is part of the run folder and of the exported .nemo file.")},
        {"model.sample_rate",
         QT_TR_NOOP("Samples per second that audio is converted to before features are computed.")},
        {"model.num_classes", QT_TR_NOOP("Number of codebook entries, which is also the number of classes that the "
                                         "model predicts for each masked frame.")},
        {"model.num_books", QT_TR_NOOP("Number of random codebooks; the loss is averaged over their predictions.")},
        {"model.code_dim", QT_TR_NOOP("Size of a codebook vector that a stack of frames is projected to.")},
        {"model.mask_position", QT_TR_NOOP("Whether frames are masked before or after the sub-sampling convolutions. "
                                           "With post_conv the sub-sampling gets no gradients.")},
        {"model.train_ds.manifest_filepath",
         QT_TR_NOOP("Manifest of the training audio: one JSON object per line with audio_filepath and duration.")},
        {"model.validation_ds.manifest_filepath", QT_TR_NOOP("Manifest of the audio that val_loss is computed on.")},
        {"model.train_ds.noise_manifest",
         QT_TR_NOOP("Manifest of noise recordings that are mixed into the training audio.")},
        {"model.train_ds.batch_size",
         QT_TR_NOOP("Utterances per batch on each rank. The global batch is this times the ranks "
                    "times accumulate_grad_batches; memory grows with it.")},
        {"model.validation_ds.batch_size", QT_TR_NOOP("Utterances per validation batch on each rank.")},
        {"model.train_ds.num_workers",
         QT_TR_NOOP("Loader processes per rank that read, decode and augment audio ahead of the "
                    "training thread. With 0 the training thread does it itself.")},
        {"model.train_ds.prefetch_factor", QT_TR_NOOP("Batches that each loader process keeps ready.")},
        {"model.train_ds.shuffle",
         QT_TR_NOOP(
             "Draws a new order of the utterances for every epoch, which the ranks then divide among themselves.")},
        {"model.train_ds.drop_last", QT_TR_NOOP("Leaves out the last, incomplete batch of an epoch, so that all ranks "
                                                "have the same number of full batches.")},
        {"model.train_ds.max_duration",
         QT_TR_NOOP("Longer recordings (in seconds) are left out. The longest one decides the "
                    "peak memory and how long other ranks wait.")},
        {"model.train_ds.min_duration",
         QT_TR_NOOP("Shorter recordings (in seconds) are left out; they must be longer than a masked block.")},
        {"model.train_ds.pin_memory",
         QT_TR_NOOP("Puts batches into page-locked memory, from which copies to a GPU are faster.")},
        {"model.train_ds.is_tarred", QT_TR_NOOP("Audio comes from tar archives instead of single files.")},
        {"model.preprocessor.features", QT_TR_NOOP("Mel bands per frame: the width of the input to the encoder.")},
        {"model.preprocessor.window_size", QT_TR_NOOP("Length of an analysis window in seconds.")},
        {"model.preprocessor.window_stride",
         QT_TR_NOOP("Time between two frames in seconds; with the sub-sampling factor it decides "
                    "the frames per second of the encoder.")},
        {"model.preprocessor.dither",
         QT_TR_NOOP("Amount of random noise added to the samples before the spectrogram.")},
        {"model.masking.block_size", QT_TR_NOOP("Frames that a masked block covers, before sub-sampling.")},
        {"model.masking.mask_prob",
         QT_TR_NOOP(
             "Probability that a masked block begins at a frame; with block_size it decides how much is masked.")},
        {"model.encoder.n_layers",
         QT_TR_NOOP("Number of Conformer layers. Compute, memory, and the collectives of SyncBN grow with it.")},
        {"model.encoder.d_model",
         QT_TR_NOOP("Width of the encoder; n_heads must divide it. Parameters grow with its square.")},
        {"model.encoder.n_heads", QT_TR_NOOP("Attention heads; must divide d_model.")},
        {"model.encoder.subsampling",
         QT_TR_NOOP("How the convolutions in front of the encoder reduce the number of frames.")},
        {"model.encoder.subsampling_factor",
         QT_TR_NOOP("Input frames per encoder frame. A larger factor makes attention cheaper; the quantizer and the "
                    "loss must use the same one.")},
        {"model.encoder.self_attention_model",
         QT_TR_NOOP("How positions enter attention: relative (rel_pos), absolute, or within a local window.")},
        {"model.encoder.att_context_size",
         QT_TR_NOOP("Frames that attention sees to the left and to the right; -1 means all of them.")},
        {"model.encoder.conv_kernel_size",
         QT_TR_NOOP("Width of the depth-wise convolution in each layer; must be odd.")},
        {"model.encoder.conv_norm_type",
         QT_TR_NOOP("Norm of the convolution module. Only batch_norm has statistics that SyncBN exchanges.")},
        {"model.encoder.dropout", QT_TR_NOOP("Share of activations that is dropped in each layer during training.")},
        {"model.encoder.sync_max_audio_length",
         QT_TR_NOOP("Finds the longest batch of all ranks with a blocking all-reduce before each forward pass. The "
                    "result only sizes the positional table; training is unaffected.")},
        {"model.loss.mask_threshold",
         QT_TR_NOOP("Share of a stack of frames that must be masked for it to count in the loss.")},
        {"model.optim.name", QT_TR_NOOP("The optimizer.")},
        {"model.optim.lr", QT_TR_NOOP("Learning rate at its peak; with NoamAnnealing a factor that is divided by "
                                      "the square root of d_model times the warm-up steps.")},
        {"model.optim.betas", QT_TR_NOOP("Decay of the running averages of the gradient and of its square in Adam.")},
        {"model.optim.weight_decay", QT_TR_NOOP("How strongly weights are pulled towards 0 in each step.")},
        {"model.optim.sched.name", QT_TR_NOOP("How the learning rate changes over the steps.")},
        {"model.optim.sched.warmup_steps", QT_TR_NOOP("Steps in which the learning rate rises to its peak.")},
        {"model.optim.sched.min_lr", QT_TR_NOOP("The learning rate does not fall below this.")},
        {"trainer.devices",
         QT_TR_NOOP("Number of ranks on each node, or a list of GPUs; -1 takes all GPUs of the machine.")},
        {"trainer.accelerator",
         QT_TR_NOOP("Where ranks compute: cpu, gpu, or auto, which uses GPUs if there are any.")},
        {"trainer.num_nodes", QT_TR_NOOP("Number of machines; each has trainer.devices ranks.")},
        {"trainer.strategy",
         QT_TR_NOOP("How gradients are shared between ranks. ddp averages them bucket by bucket during backward.")},
        {"trainer.sync_batchnorm",
         QT_TR_NOOP("Batch norms use the statistics of all ranks: two collectives per layer and "
                    "step, in which ranks wait for each other.")},
        {"trainer.max_steps", QT_TR_NOOP("Optimizer steps after which the run ends; -1 leaves it to max_epochs.")},
        {"trainer.max_epochs",
         QT_TR_NOOP("Passes over the training set after which the run ends; -1 leaves it to max_steps.")},
        {"trainer.val_check_interval",
         QT_TR_NOOP("Training batches between two validations, or a share of an epoch. All ranks validate together.")},
        {"trainer.accumulate_grad_batches", QT_TR_NOOP("Batches whose gradients are summed before one exchange and one "
                                                       "step: a larger effective batch without more memory.")},
        {"trainer.gradient_clip_val",
         QT_TR_NOOP("Largest norm of the gradients; larger ones are scaled down. 0 or null disables clipping.")},
        {"trainer.precision", QT_TR_NOOP("Number format of forward and backward: 32, bf16-mixed or 16-mixed. The "
                                         "mixed ones save memory and time on GPUs.")},
        {"trainer.use_distributed_sampler",
         QT_TR_NOOP("Splits the training set between ranks. Without it every rank trains on all of it.")},
        {"trainer.log_every_n_steps", QT_TR_NOOP("Steps between two logged values.")},
        {"rankscope.nemo", QT_TR_NOOP("Version of NeMo whose keys and defaults apply.")},
        {"rankscope.seed", QT_TR_NOOP("Seed of all random numbers. With the same seed two runs draw the same masks, "
                                      "batches and weights and can be compared.")},
        {"rankscope.stall.min_seconds", QT_TR_NOOP("A wait must last this long to become an incident.")},
        {"rankscope.stall.factor", QT_TR_NOOP("A wait must also last this many typical steps to become an incident.")},
        {"rankscope.length_sync.timeout_s",
         QT_TR_NOOP(
             "Seconds after which a rank stops waiting in the length sync and continues with its own longest batch.")},
        {"rankscope.collective_timeout_s",
         QT_TR_NOOP("Seconds that a rank waits in a collective before the run is ended.")},
        {"rankscope.faults", QT_TR_NOOP("Delays and failures injected on purpose, to see how Rankscope reports them. "
                                        "Remove this section for real training.")},
        {"rankscope.ddp.bucket_cap_mb",
         QT_TR_NOOP("Size of a gradient bucket. Each bucket is one all-reduce during backward.")},
    };
};
} // namespace

std::span<const KeyDescription> keyDescriptions() {
    return KeyTexts::kAll;
}

QString keyDescription(const QString& key) {
    for (const KeyDescription& one : keyDescriptions())
        if (key == QLatin1String(one.key))
            return QCoreApplication::translate("KeyDescriptions", one.text);
    return {};
}

} // namespace rankscope::ui
