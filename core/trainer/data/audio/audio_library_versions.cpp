// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/audio_library_versions.h"

#include <archive.h>
#include <sndfile.h>
#include <soxr.h>

namespace rankscope::trainer {

/// "libsndfile-1.2.0", "libarchive 3.6.2": what comes before the first digit is the name.
static LinkedLibrary named(const char* name, const std::string& text) {
    const auto digit = text.find_first_of("0123456789");
    return {name, digit == std::string::npos ? text : text.substr(digit)};
}

std::vector<LinkedLibrary> audioLinked() {
    return {named("libsndfile", ::sf_version_string()), named("libsoxr", ::soxr_version()),
            named("libarchive", ::archive_version_string())};
}

} // namespace rankscope::trainer
