// SPDX-License-Identifier: Apache-2.0
// For every risk rule: a change to a healthy recipe, and facts about the machine and the data, with which the rule
// fires; and a change with which it does not.
#pragma once

#include "core/config/risks/risk_rules.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rankscope::config::test {

using Words = std::vector<std::string>;

struct Case {
    Words fires;                                   ///< overrides of the base recipe
    std::function<void(RiskContext&)> around = {}; ///< sets other facts about the machine and the data
    Words silent = {};                             ///< overrides with which the same facts do not fire the rule
    std::function<void(RiskContext&)> calm = {};   ///< used instead of `around` in the silent case; null: the same
    bool remedyCures = true;
};

/// A healthy recipe for two CPU ranks: no caution, no danger.
inline const Words kBase{"~rankscope.faults", "trainer.sync_batchnorm=false",
                         "model.encoder.sync_max_audio_length=false", "model.train_ds.max_duration=15.0",
                         "+rankscope.seed=1"};

inline RiskContext onGpus() {
    RiskContext s;
    s.machine = MachineFacts{16, 4, 64'000'000'000, 24'000'000'000, true, 80};
    s.ranks = 2;
    s.device = "cuda";
    return s;
}

inline ManifestFacts speech() {
    ManifestFacts f;
    f.lines = f.used = 1000;
    f.seconds = 5000;
    f.shortest = 2;
    f.median = 5;
    f.p95 = 8;
    f.longest = 9;
    return f;
}

inline const Words kGpu{"trainer.accelerator=auto"};

inline Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

inline const std::map<std::string, Case>& cases() {
    static const std::map<std::string, Case> all{
        {"length-sync-blocks",
         {{"model.encoder.sync_max_audio_length=true"},
          {},
          {"model.encoder.sync_max_audio_length=true", "trainer.devices=1"}}},
        {"length-sync-timed",
         {{"model.encoder.sync_max_audio_length=true", "+rankscope.length_sync.timeout_s=3"},
          {},
          {"model.encoder.sync_max_audio_length=true"}}},
        {"length-sync-off", {{}, {}, {"model.encoder.sync_max_audio_length=true"}}},
        {"length-timeout-without-sync",
         {{"+rankscope.length_sync.timeout_s=3"},
          {},
          {"model.encoder.sync_max_audio_length=true", "+rankscope.length_sync.timeout_s=3"}}},
        {"length-timeout-holds",
         {{"model.encoder.sync_max_audio_length=true", "+rankscope.length_sync.timeout_s=3"}, {}, {}}},
        {"encoder-barrier",
         {{"+rankscope.length_sync.barrier=true"}, {}, {"+rankscope.length_sync.barrier=true", "trainer.devices=1"}}},
        {"syncbn-without-batch-norm",
         {{"trainer.sync_batchnorm=true", "model.encoder.conv_norm_type=layer_norm"},
          {},
          {"trainer.sync_batchnorm=true"}}},
        {"syncbn-one-rank",
         {{"trainer.sync_batchnorm=true", "trainer.devices=1"}, {}, {"trainer.sync_batchnorm=true"}}},
        {"syncbn-every-layer",
         {{"trainer.sync_batchnorm=true"}, {}, {"trainer.sync_batchnorm=true", "trainer.devices=1"}}},
        {"batch-norm-not-synced", {{}, {}, {"trainer.sync_batchnorm=true"}}},
        {"accumulate-with-syncbn",
         {{"trainer.sync_batchnorm=true", "trainer.accumulate_grad_batches=4"},
          {},
          {"trainer.accumulate_grad_batches=4"}}},
        {"accumulate-exchanges", {{"trainer.accumulate_grad_batches=4"}, {}, {}}},
        {"stochastic-depth", {{"+model.encoder.stochastic_depth_drop_prob=0.1"}, {}, {}}},
        {"ddp-implicit", {{"trainer.strategy=auto"}, {}, {}}},
        {"ddp-gradients", {{}, {}, {"trainer.devices=1"}}},
        {"find-unused",
         {{"trainer.strategy=ddp_find_unused_parameters_true"},
          {},
          {"trainer.strategy=ddp_find_unused_parameters_true", "model.mask_position=post_conv"}}},
        {"unused-not-searched",
         {{"model.mask_position=post_conv"},
          {},
          {"model.mask_position=post_conv", "trainer.strategy=ddp_find_unused_parameters_true"}}},
        {"strategy-unknown", {{"trainer.strategy=fsdp"}, {}, {"trainer.strategy=fsdp", "trainer.devices=1"}}},
        {"bucket-small", {{"+rankscope.ddp.bucket_cap_mb=0.1"}, {}, {"+rankscope.ddp.bucket_cap_mb=5"}}},
        {"bucket-large", {{"+rankscope.ddp.bucket_cap_mb=500"}, {}, {"+rankscope.ddp.bucket_cap_mb=50"}}},
        {"broadcast-buffers", {{}, {}, {"trainer.sync_batchnorm=true"}}},
        {"broadcast-of-constants",
         {{"trainer.sync_batchnorm=true", "model.encoder.pos_emb_max_len=20000"},
          {},
          {"model.encoder.pos_emb_max_len=20000"}}},
        {"position-table-outgrown",
         {{"model.train_ds.max_duration=60"},
          {},
          {"model.train_ds.max_duration=60", "model.encoder.sync_max_audio_length=true"}}},
        {"static-graph", {{"+rankscope.ddp.static_graph=true"}, {}, {}}},
        {"comm-hook-noop", {{"+rankscope.ddp.comm_hook=noop_hook"}, {}, {"+rankscope.ddp.comm_hook=allreduce_hook"}}},
        {"comm-hook-fp16",
         {{"+rankscope.ddp.comm_hook=fp16_compress_hook"}, {}, {"+rankscope.ddp.comm_hook=bf16_compress_hook"}}},
        {"comm-hook-bf16", {{"+rankscope.ddp.comm_hook=bf16_compress_hook"}, {}, {}}},
        {"devices-auto", {{"trainer.devices=auto"}, {}, {}}},
        {"gpu-list-on-cpu", {{"trainer.devices=[0,2]"}, {}, {"trainer.devices=[0,2]", "trainer.accelerator=auto"}}},
        {"more-devices-than-gpus",
         {with(kGpu, {"trainer.devices=8"}), [](RiskContext& s) { s = onGpus(); }, with(kGpu, {"trainer.devices=4"})}},
        {"gpus-idle", {{}, [](RiskContext& s) { s = onGpus(); }, kGpu}},
        {"more-ranks-than-cores",
         {{"trainer.devices=4"},
          [](RiskContext& s) {
              s.ranks = 4;
              s.device = "cpu";
              s.machine = MachineFacts{2, 0};
          },
          {"trainer.devices=2"},
          [](RiskContext& s) {
              s.ranks = 2;
              s.device = "cpu";
              s.machine = MachineFacts{2, 0};
          },
          false}},
        {"several-nodes", {{"trainer.num_nodes=2"}, {}, {}}},
        {"drop-last-uneven",
         {{"model.train_ds.drop_last=false", "+trainer.use_distributed_sampler=false"},
          {},
          {"model.train_ds.drop_last=false"}}},
        {"drop-last-small-batch", {{"model.train_ds.drop_last=false"}, {}, {}}},
        {"no-workers", {{"model.train_ds.num_workers=0"}, {}, {}}},
        {"no-validation-workers", {{"model.validation_ds.num_workers=0"}, {}, {}}},
        {"prefetch-short",
         {{"+model.train_ds.prefetch_factor=1"},
          {},
          {"+model.train_ds.prefetch_factor=1", "model.train_ds.num_workers=2"}}},
        {"workers-beyond-cores",
         {{"model.train_ds.num_workers=8"},
          [](RiskContext& s) {
              s.ranks = 2;
              s.machine = MachineFacts{4, 0};
          },
          {"model.train_ds.num_workers=4"}}},
        {"no-longest", {{"model.train_ds.max_duration=null"}, {}, {}}},
        {"wide-durations", {{"model.train_ds.max_duration=60.0"}, {}, {}}},
        {"no-shortest", {{"model.train_ds.min_duration=0"}, {}, {}}},
        {"not-shuffled",
         {{"model.train_ds.shuffle=false", "+trainer.use_distributed_sampler=false"},
          {},
          {"model.train_ds.shuffle=false"}}}, // Lightning's sampler shuffles anyway
        {"no-distributed-sampler",
         {{"+trainer.use_distributed_sampler=false"},
          {},
          {"+trainer.use_distributed_sampler=false", "trainer.devices=1"}}},
        {"tarred-shares", {{"+model.train_ds.is_tarred=true", "+model.train_ds.tarred_audio_filepaths=a.tar"}, {}, {}}},
        {"fewer-shards-than-ranks",
         {{"+model.train_ds.is_tarred=true", "+model.train_ds.tarred_audio_filepaths=a.tar"},
          [](RiskContext& s) {
              s.train = speech();
              s.train->shards = 1;
          },
          {"+model.train_ds.is_tarred=true", "+model.train_ds.tarred_audio_filepaths=a.tar"},
          [](RiskContext& s) {
              s.train = speech();
              s.train->shards = 2;
          }}},
        {"path-missing",
         {{},
          [](RiskContext& s) {
              s.paths = {{"model.train_ds.manifest_filepath", "a.json", false}};
          },
          {},
          [](RiskContext& s) {
              s.paths = {{"model.train_ds.manifest_filepath", "a.json", true}};
          }}},
        {"manifest-lines-bad",
         {{},
          [](RiskContext& s) {
              s.train = speech();
              s.train->bad = 2;
              s.train->firstBad = {Message("{}: {}", "a.json:3", Message("is not a JSON object"))};
          },
          {},
          [](RiskContext& s) { s.train = speech(); }}},
        {"audio-missing",
         {{},
          [](RiskContext& s) {
              s.train = speech();
              s.train->audioLooked = 500;
              s.train->audioMissing = 251;
              s.train->firstMissing = "a.wav";
          },
          {"+rankscope.max_broken_share=0.6"},
          [](RiskContext& s) {
              s.train = speech();
              s.train->audioLooked = 500;
              s.train->audioMissing = 251;
          }}},
        {"some-audio-missing",
         {{},
          [](RiskContext& s) {
              s.train = speech();
              s.train->audioLooked = 500;
              s.train->audioMissing = 1;
          },
          {},
          [](RiskContext& s) {
              s.train = speech();
              s.train->audioLooked = 500;
          }}},
        {"manifest-empty",
         {{},
          [](RiskContext& s) {
              s.validation = ManifestFacts{};
              s.validation->lines = s.validation->tooLong = 9;
          },
          {},
          [](RiskContext& s) { s.validation = speech(); }}},
        {"durations-outside-limits",
         {{},
          [](RiskContext& s) {
              s.train = speech();
              s.train->lines = 1500;
              s.train->tooLong = 500;
          },
          {},
          [](RiskContext& s) {
              s.train = speech();
              s.train->lines = 1100;
              s.train->tooLong = 100;
          }}},
        {"long-tail-without-buckets",
         {{},
          [](RiskContext& s) {
              s.train = speech();
              s.train->p95 = 40;
          },
          {},
          [](RiskContext& s) { s.train = speech(); }}},
        {"ranks-wait-for-lengths",
         {{}, [](RiskContext& s) { s.lostToImbalance = 0.3; }, {}, [](RiskContext& s) { s.lostToImbalance = 0.05; }}},
        {"interpolation-empty", {{}, {}, {}}},    // has a separate test: an override is not text in the file
        {"value-from-environment", {{}, {}, {}}}, // likewise
        {"half-on-cpu", {{"trainer.precision=16-mixed"}, {}, {"trainer.precision=bf16-mixed"}}},
        {"half-steps-skipped",
         {with(kGpu, {"trainer.precision=16-mixed"}), [](RiskContext& s) { s = onGpus(); }, kGpu}},
        {"half-without-clipping",
         {with(kGpu, {"trainer.precision=16-mixed"}), [](RiskContext& s) { s = onGpus(); },
          with(kGpu, {"trainer.precision=16-mixed", "trainer.gradient_clip_val=1.0"})}},
        {"bfloat16-without-units",
         {{"trainer.precision=bf16-mixed"},
          [](RiskContext& s) {
              s.machine = MachineFacts{4, 0};
          },
          {"trainer.precision=bf16-mixed"},
          [](RiskContext& s) {
              s.machine = MachineFacts{4, 0, 0, 0, true};
          }}},
        {"bfloat16-old-gpu",
         {with(kGpu, {"trainer.precision=bf16-mixed"}),
          [](RiskContext& s) {
              s = onGpus();
              s.machine->gpuComputeCapability = 75;
          },
          with(kGpu, {"trainer.precision=bf16-mixed"}), [](RiskContext& s) { s = onGpus(); }}},
        {"memory-short",
         {{},
          [](RiskContext& s) {
              s.machine = MachineFacts{4, 0, 8'000'000'000};
              s.ranks = 2;
              s.device = "cpu";
              s.rankMemoryBytes = 5'000'000'000;
          },
          {},
          [](RiskContext& s) {
              s.machine = MachineFacts{4, 0, 8'000'000'000};
              s.ranks = 1;
              s.device = "cpu";
              s.rankMemoryBytes = 5'000'000'000;
          },
          false}},
        {"warmup-beyond-run", {{"model.optim.sched.warmup_steps=500"}, {}, {"model.optim.sched.warmup_steps=399"}}},
        {"noam-width", {{"model.optim.sched.d_model=512"}, {}, {}}},
        {"noam-rate-low", {{"model.optim.lr=0.0005", "model.optim.sched.min_lr=0"}, {}, {}}},
        {"rate-high", {{"model.optim.lr=5.0"}, {}, {}}},
        {"validation-beyond-epoch",
         {{"trainer.check_val_every_n_epoch=1"},
          [](RiskContext& s) { s.batchesPerEpoch = 50; },
          {"trainer.check_val_every_n_epoch=1"},
          [](RiskContext& s) { s.batchesPerEpoch = 100; }}},
        {"validation-never", {{"trainer.val_check_interval=500"}, {}, {"trainer.val_check_interval=400"}}},
        {"monitor-never-logged",
         {{"~model.validation_ds", "+exp_manager.create_checkpoint_callback=true",
           "+exp_manager.checkpoint_callback_params.monitor=val_loss"},
          {},
          {"+exp_manager.create_checkpoint_callback=true",
           "+exp_manager.checkpoint_callback_params.monitor=val_loss"}}},
        {"checkpoints-often",
         {{"+exp_manager.create_checkpoint_callback=true",
           "+exp_manager.checkpoint_callback_params.every_n_train_steps=5"},
          {},
          {"+exp_manager.create_checkpoint_callback=true",
           "+exp_manager.checkpoint_callback_params.every_n_train_steps=200"}}},
        {"timeout-short", {{"+rankscope.collective_timeout_s=20"}, {}, {"+rankscope.collective_timeout_s=600"}}},
        {"stall-after-timeout", {{"rankscope.stall.min_seconds=1800"}, {}, {"rankscope.stall.min_seconds=60"}}},
        {"join-short", {{"+rankscope.join_seconds=2"}, {}, {}}},
        {"no-seed", {{"rankscope.seed=null"}, {}, {}}},
        {"deterministic-without-seed",
         {{"+trainer.deterministic=true", "rankscope.seed=null"}, {}, {"+trainer.deterministic=true"}}},
        {"seed-differs-by-rank",
         {{"+rankscope.faults=[{kind: other_settings, rank: 1, step: 0, set: rankscope.seed=7}]"},
          {},
          {"+rankscope.faults=[{kind: other_settings, rank: 1, step: 0, set: model.train_ds.shuffle=false}]"}}},
        {"faults-on", {{"+rankscope.faults=[{kind: dead, rank: 1, step: 3}]"}, {}, {}}},
    };
    return all;
}

} // namespace rankscope::config::test
