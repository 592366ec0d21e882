// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/remedy.h"

#include "core/base/text/untrusted_json.h"
#include "core/diagnosis/stalls/pause_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::diagnosis {

static Remedy advice(std::string text) {
    return {std::move(text), {}, {}};
}

static Remedy setting(std::string key, std::string value, std::string text) {
    return Remedy{std::move(text), std::move(key), std::move(value)};
}

constexpr std::string_view kCheckFile = "Check that file: ";

/// Returns whether the rank has read one file for most of its wait: more workers would not read it faster.
static bool isOneSlowFile(const Incident& in) {
    if (in.straggler || textIn(in.evidence, "reading").empty())
        return false;
    const double reading = numberIn(in.evidence, "reading_s");
    return reading > 0 && reading >= numberIn(in.evidence, "holder_phase_s") / 2;
}

static Remedy forSlowLoading(const Incident& in, const Settings& s) {
    if (isOneSlowFile(in))
        return advice(
            fmt::format("{}drop it from the manifest if it is broken, limit max_duration if it is long, or copy "
                        "the data to a local disk",
                        kCheckFile));
    const int workers = s.numWorkers <= 0 ? 4 : std::min(2 * s.numWorkers, 16);
    if (s.numWorkers >= 16)
        return advice("Loading is slower than training even with many workers: check the disk that holds the audio");
    return setting("model.train_ds.num_workers", std::to_string(workers),
                   fmt::format("Set num_workers to {}{}", workers,
                               s.numWorkers >= 0 ? fmt::format(" (now {})", s.numWorkers) : std::string()));
}

/// Suggests the longest duration of the other ranks, rounded up, as a limit: it would have excluded the batch.
static Remedy shorterBatches(const Incident& in, const Settings& s) {
    const double samples = numberIn(in.evidence, "others_longest_samples");
    if (!(samples > 0) || s.sampleRate <= 0)
        return advice("Limit max_duration, or bucket batches by duration");
    const int seconds = static_cast<int>(std::clamp(std::ceil(samples / s.sampleRate), 1.0, 1e6));
    return setting(
        "model.train_ds.max_duration", fmt::format("{}.0", seconds),
        fmt::format("Limit max_duration to {} s, as long as the other ranks' batches, or bucket by duration", seconds));
}

static Remedy equalShares(const Settings& s) {
    if (s.dropLast.value_or(false)) // it is already set
        return advice(
            "Give every rank as many batches: use_distributed_sampler, or tar files of equal size, as many as a "
            "multiple of the ranks");
    return setting("model.train_ds.drop_last", "true",
                   "Set drop_last to true so that every rank gets the same number of batches");
}

/// Returns the keys in which the ranks differ, if known.
static std::string differingKeys(const Incident& in) {
    const std::string keys = textIn(in.evidence, "keys");
    return keys.empty() ? textIn(in.evidence, "setting") : keys;
}

static Remedy sameSettings(const Incident& in) {
    const std::string keys = differingKeys(in);
    return advice(keys.empty() ? "Start every rank with the same configuration"
                               : fmt::format("Give {} the same value on every rank", keys));
}

static Remedy forSlowCompute(const Incident& in) {
    const auto number = [&](const char* key) { return numberIn(in.evidence, key, -1); };
    if (number("cpu_throttled_share") > 0.1) {
        const double quota = number("cpu_quota");
        return advice(quota > 0
                          ? fmt::format("Its control group's CPU quota of {:.3g} {} holds it back: raise cpu.max (in "
                                        "version 1 cpu.cfs_quota_us) or start fewer threads",
                                        quota, quota == 1 ? "processor" : "processors")
                          : "Its control group's CPU quota holds it back: raise the quota or start fewer threads");
    }
    if (number("swap_bytes") > 0 && number("major_faults_rate") > 100)
        return advice("It waits for swapped memory: lower batch_size or give the host more memory");
    if (const std::string why = textIn(in.evidence, "gpu_throttle"); !why.empty())
        return advice(fmt::format("Its GPU slows its clock ({}): check cooling and power", why));
    if (const double share = number("cpu_share"); share >= 0 && share < 0.5)
        return advice("It gets little CPU time: see what else runs on its cores");
    return {};
}

static std::string forRequest(const Incident& in, Language language) {
    const bool zh = language == Language::Chinese;
    if (textIn(in.evidence, "signal_name") == "SIGXCPU")
        return zh ? "提高 CPU 时间限制（ulimit -t），然后用 rankscopectl launch --resume 续训"
                  : "Raise the limit of CPU time (ulimit -t), then go on with rankscopectl launch --resume";
    if (textIn(in.evidence, "sender_program").find("oom") != std::string::npos)
        return zh ? "主机内存不足：降低 batch_size 或增加内存，然后用 rankscopectl launch --resume 续训"
                  : "The host ran short of memory: lower batch_size or give it more memory, then go on with "
                    "rankscopectl launch --resume";
    return zh ? "用 rankscopectl launch --resume 续训；要结束任务，请使用 rankscopectl stop 或向其主控进程发信号"
              : "Go on with rankscopectl launch --resume; to end a run, use rankscopectl stop or signal its supervisor";
}

/// Returns what to do after a rank's death, by how it ended.
static std::string forDeath(const Incident& in, Language language) {
    const bool zh = language == Language::Chinese;
    if (flagIn(in.evidence, "disk_full"))
        return zh ? "在该磁盘上腾出空间，或选择另一个任务根目录；有检查点时从检查点续训，否则重新启动"
                  : "Free some space on that disk, or choose another runs folder; then resume the run where it has a "
                    "checkpoint, else launch it again";
    if (flagIn(in.evidence, "out_of_memory"))
        return zh ? "降低 batch_size 或 max_duration，然后重新启动"
                  : "Lower batch_size or max_duration, then launch again";
    if (textIn(in.evidence, "signal_name") == "SIGKILL")
        return zh ? "SIGKILL 来自外部，不留任何信息：多半是内核因内存不足而终止了它，或是调度器、容器的限制，或是 kill "
                    "-9；内核日志会说明（dmesg -T）"
                  : "SIGKILL comes from outside and leaves no message: mostly from the kernel's out-of-memory killer, "
                    "a "
                    "limit of the scheduler or container, or kill -9. The kernel's log tells which (dmesg -T)";
    return zh ? "请看它日志的最后几行" : "See the last lines of its log";
}

/// Returns the message of a rank that rejected its recipe, a file or the machine; empty if none of the incident did.
static std::string refusal(const Incident& in) {
    constexpr std::string_view kProgram = "rankscope-trainer: ";
    constexpr std::int64_t kRefused = 2; ///< the exit code of such a trainer
    if (integerIn(in.evidence, "exit_code") != kRefused)
        return {};
    const std::string text = textIn(in.evidence, "last_lines");
    const auto at = text.rfind(kProgram);
    const auto from = at + kProgram.size();
    return at == std::string::npos ? "" : text.substr(from, text.find('\n', from) - from);
}

namespace {

/// Advice that does not depend on an incident's evidence.
struct Advice {
    Cause cause;
    const char *english, *chinese;
};
constexpr Advice kAdvice[] = {
    {Cause::NeverJoined, "See its log for the reason", "请在它的日志中查找原因"},
    {Cause::Preprocessing, "See the batch's lengths; very long audio takes the front end long",
     "查看该批次的长度；很长的音频会使前端变慢"},
    {Cause::NotFinite, "Lower optim.lr or check the batch named", "降低 optim.lr，或检查所指的批次"},
    {Cause::EmptyBatch, "Raise min_duration or model.masking.mask_prob",
     "提高 min_duration 或 model.masking.mask_prob"},
    {Cause::Checkpoint, "Save checkpoints less often or to a faster disk", "减少保存检查点的次数，或使用更快的磁盘"},
    {Cause::InsideCollective, "Check the network or NCCL; the stacks show where each rank waits",
     "检查网络或 NCCL；调用栈显示每个 rank 等在哪里"},
};

Advice usualAdvice(Cause cause) {
    const auto at = std::ranges::find(kAdvice, cause, &Advice::cause);
    return at == std::end(kAdvice) ? Advice{cause, "", ""} : *at;
}

} // namespace

Remedy remedyFor(const Incident& in, const Settings& s) {
    if (const std::string said = refusal(in); !said.empty())
        return advice(fmt::format("Correct what it refuses: {}", said));
    switch (in.cause) {
    case Cause::DataLoading:
        return forSlowLoading(in, s);
    case Cause::LongBatch:
        return shorterBatches(in, s);
    case Cause::UnevenBatches:
        return equalShares(s);
    case Cause::Stopped:
        return advice(fmt::format("Continue it with kill -CONT {}", integerIn(in.evidence, "pid")));
    case Cause::Paused:
        return textIn(in.evidence, "paused") == kRanksPaused
                   ? advice(fmt::format("Continue them with kill -CONT {}", textIn(in.evidence, "pids")))
                   : Remedy{};
    case Cause::Dead:
        return advice(forDeath(in, Language::English));
    case Cause::ConfigurationDiffers:
    case Cause::MismatchedCollective:
        return sameSettings(in);
    case Cause::SlowCompute:
        return forSlowCompute(in);
    case Cause::AskedToLeave:
        return advice(forRequest(in, Language::English));
    default:
        return advice(usualAdvice(in.cause).english);
    }
}

namespace {

std::string slowComputeInChinese(const Incident& in) {
    const std::string& english = in.remedy.text;
    if (english.starts_with("Its control group")) {
        const double quota = numberIn(in.evidence, "cpu_quota");
        return quota > 0 ? fmt::format("cgroup 的 CPU 配额（{:.3g} 核）限制了它：调高 cpu.max（cgroup v1 为 "
                                       "cpu.cfs_quota_us）或减少线程",
                                       quota)
                         : "cgroup 的 CPU 配额限制了它：调高配额或减少线程";
    }
    if (english.starts_with("It waits for swapped"))
        return "它在等待被换出的内存：降低 batch_size 或增加主机内存";
    if (english.starts_with("Its GPU"))
        return fmt::format("GPU 降频（{}）：检查散热和供电", textIn(in.evidence, "gpu_throttle"));
    return "它得到的 CPU 时间很少：看看它的核上还有什么在运行";
}

std::string settingsInChinese(const Incident& in) {
    const std::string keys = differingKeys(in);
    return keys.empty() ? "让所有 rank 使用相同的配置启动" : fmt::format("在所有 rank 上为 {} 设置相同的值", keys);
}

/// Translates the part in parentheses of "Set num_workers to 4 (now 2)"; the recorded remedy has that value only there.
std::string nowInChinese(const std::string& english) {
    static constexpr std::string_view kNow = " (now ";
    const auto at = english.rfind(kNow);
    if (at == std::string::npos || english.back() != ')')
        return {};
    const auto from = at + kNow.size();
    return fmt::format("（现为 {}）", english.substr(from, english.size() - 1 - from));
}

std::string inChinese(const Incident& in) {
    const Remedy& r = in.remedy;
    if (const std::string said = refusal(in); !said.empty())
        return fmt::format("改正它所拒绝的内容：{}", said);
    switch (in.cause) {
    case Cause::DataLoading:
        return r.text.starts_with(kCheckFile)
                   ? "检查该文件：若已损坏，从 manifest 中移除；若过长，限制 max_duration；或将数据复制到本地磁盘"
               : r.key.empty() ? "即使有许多 worker，加载仍比训练慢：检查存放音频的磁盘"
                               : fmt::format("将 num_workers 设为 {}{}", r.value, nowInChinese(r.text));
    case Cause::LongBatch:
        return r.key.empty()
                   ? "限制 max_duration，或按时长分桶"
                   : fmt::format("将 max_duration 限制为 {} 秒（与其他 rank 的批次一样长），或按时长分桶", r.value);
    case Cause::UnevenBatches:
        return r.key.empty() ? "让每个 rank 得到同样多的批次：启用 use_distributed_sampler，或使用大小相同、数量为 "
                               "rank 数整数倍的 tar 文件"
                             : "将 drop_last 设为 true，使每个 rank 得到相同数量的批次";
    case Cause::Stopped:
        return fmt::format("用 kill -CONT {} 让它继续", integerIn(in.evidence, "pid"));
    case Cause::Paused:
        return fmt::format("用 kill -CONT {} 让它们继续", textIn(in.evidence, "pids"));
    case Cause::Dead:
        return forDeath(in, Language::Chinese);
    case Cause::ConfigurationDiffers:
    case Cause::MismatchedCollective:
        return settingsInChinese(in);
    case Cause::SlowCompute:
        return slowComputeInChinese(in);
    case Cause::AskedToLeave:
        return forRequest(in, Language::Chinese);
    default:
        const std::string usual = usualAdvice(in.cause).chinese;
        return usual.empty() ? r.text : usual;
    }
}

} // namespace

std::string remedyText(const Incident& in, Language language) {
    return language == Language::English || in.remedy.text.empty() ? in.remedy.text : inChinese(in);
}

} // namespace rankscope::diagnosis
