// SPDX-License-Identifier: Apache-2.0
// Builds the one line about an incident. English and Chinese are next to each other, so that neither is forgotten when
// the other changes.
#include "core/diagnosis/evidence/incident_sentence.h"

#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/saturating.h"
#include "core/diagnosis/evidence/not_finite.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/stalls/pause_scan.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>

namespace rankscope::diagnosis {

namespace {

/// Returns a figure in seconds as ns, clamped, since a store may contain any value.
std::int64_t nanosecondsIn(const nlohmann::json& evidence, const char* key) {
    constexpr double kMost = 1e18;
    const double ns = numberIn(evidence, key) * 1e9;
    return static_cast<std::int64_t>(std::isfinite(ns) ? std::clamp(ns, -kMost, kMost) : 0);
}

struct Speaker {
    const Incident& in;
    std::int64_t lastedNs;
    bool zh;

    std::string ranks(const std::vector<int>& r) const {
        if (r.size() > 8)
            return zh ? fmt::format("{} 个 rank", r.size()) : fmt::format("{} ranks", r.size());
        std::string list;
        for (const int v : r)
            list += (list.empty() ? "" : zh ? "、" : ", ") + std::to_string(v);
        return (zh || r.size() == 1 ? "rank " : "ranks ") + list;
    }
    std::string holders() const { return capital(ranks(in.holders)); }
    /// Capitalizes the first word of an English sentence; Chinese has no case.
    std::string capital(std::string s) const {
        if (!zh && !s.empty() && s[0] >= 'a' && s[0] <= 'z')
            s[0] = static_cast<char>(s[0] - 'a' + 'A');
        return s;
    }
    std::string lasted() const { return duration(lastedNs); }
    std::string duration(std::int64_t ns) const {
        std::string s = formatDuration(ns);
        if (zh && s.size() > 2 && s.ends_with(" s"))
            s.replace(s.size() - 1, 1, "秒");
        return s;
    }
    std::string fact(const char* key) const {
        const auto it = in.evidence.find(key);
        if (it == in.evidence.end() || it->is_null())
            return {};
        return it->is_string() ? it->get<std::string>() : shownJson(*it);
    }
    double number(const char* key) const { return numberIn(in.evidence, key); }
    std::int64_t nanoseconds(const char* key) const { return nanosecondsIn(in.evidence, key); }
    std::string collective() const {
        const auto op = telemetry::opName(in.collective.op);
        return fmt::format("{} {}{}{}{}", op, in.collective.sequence, zh ? "（" : " (", in.collective.tag,
                           zh ? "）" : ")");
    }
    bool waits() const { return !in.waiters.empty() && in.collective.known; }
    bool over() const { return in.closed != CloseReason::Open || in.closedNs != 0; }
    bool oneHolder() const { return in.holders.size() == 1; }
    /// The verb of the holders: "is", "was", "are", "were".
    const char* be() const { return oneHolder() ? (over() ? "was" : "is") : over() ? "were" : "are"; }
    const char* have() const { return over() ? "had" : oneHolder() ? "has" : "have"; }
    /// "has been" while the incident is open, "was" once it is over.
    const char* haveBeen() const { return over() ? be() : oneHolder() ? "has been" : "have been"; }
    /// "rank 0 waits in all-reduce 512 (sync_max_audio_length), "; several are "they" if that is unambiguous.
    std::string where() const {
        if (!waits() || in.straggler)
            return {};
        if (zh)
            return fmt::format("{} {}在 {}中等待，", ranks(in.waiters), over() ? "当时" : "", collective());
        const bool one = in.waiters.size() == 1;
        const char* verb = over() ? "waited" : one ? "waits" : "wait";
        return fmt::format("{} {} in {}, ", one || !oneHolder() ? ranks(in.waiters) : "they", verb, collective());
    }
    /// "Rank 1 has held up rank 0 for 3.2 s"
    std::string opening() const {
        if (flagIn(in.evidence, "no_step"))
            return zh ? fmt::format("训练开始 {} 后仍未完成一步", lasted())
                      : fmt::format("No step was finished in {}", lasted());
        const std::string held = over() ? "held up" : fmt::format("{} held up", have());
        if (in.straggler) {
            const auto steps = fact("window_steps");
            return zh ? fmt::format("{} {}反复拖住 {}：最近 {} 步共 {}", holders(), over() ? "曾" : "",
                                    ranks(in.waiters), steps, lasted())
                      : fmt::format("{} {} {} again and again: {} in the last {} steps", holders(), held,
                                    ranks(in.waiters), lasted(), steps);
        }
        if (in.waiters.empty())
            return zh       ? fmt::format("{} {} {} 没有进展", holders(), over() ? "曾有" : "已", lasted())
                   : over() ? fmt::format("{} made no progress for {}", holders(), lasted())
                            : fmt::format("{} {} made no progress for {}", holders(), have(), lasted());
        return zh ? fmt::format("{} {}拖住 {} {}{}", holders(), over() ? "曾" : "", ranks(in.waiters),
                                over() ? "达 " : "已 ", lasted())
                  : fmt::format("{} {} {} for {}", holders(), held, ranks(in.waiters), lasted());
    }
    /// Returns whether the cause concerns the run as a whole: why() is then a separate sentence and names no acting
    /// rank.
    bool tellsOfAll() const {
        return in.straggler || in.cause == Cause::MismatchedCollective ||
               (in.cause == Cause::InsideCollective && in.waiters.empty());
    }
    std::string text() const;
    /// "rank 1 is still reading utt_0412.flac (3.4 s)."
    std::string why() const;
    std::string whyAgain() const; ///< of a straggler
    std::string lateness() const; ///< of a straggler, where it is measured
    std::string quota() const;    ///< the CPU quota that holds it back
    std::string place() const;
    std::string dead() const;
    std::string neverJoined() const;
    std::string askedToLeave() const;
    std::string notFinite() const;
    std::string paused() const;
    std::string written() const; ///< of a checkpoint, where it is measured
};

std::string Speaker::written() const {
    if (!in.evidence.contains("written_bytes"))
        return {};
    const std::string size = formatBytes(truncated(number("written_bytes"))),
                      rate = formatBytes(truncated(number("write_rate_bytes")));
    return zh ? fmt::format("，已写 {}，{}/秒", size, rate) : fmt::format(", {} so far at {}/s", size, rate);
}

std::string Speaker::place() const {
    const std::string name = fact("place");
    if (name.empty() || name == "none")
        return {};
    const std::string layer = fact("layer");
    const bool hasLayer = name == "layer" && !layer.empty() && layer != "-1";
    return zh ? fmt::format("（{}{}）", hasLayer ? "第 " + layer + " 层" : name, "")
              : fmt::format(" ({}{})", name, hasLayer ? " " + layer : "");
}

std::string Speaker::dead() const {
    const std::string signal = fact("signal_name");
    const std::string code = fact("exit_code");
    const bool oom = flagIn(in.evidence, "out_of_memory"), diskFull = flagIn(in.evidence, "disk_full");
    std::string how;
    if (diskFull)
        how = zh ? "因磁盘或配额已满而终止" : "ended because the disk or quota is full,";
    else if (!signal.empty())
        how = zh ? fmt::format("被 {} 终止", signal) : fmt::format("was ended by {}", signal);
    else if (!code.empty())
        how = zh ? fmt::format("以退出码 {} 退出", code) : fmt::format("exited with code {}", code);
    else // unknown how: it is not in the process table, and its parent did not report it
        how = zh ? "消失（退出状态未知）" : "is gone, nobody saw how it ended,";
    if (oom)
        how += zh ? "（内存不足）" : " (out of memory)";
    if (in.step < 0)
        return zh ? fmt::format("{} 在第一步之前{}。", holders(), how)
                  : fmt::format("{} {} before its first step.", holders(), how);
    const bool known = in.phase != telemetry::Phase::None; // a rank has none between two steps or at its end
    const std::string phase(telemetry::phaseName(in.phase));
    if (zh)
        return fmt::format("{} 在第 {} 步{}{}。", holders(), in.step, known ? fmt::format("的 {} 阶段", phase) : "",
                           how);
    return fmt::format("{} {} at step {}{}.", holders(), how, in.step, known ? ", in " + phase : "");
}

std::string Speaker::whyAgain() const {
    const std::string phase(telemetry::phaseName(in.phase));
    if (in.cause == Cause::LongBatch) {
        const auto share = fmt::format("{:.0f}", 100 * number("longest_batch_share"));
        return zh ? fmt::format("其中 {}% 的步里它的批次最长（平均 {} 帧，其他 rank {} 帧）。", share,
                                fact("holder_longest_frames"), fact("others_longest_frames"))
                  : fmt::format("Its batch was the longest in {} % of them ({} frames on average, the others {}).",
                                share, fact("holder_longest_frames"), fact("others_longest_frames"));
    }
    return zh ? fmt::format("它的 {} 阶段比其他 rank 更久。", phase)
              : fmt::format("Its {} {} longer than that of the others.", phase, over() ? "took" : "takes");
}

std::string Speaker::lateness() const {
    const std::string last = fact("last_in_steps");
    const std::int64_t late = nanoseconds("late_step_s");
    if (last.empty() || late <= 0)
        return {};
    return zh ? fmt::format("其中 {} 步它最后到达，平均每步比其他 rank 多用 {}。", last, duration(late))
              : fmt::format("It came last in {} of them and took {} a step more than the others. ", last,
                            duration(late));
}

std::string Speaker::quota() const {
    constexpr double kTold = 0.1; // of the periods
    const double processors = number("cpu_quota"), share = number("cpu_throttled_share");
    if (in.cause != Cause::SlowCompute || processors <= 0 || share <= kTold)
        return {};
    const auto percent = fmt::format("{:.0f}", 100 * std::min(share, 1.0));
    return zh ? fmt::format("它所在的 cgroup 只有 {:.3g} 核 CPU，{}% 的调度周期都被限流。", processors, percent)
              : fmt::format(" Its control group allows it {:.3g} {} and held it back in {} % of the periods.",
                            processors,
                            processors < 1    ? "of a processor"
                            : processors == 1 ? "processor"
                                              : "processors",
                            percent);
}

std::string Speaker::why() const {
    if (in.straggler)
        return whyAgain();
    const std::string who = oneHolder() ? ranks(in.holders) : (zh ? "这些 rank" : "they");
    const std::string now = over() ? "当时" : "", still = over() ? "当时在" : "仍在"; // used in the Chinese text
    const std::string phase(telemetry::phaseName(in.phase));
    const auto inPhase = nanoseconds("holder_phase_s");
    const std::string phaseTime = duration(inPhase > 0 ? inPhase : lastedNs);
    switch (in.cause) {
    case Cause::DataLoading: {
        const std::string file = fact("reading");
        if (!file.empty()) {
            const std::string since = duration(nanoseconds("reading_s"));
            return zh ? fmt::format("{} {}读取 {}（{}）。", who, still, file, since)
                      : fmt::format("{} {} {}reading {} ({}).", who, be(), over() ? "" : "still ", file, since);
        }
        return zh ? fmt::format("{} {}在 {} 阶段等待数据加载器（{}）。", who, now, phase, phaseTime)
                  : fmt::format("{} {} waiting for {} for {} ({}).", who, haveBeen(),
                                oneHolder() ? "its data loader" : "their data loaders", phaseTime, phase);
    }
    case Cause::LongBatch:
        return zh ? fmt::format("{0} 的批次最长 {1} 帧，其他 rank 最长 {2} 帧；{0} {3} {4}{5}。", who,
                                fact("holder_longest_frames"), fact("others_longest_frames"), still, phase, place())
                  : fmt::format("{} {} a batch of up to {} frames, the others at most {}; {} in {}{}.", who, have(),
                                fact("holder_longest_frames"), fact("others_longest_frames"),
                                over() ? fmt::format("it {}", be()) : "still", phase, place());
    case Cause::Stopped:
        return zh ? fmt::format("{} {}被 {} 暂停。", who, now, fact("signal_name"))
                  : fmt::format("{} {} stopped by {}.", who, be(), fact("signal_name"));
    case Cause::UnevenBatches:
        return zh ? fmt::format("{} 的批次已用完，其他 rank 已进入第 {} 步。", who, in.step)
                  : fmt::format("{} ran out of batches while the others entered step {}.", who, in.step);
    case Cause::Checkpoint:
        return zh ? fmt::format("{} {}写检查点（{}）{}。", who, over() ? "当时在" : "正在", phaseTime, written())
                  : fmt::format("{} {} writing a checkpoint for {}{}.", who, haveBeen(), phaseTime, written());
    case Cause::MismatchedCollective:
        return zh ? fmt::format("各 rank 在同一序号进入了不同的集合通信：{}。", fact("mismatch"))
                  : fmt::format("The ranks entered different collectives at the same place: {}.", fact("mismatch"));
    case Cause::InsideCollective:
        return in.waiters.empty() ? (zh ? fmt::format("所有 rank 都已进入 {}，但没有一个完成。", collective())
                                        : fmt::format("All ranks entered {} and none left.", collective()))
               : in.evidence.contains("handed_over")
                   ? (zh ? fmt::format("{} 也已进入，但没有把它交给传输层{}。", who, place())
                         : fmt::format("{} {} entered it, too, but not handed it to the transport{}.", who, have(),
                                       place()))
                   : (zh ? fmt::format("{} 已进入一个集合通信，但没有返回{}。", who, place())
                         : fmt::format("{} {} entered a collective and not left it{}.", who, have(), place()));
    case Cause::Preprocessing:
    case Cause::SlowCompute:
    default:
        return zh ? fmt::format("{} {}处于 {}{} 已 {}。", who, now, phase, place(), phaseTime)
                  : fmt::format("{} {} in {}{} for {}.", who, haveBeen(), phase, place(), phaseTime);
    }
}

/// Returns which rank held up which and why, for every cause that has no wording of its own.
std::string Speaker::text() const {
    std::string text = opening();
    if (tellsOfAll())
        return text + (zh ? "。" : ". ") + (in.straggler ? lateness() : std::string()) + capital(why()) + quota();
    return text + (zh ? "：" : ": ") + where() + why() + quota();
}

std::string Speaker::neverJoined() const {
    const std::string code = fact("exit_code");
    if (!code.empty())
        return zh ? fmt::format("{} 没有加入进程组：以退出码 {} 退出。", holders(), code)
                  : fmt::format("{} did not join the process group: exited with code {}.", holders(), code);
    return zh ? fmt::format("{} 在 {} 内没有加入进程组。", holders(), lasted())
              : fmt::format("{} did not join the process group within {}.", holders(), lasted());
}

std::string Speaker::askedToLeave() const {
    const std::string signal = fact("signal_name");
    const std::string from = senderText(in.evidence, zh ? Language::Chinese : Language::English);
    const std::string at = in.step < 0 ? (zh ? "在第一步之前" : " before the first step")
                           : zh        ? fmt::format("在第 {} 步", in.step)
                                       : fmt::format(" at step {}", in.step);
    return zh ? fmt::format("{} {}收到 {}发来的 {}；所有 rank {}跑完同一步后一起退出。", holders(), at, from, signal,
                            over() ? "已在" : "")
              : fmt::format("{} {} asked to leave by {} from {}{}; all ranks {} after the same step.", holders(),
                            oneHolder() ? "was" : "were", signal, from, at, over() ? "left" : "leave");
}

/// Returns first what it means for the run, then how it began.
std::string Speaker::notFinite() const {
    std::string text;
    if (staysNotFinite(in)) {
        const std::string last = fact("last_step");
        if (over())
            text = zh ? fmt::format("从第 {} 步到第 {} 步损失一直是 NaN。", in.step, last)
                      : fmt::format("The loss was NaN from step {} to step {}. ", in.step, last);
        else
            text = zh ? fmt::format("从第 {} 步起损失一直是 NaN，请停止任务。", in.step)
                      : fmt::format("The loss has been NaN since step {}; stop the run. ", in.step);
    }
    if (in.cause == Cause::EmptyBatch)
        return text + (zh ? fmt::format("{} 在第 {} 步的批次没有被掩码的帧，因此没有损失。", holders(), in.step)
                          : fmt::format("{} got a batch without a masked frame at step {}, so {} {} no loss.",
                                        holders(), in.step, oneHolder() ? "it" : "they", have()));
    const std::string tensor = fact("first_tensor");
    return text + (zh ? fmt::format("{} 在第 {} 步的{}出现 NaN/Inf{}。", holders(), in.step, fact("what_zh"),
                                    tensor.empty() ? "" : fmt::format("，首个张量：{}", tensor))
                      : fmt::format("{} {} a {} that {} not finite at step {}{}.", holders(), have(), fact("what"),
                                    over() ? "was" : "is", in.step,
                                    tensor.empty() ? "" : fmt::format("; first tensor: {}", tensor)));
}

std::string Speaker::paused() const {
    const std::string what = fact("paused"), time = lasted();
    if (what == kMachinePaused)
        return zh ? fmt::format("所有进程停了 {}：主机曾处于挂起状态。", time)
                  : fmt::format("Everything stood still for {}: the machine was suspended.", time);
    if (what == kRunPaused)
        return zh ? fmt::format("所有进程停了 {}：主控进程和所有 rank 都被外部暂停（SIGSTOP、冻结的容器或虚拟机）。",
                                time)
                  : fmt::format("Everything stood still for {}: the supervisor and all ranks were paused from outside "
                                "(by SIGSTOP, or with their container or virtual machine).",
                                time);
    const std::string signal = fact("signal_name");
    return zh ? fmt::format("所有 rank {}被外部用 {} 暂停{} {}。", over() ? "曾" : "", signal, over() ? "了" : "，已",
                            time)
              : fmt::format("All ranks {} stopped from outside by {} for {}.", over() ? "were" : "have been", signal,
                            time);
}

std::string special(const Speaker& s) {
    const Incident& in = s.in;
    switch (in.cause) {
    case Cause::Dead: {
        std::string text = s.dead();
        if (!in.waiters.empty() && in.collective.known)
            text += s.zh ? fmt::format("{} 在 {}中等待。", s.ranks(in.waiters), s.collective())
                         : fmt::format(" {} waited in {}.", s.capital(s.ranks(in.waiters)), s.collective());
        return text;
    }
    case Cause::NeverJoined:
        return s.neverJoined();
    case Cause::ConfigurationDiffers: {
        const std::string keys = s.fact("keys");
        if (!keys.empty())
            return s.zh ? fmt::format("{} 的配置与其他 rank 不同：{}。", s.holders(), keys)
                        : fmt::format("{} started with another configuration than the others: {}.", s.holders(), keys);
        return s.zh ? fmt::format("{} 的配置与其他 rank 不同。", s.holders())
                    : fmt::format("{} started with another configuration than the others.", s.holders());
    }
    case Cause::AskedToLeave:
        return s.askedToLeave();
    case Cause::NotFinite:
    case Cause::EmptyBatch:
        return s.notFinite();
    case Cause::Paused:
        return s.paused();
    default:
        return {};
    }
}

} // namespace

std::int64_t lastedNs(const Incident& in, std::int64_t nowNs) {
    const std::int64_t pausedNs = std::max<std::int64_t>(0, nanosecondsIn(in.evidence, "paused_s"));
    const std::int64_t openNs = std::max<std::int64_t>(0, (in.closedNs ? in.closedNs : nowNs) - in.openedNs);
    // the monotonic clock does not count a suspension
    return in.cause == Cause::Paused ? std::max(openNs, pausedNs) : std::max<std::int64_t>(0, openNs - pausedNs);
}

std::string sentence(const Incident& in, std::int64_t nowNs, Language language, bool withRemedy) {
    const auto heldNs = nanosecondsIn(in.evidence, "held_s");
    const Speaker s{in, in.straggler ? heldNs : lastedNs(in, nowNs), language == Language::Chinese};
    std::string text = special(s);
    if (text.empty())
        text = s.text();
    if (withRemedy && !in.remedy.text.empty()) {
        if (!in.remedy.key.empty()) {
            const std::string key = in.remedy.key.substr(in.remedy.key.rfind('.') + 1);
            text += s.zh ? fmt::format("建议将 {} 设为 {}。", key, in.remedy.value)
                         : fmt::format(" Try {}: {}.", key, in.remedy.value);
        } else {
            text += s.zh ? remedyText(in, language) + "。" : " " + in.remedy.text + ".";
        }
    }
    return text;
}

static double secondsOf(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

nlohmann::json toJson(const Incident& in, std::int64_t runStartNs) {
    nlohmann::json collective = nullptr;
    if (in.collective.known)
        collective = {{"tag", in.collective.tag},
                      {"op", telemetry::opName(in.collective.op)},
                      {"group", in.collective.group},
                      {"seq", in.collective.sequence}};
    nlohmann::json remedy = nullptr;
    if (!in.remedy.text.empty())
        remedy = {{"text", in.remedy.text}, {"key", in.remedy.key}, {"value", in.remedy.value}};
    return {{"id", in.id},
            {"cause", causeName(in.cause)},
            {"phase", telemetry::phaseName(in.phase)},
            {"holders", in.holders},
            {"waiters", in.waiters},
            {"collective", collective},
            {"step", in.step},
            {"straggler", in.straggler},
            {"opened_s", secondsOf(in.openedNs - runStartNs)},
            {"detected_after_s", secondsOf(in.detectedNs - in.openedNs)},
            {"closed_s", in.closedNs ? nlohmann::json(secondsOf(in.closedNs - runStartNs)) : nlohmann::json(nullptr)},
            {"closed", closeReasonName(in.closed)},
            {"remedy", remedy},
            {"sentence", sentence(in, in.closedNs ? in.closedNs : in.detectedNs)},
            {"evidence", in.evidence}};
}

namespace {

using Sender = telemetry::LeaveRequest::Sender;

constexpr std::string_view kByKernel = "kernel", kByTimer = "timer", kByProcess = "process";

std::string_view senderName(Sender sender) {
    return sender == Sender::Process ? kByProcess : sender == Sender::Timer ? kByTimer : kByKernel;
}

/// Returns the kernel as sender, with its reason: used-up CPU time, the terminal, or a timer.
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
