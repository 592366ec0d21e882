// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/leave_request_text.h"

#include "core/base/text/terminal_safe.h"
#include "core/base/text/untrusted_json.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <fmt/format.h>

namespace rankscope::diagnosis {

namespace {

using Sender = telemetry::LeaveRequest::Sender;

constexpr std::string_view kByKernel = "kernel", kByTimer = "timer", kByProcess = "process";

std::string_view senderName(Sender sender) {
    return sender == Sender::Process ? kByProcess : sender == Sender::Timer ? kByTimer : kByKernel;
}

/// The kernel tells of used-up CPU time, and in the name of a terminal.
std::string kernelText(const std::string& signal, bool zh) {
    if (signal == "SIGXCPU")
        return zh ? "内核（CPU 时间已用完）" : "the kernel, because its CPU time is used up";
    if (signal == "SIGHUP" || signal == "SIGINT")
        return zh ? "终端" : "its terminal";
    if (signal == "SIGALRM")
        return zh ? "定时器" : "a timer";
    return zh ? "内核" : "the kernel";
}

std::string processText(const nlohmann::json& evidence, bool zh) {
    const std::int64_t pid = integerIn(evidence, "sender_pid");
    if (pid <= 0)
        return zh ? "本容器之外的进程" : "a process outside this container";
    std::string user = textIn(evidence, "sender_user");
    if (user.empty())
        user = fmt::format("{}", integerIn(evidence, "sender_uid"));
    const std::string program = textIn(evidence, "sender_program");
    if (program.empty())
        return zh ? fmt::format("进程 {}（用户 {}）", pid, user) : fmt::format("process {} of {}", pid, user);
    return zh ? fmt::format("{}（进程 {}，用户 {}）", program, pid, user)
              : fmt::format("{} (process {} of {})", program, pid, user);
}

} // namespace

nlohmann::json requestEvidence(const ProcessView& process) {
    const telemetry::LeaveRequest& asked = process.asked;
    nlohmann::json evidence = {{"signal_name", signalName(asked.signal)}, {"sender", senderName(asked.sender)}};
    if (asked.sender != Sender::Process)
        return evidence;
    evidence["sender_pid"] = asked.pid;
    evidence["sender_uid"] = asked.user;
    if (!process.askedBy.empty())
        evidence["sender_user"] = printableLine(process.askedBy);
    if (const auto program = asked.programName(); !program.empty())
        evidence["sender_program"] = printableLine(program);
    return evidence;
}

std::string senderText(const nlohmann::json& evidence, Language language) {
    const bool zh = language == Language::Chinese;
    const std::string sender = textIn(evidence, "sender");
    if (sender == kByProcess)
        return processText(evidence, zh);
    return sender == kByTimer ? zh ? "定时器" : "a timer" : kernelText(textIn(evidence, "signal_name"), zh);
}

} // namespace rankscope::diagnosis
