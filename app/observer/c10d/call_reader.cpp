// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/call_reader.h"

#include <array>
#include <string_view>

namespace rankscope::observer {
namespace {

using telemetry::CollectiveOp;

struct NamedCall {
    std::string_view prefix;
    CollectiveOp op;
};

/// The first match counts.
constexpr std::array kCalls{
    NamedCall{"allreduce", CollectiveOp::AllReduce}, NamedCall{"allgather", CollectiveOp::AllGather},
    NamedCall{"broadcast", CollectiveOp::Broadcast}, NamedCall{"reduce_scatter", CollectiveOp::ReduceScatter},
    NamedCall{"reduce", CollectiveOp::Reduce},       NamedCall{"gather", CollectiveOp::Gather},
    NamedCall{"scatter", CollectiveOp::Scatter},     NamedCall{"alltoall", CollectiveOp::AllToAll},
    NamedCall{"barrier", CollectiveOp::Barrier},     NamedCall{"monitored_barrier", CollectiveOp::Barrier},
    NamedCall{"send", CollectiveOp::Send},           NamedCall{"recv", CollectiveOp::Recv},
};

CollectiveOp opOf(std::string_view name) {
    name.remove_prefix(name.find("::") + 2);
    if (name.starts_with('_'))
        name.remove_prefix(1);
    for (const NamedCall& call : kCalls)
        if (name.starts_with(call.prefix))
            return call.op;
    return CollectiveOp::Other;
}

bool carriesPayload(const std::string& argument, CollectiveOp op) {
    return argument.starts_with("tensor") || argument.starts_with(op == CollectiveOp::Scatter ? "output" : "input");
}

/// Adds a tensor, or a list of tensors or lists.
void addTensors(const c10::IValue& value, CallFacts& facts) {
    if (value.isList())
        for (const c10::IValue& element : value.toListRef())
            addTensors(element, facts);
    else if (value.isTensor())
        facts.add(value.toTensor());
}

} // namespace

std::optional<CallReader> CallReader::of(const c10::FunctionSchema& schema) {
    CallReader reader;
    std::optional<std::size_t> group;
    reader.m_op = opOf(schema.name());
    reader.m_arguments = schema.arguments().size();
    reader.m_returnsWork = !schema.returns().empty();
    for (std::size_t i = 0; i < reader.m_arguments; ++i) {
        const std::string& name = schema.arguments()[i].name();
        if (name == "process_group")
            group = i;
        else if (name == "async_op" || name == "asyncOp")
            reader.m_async = i;
        else if (!reader.m_payload && reader.m_op != CollectiveOp::Barrier && carriesPayload(name, reader.m_op))
            reader.m_payload = i;
    }
    if (!group)
        return std::nullopt;
    reader.m_group = *group;
    return reader;
}

CallFacts CallReader::read(const torch::jit::Stack& stack) const {
    CallFacts facts;
    facts.group = argument(stack, m_group).toCustomClass<c10d::ProcessGroup>().get(); // the stack keeps it
    if (m_payload)
        addTensors(argument(stack, *m_payload), facts);
    if (m_async)
        facts.async = argument(stack, *m_async).toBool();
    return facts;
}

} // namespace rankscope::observer
