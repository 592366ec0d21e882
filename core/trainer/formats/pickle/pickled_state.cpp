// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/pickle/pickled_state.h"

#include "core/base/values/result.h"
#include "core/trainer/formats/pickle/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace rankscope::trainer {
namespace {

using pickle::PickleKind;
using pickle::Value;
using pickle::Values;
using PickleFailure = tl::unexpected<Message>;

const Value& at(const Values& values, pickle::Id id) {
    return values.all[id];
}

std::vector<std::int64_t> integers(const Values& values, pickle::Id tuple) {
    std::vector<std::int64_t> out;
    for (const auto id : at(values, tuple).items)
        out.push_back(at(values, id).integer);
    return out;
}

/// Returns the last element that the view touches, or none if it does not fit in 63 bits.
std::optional<std::int64_t> lastElement(const TensorSpec& t) {
    std::int64_t last = t.offset;
    for (std::size_t i = 0; i < t.shape.size(); ++i) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(t.shape[i] - 1, t.strides[i], &reach) || __builtin_add_overflow(last, reach, &last))
            return std::nullopt;
    }
    return last;
}

/// Returns what is wrong with the view, or empty.
Message problemOf(const TensorSpec& t) {
    if (t.shape.size() != t.strides.size())
        return {"{} sizes and {} strides", t.shape.size(), t.strides.size()};
    if (t.storage.elements < 0 || t.offset < 0 || t.offset > t.storage.elements)
        return {"it begins at element {} of {}", t.offset, t.storage.elements};
    std::int64_t elements = 1;
    bool empty = false, fits = true;
    for (std::size_t i = 0; i < t.shape.size(); ++i) {
        if (t.shape[i] < 0 || t.strides[i] < 0)
            return {"size {} with stride {}", t.shape[i], t.strides[i]};
        empty |= t.shape[i] == 0;
        fits &= !__builtin_mul_overflow(elements, std::max<std::int64_t>(t.shape[i], 1), &elements);
    }
    if (fits && empty)
        return {};
    if (!fits || elements > t.storage.elements)
        return {"it has more elements than its storage, {}", t.storage.elements};
    const auto last = lastElement(t);
    if (!last || *last >= t.storage.elements)
        return {"it reaches beyond its storage of {} elements", t.storage.elements};
    return {};
}

/// A name with control characters could send commands to a terminal.
bool hasControlCharacter(std::string_view name) {
    return std::any_of(name.begin(), name.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

tl::expected<TensorSpec, Message> tensorOf(const Values& values, pickle::Id key, pickle::Id item) {
    if (at(values, key).kind != PickleKind::Text)
        return PickleFailure("the state dict has a key that is not a string");
    TensorSpec t;
    t.name = at(values, key).text;
    if (hasControlCharacter(t.name))
        return PickleFailure("the state dict has a key with a control character");
    const Value& value = at(values, item);
    if (value.kind == PickleKind::Foreign)
        return PickleFailure(
            Message("entry {}: {}; remove it in Python and save the file again", t.name, values.refusal(value)));
    if (value.kind != PickleKind::Tensor)
        return PickleFailure(Message("entry {} is not a tensor", t.name));
    const Value& storage = at(values, value.items[0]);
    const auto classIndex = static_cast<std::size_t>(at(values, storage.items[0]).integer);
    t.storage = {std::string(at(values, storage.items[1]).text), pickle::globals()[classIndex].type,
                 at(values, storage.items[2]).integer};
    t.offset = at(values, value.items[1]).integer;
    t.shape = integers(values, value.items[2]);
    t.strides = integers(values, value.items[3]);
    if (Message problem = problemOf(t); !problem.empty())
        return PickleFailure(Message("tensor {}: {}", t.name, std::move(problem)));
    return t;
}

/// A Lightning checkpoint holds the state dict under this key; if a key is set twice, the last one counts, as in
/// Python.
const Value& stateDictOf(const Values& values) {
    const Value& top = at(values, values.top);
    for (std::size_t i = top.kind == PickleKind::Dict ? top.items.size() / 2 : 0; i-- > 0;) {
        const Value &key = at(values, top.items[2 * i]), &item = at(values, top.items[2 * i + 1]);
        if (key.kind == PickleKind::Text && key.text == "state_dict" && item.kind != PickleKind::Tensor)
            return item;
    }
    return top;
}

// --- writing

void putNumber(std::string& out, std::uint64_t n, int bytes) {
    for (int i = 0; i < bytes; ++i)
        out += static_cast<char>(n >> (8 * i) & 0xff);
}

void putInteger(std::string& out, std::int64_t n) {
    if (n >= 0 && n < 256) {
        out += 'K';
        putNumber(out, static_cast<std::uint64_t>(n), 1);
    } else if (n >= std::numeric_limits<std::int32_t>::min() && n <= std::numeric_limits<std::int32_t>::max()) {
        out += 'J';
        putNumber(out, static_cast<std::uint64_t>(n), 4);
    } else {
        out += "\x8a\x08"; // LONG1
        putNumber(out, static_cast<std::uint64_t>(n), 8);
    }
}

void putText(std::string& out, std::string_view text) {
    out += 'X';
    putNumber(out, text.size(), 4);
    out += text;
}

void putTuple(std::string& out, const std::vector<std::int64_t>& numbers) {
    out += '(';
    for (const std::int64_t n : numbers)
        putInteger(out, n);
    out += 't';
}

void putGlobal(std::string& out, std::string_view module, std::string_view name) {
    out += fmt::format("c{}\n{}\n", module, name);
}

void putEmptyOrderedDict(std::string& out) {
    putGlobal(out, "collections", "OrderedDict");
    out += ")R";
}

void putTensor(std::string& out, const TensorSpec& t) {
    putGlobal(out, "torch._utils", "_rebuild_tensor_v2");
    out += "((";
    putText(out, "storage");
    putGlobal(out, "torch", pickle::storageClass(t.storage.type).name);
    putText(out, t.storage.key);
    putText(out, "cpu");
    putInteger(out, t.storage.elements);
    out += "tQ"; // the storage
    putInteger(out, t.offset);
    putTuple(out, t.shape);
    putTuple(out, t.strides);
    out += '\x89';            // requires_grad
    putEmptyOrderedDict(out); // hooks
    out += "tR";
}

} // namespace

tl::expected<std::vector<TensorSpec>, Message> readPickledState(std::string_view bytes) {
    RS_TRY_ASSIGN(const auto values, pickle::run(bytes));
    const Value& dict = stateDictOf(values);
    if (dict.kind == PickleKind::Foreign)
        return PickleFailure(values.refusal(dict));
    if (dict.kind != PickleKind::Dict)
        return PickleFailure("it contains no dict of tensors");
    std::vector<TensorSpec> out;
    std::set<std::string_view> names;
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
        RS_TRY_ASSIGN(auto tensor, tensorOf(values, dict.items[i], dict.items[i + 1]));
        if (!names.insert(at(values, dict.items[i]).text).second)
            return PickleFailure(Message("tensor {} occurs twice", tensor.name));
        out.push_back(std::move(tensor));
    }
    return out;
}

std::string writePickledState(const std::vector<TensorSpec>& tensors) {
    std::string out("\x80\x02"); // protocol 2
    putEmptyOrderedDict(out);
    out += '(';
    for (const TensorSpec& t : tensors) {
        putText(out, t.name);
        putTensor(out, t);
    }
    out += "u.";
    return out;
}

} // namespace rankscope::trainer
