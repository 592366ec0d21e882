// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/leave_sender.h"

#include "core/base/text/terminal_safe.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <string>
#include <string_view>

namespace rankscope::diagnosis {

namespace {

constexpr std::string_view kByKernel = "kernel", kByTimer = "timer", kByProcess = "process";

std::string_view senderName(telemetry::LeaveRequest::Sender sender) {
    return sender == telemetry::LeaveRequest::Sender::Process ? kByProcess
           : sender == telemetry::LeaveRequest::Sender::Timer ? kByTimer
                                                              : kByKernel;
}

/// Returns the kernel as sender, with its reason: used-up CPU time, the terminal, or a timer.
Message kernelText(const std::string& signal) {
    if (signal == "SIGXCPU")
        return "the kernel, because its CPU time is used up";
    if (signal == "SIGHUP" || signal == "SIGINT")
        return "its terminal";
    return signal == "SIGALRM" ? Message("a timer") : Message("the kernel");
}

Message processText(const Evidence& evidence) {
    const std::int64_t pid = evidence.senderPid.value_or(0);
    if (pid <= 0)
        return "a process outside this container";
    std::string user = evidence.senderUser.value_or("");
    if (user.empty())
        user = std::to_string(evidence.senderUid.value_or(0));
    const std::string program = evidence.senderProgram.value_or("");
    return program.empty() ? Message("process {} of {}", pid, user)
                           : Message("{} (process {} of {})", program, pid, user);
}

} // namespace

Evidence leaveEvidence(const ProcessView& process) {
    const telemetry::LeaveRequest& asked = process.asked;
    Evidence evidence;
    evidence.signalName = signalName(asked.signal);
    evidence.sender = senderName(asked.sender);
    if (asked.sender != telemetry::LeaveRequest::Sender::Process)
        return evidence;
    evidence.senderPid = asked.pid;
    evidence.senderUid = asked.user;
    if (!process.askedBy.empty())
        evidence.senderUser = printableLine(process.askedBy);
    if (const auto program = asked.programName(); !program.empty())
        evidence.senderProgram = printableLine(program);
    return evidence;
}

Message leaveSenderText(const Evidence& evidence) {
    if (evidence.sender == kByProcess)
        return processText(evidence);
    return evidence.sender == kByTimer ? Message("a timer") : kernelText(evidence.signalName.value_or(""));
}

} // namespace rankscope::diagnosis
