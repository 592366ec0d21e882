// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/reference_configs.h"

namespace rankscope::trainer {
namespace {

config::ModelConfig preConv() {
    config::ModelConfig c;
    c.numClasses = 64;
    c.codeDim = 8;
    c.preprocessor.windowSize = 0.025;
    c.preprocessor.features = 80;
    c.preprocessor.nFft = 512;
    c.preprocessor.dither = 0;
    c.masking = {40, 0.02, 80, true, true, 0.8};
    c.quantizer = {80, 8, 1, 64, "l2", true, false, false, 8};
    auto& e = c.encoder;
    e.nLayers = 2;
    e.dModel = 32;
    e.subsampling = "dw_striding";
    e.subsamplingFactor = 8;
    e.subsamplingConvChannels = 16;
    e.convKernelSize = 9;
    e.dropout = e.dropoutPreEncoder = e.dropoutEmb = e.dropoutAtt = 0;
    c.decoder = {32, 64, 1, false, true, "xavier_uniform"};
    c.loss = {8, 1, 0.8, false};
    c.optim.lr = 0.5;
    c.optim.betas = {0.9, 0.98};
    c.optim.weightDecay = 0.001;
    c.optim.sched.name = "NoamAnnealing";
    c.optim.sched.dModel = 32;
    c.optim.sched.warmupSteps = 4;
    c.optim.sched.minLr = 1e-6;
    return c;
}

} // namespace

config::ModelConfig referenceConfig(const std::string& variant) {
    config::ModelConfig c = preConv();
    if (variant == "layer_norm") {
        c.encoder.convNormType = "layer_norm";
        c.encoder.convKernelSize = 5;
    } else if (variant == "local_att") {
        c.encoder.attContextSize = {4, 2};
    } else if (variant == "no_bias") {
        c.encoder.useBias = c.encoder.xscaling = c.encoder.untieBiases = false;
    } else if (variant == "no_overlap") {
        c.masking.allowOverlap = false;
        c.masking.blockSize = 20;
        c.masking.maskProb = 0.4;
    } else if (variant == "post_conv") {
        c.maskPosition = "post_conv";
        c.masking.maskProb = 0.1;
        c.quantizer.combineTimeSteps = 1;
    } else if (variant == "squeeze") {
        c.squeezeSingle = c.quantizer.squeezeSingle = c.decoder.squeezeSingle = c.loss.squeezeSingle = true;
    } else if (variant == "two_books_cos") {
        c.numBooks = c.quantizer.numBooks = c.decoder.numDecoders = c.loss.numDecoders = 2;
        c.quantizer.distFn = "cosine";
    }
    return c;
}

std::string referencePath(const std::string& file) {
    return std::string(RANKSCOPE_TEST_DATA) + "/nemo/" + file;
}

} // namespace rankscope::trainer
