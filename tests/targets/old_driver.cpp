// SPDX-License-Identifier: Apache-2.0
// The CUDA driver's interface as an old one has it: it starts, is of version 10.1, and has none of the newer calls.
extern "C" {
int cuInit(unsigned) {
    return 0;
}
int cuDriverGetVersion(int* version) {
    *version = 10010;
    return 0;
}
int cuDeviceGetCount(int* count) {
    *count = 1;
    return 0;
}
int nvmlInit_v2() {
    return 0;
}
int nvmlShutdown() {
    return 0;
}
}
