// SPDX-License-Identifier: Apache-2.0
// TensorBoard event files. First byte 0: the rest is the file. Otherwise the rest is a sequence of records (each with
// two bytes of length), which are framed here so that their checksums are valid.
#include "core/exchange/tensorboard/event.h"
#include "core/exchange/tensorboard/event_import.h"
#include "core/exchange/tensorboard/tfrecord.h"
#include "tests/fuzz/target.h"

namespace rankscope::fuzz {

using namespace exchange;

namespace {

std::string fileOf(Bytes in) {
    if (in.byte() == 0)
        return std::string(in.rest());
    std::string file = framed(firstEvent(1.7e9, "fuzz"));
    while (!in.empty()) {
        const auto length = in.number<std::uint16_t>();
        file += framed(in.take(length));
    }
    return file;
}

} // namespace

static void examine(const std::string& bytes) {
    const std::string file = fileOf(Bytes(bytes));
    const auto path = put("events.out.tfevents", file);
    auto reader = RecordReader::open(path);
    require(reader.has_value(), "a file that cannot be opened");
    std::size_t records = 0, read = 0;
    for (;; ++records) {
        const auto record = reader->next();
        require(record.has_value(), "the system refused to read");
        if (!*record)
            break;
        require(reader->offset() + 16 + (*record)->size() <= file.size(), "a record beyond the file's end");
        read += 16 + (*record)->size();
        if (const auto event = readEvent(**record)) {
            ++taken;
            for (const Scalar& scalar : event->scalars)
                require(!scalar.tag.empty() && scalar.tag.size() <= (*record)->size(), "a scalar without a tag");
        }
    }
    require(read <= file.size(), "more records than the file has");
    require(!reader->damage() || (!reader->damage()->what.empty() && reader->damage()->offset <= file.size()),
            "damaged, but it is not said how");
    const auto head = readHead(path);
    require(head ? head->realtimeNs >= 0 : !head.error().what.empty(), "begun before there were computers");
}

RANKSCOPE_FUZZ_TARGET(events)

} // namespace rankscope::fuzz
