// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/typed_kernels.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <tuple>
#include <utility>
#include <vector>

namespace rankscope::observer {
namespace {

using Group = const c10::intrusive_ptr<c10d::ProcessGroup>&;
using Reduction = const c10::intrusive_ptr<c10d::ReduceOp>&;
using WorkOfMany = std::tuple<std::vector<at::Tensor>, c10::intrusive_ptr<c10d::Work>>;
using WorkOfOne = std::tuple<at::Tensor, c10::intrusive_ptr<c10d::Work>>;

// Signatures of PyTorch 2.6 to 2.15. An operator with another one gets an ObservingKernel.
using AllReduce = WorkOfMany(at::TensorList, Group, Reduction, const std::optional<at::Tensor>&, bool, std::int64_t);
using AllReduceBefore28 = WorkOfMany(at::TensorList, Group, Reduction, const std::optional<at::Tensor>&, std::int64_t);
using Broadcast = WorkOfMany(at::TensorList, Group, std::int64_t, std::int64_t, bool, std::int64_t);
using AllGather = WorkOfOne(at::Tensor&, at::Tensor&, Group, bool, std::int64_t);
using ReduceScatter = WorkOfOne(at::Tensor&, at::Tensor&, Group, Reduction, bool, std::int64_t);

// One argument after the other; those that do not matter are ignored.
template <class T> void take(CallFacts&, const T&) {}
void take(CallFacts& call, Group group) {
    call.group = group.get();
}
void take(CallFacts& call, bool async) {
    call.async = async;
}
void take(CallFacts& call, at::TensorList tensors) {
    for (const at::Tensor& tensor : tensors)
        call.add(tensor);
}
void take(CallFacts& call, const at::Tensor& tensor) { // the input comes after the output
    call.forgetPayload();
    call.add(tensor);
}

template <class Signature> class TypedKernel;

template <class Result, class... Arguments> class TypedKernel<Result(Arguments...)> {
public:
    static bool install(torch::Library& library, const c10::OperatorHandle& op, telemetry::CollectiveOp kind,
                        KernelState& state) {
        try {
            s_op.emplace(op.typed<Result(Arguments...)>());
            s_observer = new CallObserver(kind, state);
            library.impl(op.operator_name().name.c_str(), &TypedKernel::call);
            return true;
        } catch (const c10::Error&) {
            return false;
        }
    }

private:
    static Result call(c10::DispatchKeySet keys, Arguments... arguments) {
        const std::uint64_t handle = s_observer->enter([&] {
            CallFacts call;
            (take(call, arguments), ...);
            return call;
        });
        if (handle == 0)
            return s_op->redispatch(keys & kBelow, std::forward<Arguments>(arguments)...);
        try {
            Result result = s_op->redispatch(keys & kBelow, std::forward<Arguments>(arguments)...);
            s_observer->follow(std::get<1>(result), handle); // never throws
            return result;
        } catch (...) {
            s_observer->refused(handle);
            throw;
        }
    }

    // of the one operator with this signature; never freed
    static inline std::optional<c10::TypedOperatorHandle<Result(Arguments...)>> s_op;
    static inline CallObserver* s_observer = nullptr;
};

} // namespace

bool registerTyped(torch::Library& library, const c10::OperatorHandle& op, KernelState& state) {
    using telemetry::CollectiveOp;
    const std::string& name = op.operator_name().name;
    if (name == "c10d::allreduce_")
        return TypedKernel<AllReduce>::install(library, op, CollectiveOp::AllReduce, state) ||
               TypedKernel<AllReduceBefore28>::install(library, op, CollectiveOp::AllReduce, state);
    if (name == "c10d::broadcast_")
        return TypedKernel<Broadcast>::install(library, op, CollectiveOp::Broadcast, state);
    if (name == "c10d::_allgather_base_")
        return TypedKernel<AllGather>::install(library, op, CollectiveOp::AllGather, state);
    if (name == "c10d::_reduce_scatter_base_")
        return TypedKernel<ReduceScatter>::install(library, op, CollectiveOp::ReduceScatter, state);
    return false;
}

} // namespace rankscope::observer
