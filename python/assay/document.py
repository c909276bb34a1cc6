# SPDX-License-Identifier: Apache-2.0
# Written by scripts/document_classes.py from docs/result.schema.json (`make docs`): change that, not this.
"""The result document as dataclasses, member by member (docs/result-format.md).

Units are in the names: ``_ns``, ``_hz``, ``_pct``, ``_bytes``, ``_j``, ``_w``, ``_c``, ``_s``. What is not known is ``None``, a list that
is absent is empty. ``from`` is ``from_``, since Python has that word.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Optional, Tuple, Union


@dataclass(frozen=True)
class Policy:
    """Of a gate against a revision: whose manifest decided, and what differs."""

    from_: str
    """Whose manifest decided."""

    reason: Optional[str] = None
    """Why the candidate's: `--policy candidate`, or the revision has none."""

    revision: Optional[str] = None
    """The baseline as named: `git:HEAD`."""

    changes: Tuple[PolicyChange, ...] = ()
    """Empty when both ask the same."""


@dataclass(frozen=True)
class PolicyChange:
    """A setting in which the manifests differ. What a manifest does not set is absent."""

    setting: str
    """Its name: `gate.regression_pct`."""

    baseline: Optional[str] = None
    """What the baseline's manifest sets."""

    candidate: Optional[str] = None
    """What the candidate's sets."""

    used: Optional[str] = None
    """The value that decided."""

    only_baseline: Tuple[str, ...] = ()
    """Problems of a suite that only the baseline has."""

    only_candidate: Tuple[str, ...] = ()
    """Problems of a suite that only the candidate has."""


@dataclass(frozen=True)
class Environment:
    """Where and how the run was made. What is not known is absent."""

    assay_version: Optional[str] = None
    """Version of assay."""

    host: Optional[str] = None
    """Name of the machine."""

    os: Optional[str] = None
    """Operating system."""

    device: Optional[str] = None
    """As asked for: `cpu`, `cuda:0`, `sim:steady`."""

    device_name: Optional[str] = None
    """Model of the device."""

    device_uuid: Optional[str] = None
    """Of a CPU: a hash of machine and model."""

    driver: Optional[str] = None
    """Of a CPU: the Linux kernel's release."""

    isa: Optional[str] = None
    """Instruction set: `avx512`, `sm_90`."""

    clock_policy: Optional[str] = None
    """`unlocked`, `base`, `max`, `1500 MHz`."""

    power_mode: Optional[str] = None
    """Power mode: `cool` or `sustained`."""

    cache_mode: Optional[str] = None
    """`cold`, `rotate` or `warm`."""

    threads: Optional[str] = None
    """Threads and where they run: `2 pinned: 0,1`."""

    lock: Optional[str] = None
    """What checks hold fixed: `tf32 off, deterministic`."""

    priority: Optional[str] = None
    """Of the timed processes: `nice -20`."""

    busy_limit: Optional[str] = None
    """What others might take of our processors: `5 %`."""

    metric: Optional[str] = None
    """What was measured of a launch: `call_time`, `instructions`, `matrix_instructions` or `dram_bytes`;
    absent: time."""

    thread_count: Optional[int] = None
    """Threads."""

    memory_bytes: Optional[int] = None
    """Memory of the device."""

    is_accelerator: Optional[bool] = None
    """The device is a GPU."""

    power_limit_w: Optional[float] = None
    """Enforced on a GPU."""

    ceilings: Tuple[Ceiling, ...] = ()
    """Measured ceilings of this device, driver, power limit and power mode."""

    ceiling_gflop_per_s: Optional[float] = None
    """Of every problem, where `ceilings` is absent."""

    ceiling_gb_per_s: Optional[float] = None
    """Of every problem, where `ceilings` is absent."""


@dataclass(frozen=True)
class Ceiling:
    """The highest rate measured of one kind."""

    name: str
    """What was measured: `bf16_matrix_gflop_per_s`, `read_gb_per_s`."""

    value: float
    """Measured, in the unit of the name."""

    power_mode: Optional[str] = None
    """Power mode that it holds in; absent: both."""

    clock_hz: Optional[float] = None
    """Clock of the multiprocessors meanwhile."""

    detail: Optional[str] = None
    """How."""

    measured_utc: Optional[str] = None
    """When."""


@dataclass(frozen=True)
class Sampling:
    """The settings of the measurement."""

    sample_count: Optional[int] = None
    """Samples of a side; with two sides pairs."""

    sample_count_noisy: Optional[int] = None
    """Where their CV exceeds 3 %; 0: as above."""

    sample_count_noisier: Optional[int] = None
    """Where it exceeds 5 %; 0: as above."""

    warmup_count: Optional[int] = None
    """Least launches before the samples."""

    until_pct: Optional[float] = None
    """Half width of the median's interval at which sampling stops; 0: none."""

    sample_time_ns: Optional[int] = None
    """Least length of a sample."""

    stabilize_ns: Optional[int] = None
    """Least time of stabilization."""

    case_budget_ns: Optional[int] = None
    """Sampling of one problem stops after this."""

    busy_pct: Optional[float] = None
    """What others might take of our processors; absent: no limit was given."""

    has_normal_priority: Optional[bool] = None
    """Timed processes ran as any other."""

    metric: Optional[str] = None
    """What was measured of a launch."""

    cache_mode: Optional[str] = None
    """State of the caches."""

    power_mode: Optional[str] = None
    """Power mode."""

    isolation: Optional[str] = None
    """Whether each kernel ran in a process of its own."""

    fresh_interpreter: Optional[bool] = None
    """Each kernel in Python had an interpreter that imported everything anew."""

    locked_clock_mhz: Optional[int] = None
    """The clock that the device was held at; absent: none."""


@dataclass(frozen=True)
class Side:
    """A kernel that was measured."""

    role: str
    """What it is here."""

    label: str
    """Its name in reports."""

    kernel: Optional[str] = None
    """Name in the manifest."""

    op: Optional[str] = None
    """Operator."""

    backend: Optional[str] = None
    """`cpu`, `cuda` or `sim`."""

    kernel_name: Optional[str] = None
    """Name inside the module."""

    version: Optional[str] = None
    """Version of the library behind a peer: of a plan the one asked for, of a result the one that ran."""

    config: Optional[str] = None
    """Values of its parameters: `BLOCK_M=64`."""

    revision: Optional[str] = None
    """Commit, or `dirty`."""

    module_path: Optional[str] = None
    """Its module; absent: linked in."""

    reproduce: Optional[str] = None
    """Options that name the side again: `--module /home/me/fa.so`."""

    tolerance: Optional[OwnTolerance] = None
    """The kernel's own tolerance; absent: that of the problem, else the operator's."""

    sim: Optional[SimKernel] = None
    """Script of a simulated kernel (simulation.md)."""

    python: Optional[str] = None
    """`module:function` of a kernel written in Python."""

    python_path: Optional[str] = None
    """The folder that it is imported from."""

    python_interpreter: Optional[str] = None
    """Its interpreter."""

    build: Optional[Build] = None
    """The compiler's report."""


@dataclass(frozen=True)
class OwnTolerance:
    """What the manifest asks in place of the operator's tolerance, and why."""

    why: str
    """The reason that the manifest gives."""

    atol: Optional[float] = None
    """Absolute tolerance; absent: the operator's."""

    rtol: Optional[float] = None
    """Relative tolerance; absent: the operator's."""

    min_pass: Optional[float] = None
    """Share of the elements that must pass; absent: the operator's."""

    max_error: Optional[float] = None
    """Most error of any element; absent: no limit."""

    is_two_x_off: Optional[bool] = None
    """The 2 x rule was left out."""


@dataclass(frozen=True)
class SimKernel:
    """The script of a simulated kernel, in place of a build."""

    name: str
    """Name."""

    base_us: Optional[float] = None
    """Time of one launch of any problem."""

    slower_pct: Optional[float] = None
    """Slower by this; negative: faster."""

    call_overhead_us: Optional[float] = None
    """Overhead of a single call; `gate.metric: call_time` shows it."""

    cv_pct: Optional[float] = None
    """Spread of the samples; absent: the device's."""

    slow_process_pct: Optional[float] = None
    """Slower by this in some of its processes."""

    slow_process_share_pct: Optional[float] = None
    """Share of those processes."""

    stamps_pct: Optional[float] = None
    """Per cent of the real time that its process reports."""

    slower_on: Optional[str] = None
    """The problem that is slower; absent: all."""

    unsupported_on: Optional[str] = None
    """The problem that it does not take; absent: none."""

    crash_at_launch: Optional[int] = None
    """Launch in a worker, counted from 1, that ends the process with a crash; 0: none."""

    hang_at_launch: Optional[int] = None
    """Launch that never returns; 0: none."""

    skips_work_at_launch: Optional[int] = None
    """From this launch on it does not write its outputs."""

    writes_inputs_at_launch: Optional[int] = None
    """From this launch on it writes an input."""

    ends_at_launch: Optional[int] = None
    """This launch ends the process with exit code 0."""

    answers_nonsense_at_launch: Optional[int] = None
    """From this launch on its process sends messages that are not valid."""


@dataclass(frozen=True)
class Build:
    """The compiler's report (building.md)."""

    compiler: Optional[str] = None
    """Name and version: `gcc 12.2.0`."""

    flags: Optional[str] = None
    """Its options."""

    code_hash: Optional[str] = None
    """Equal ones mean the same machine code. Of a simulated kernel: its script's."""

    source_hash: Optional[str] = None
    """Of a Python kernel's own files; with equal ones the imported code may differ."""

    module_hash: Optional[str] = None
    """Of the module's file."""

    log_tail: Optional[str] = None
    """End of the compiler's output."""

    code_bytes: Optional[int] = None
    """Machine code."""

    stack_bytes_max: Optional[int] = None
    """Largest stack frame."""

    registers: Optional[int] = None
    """Most registers a thread of any GPU kernel."""

    spill_bytes: Optional[int] = None
    """Largest spill of any GPU kernel."""

    shared_bytes: Optional[int] = None
    """Most shared memory of any GPU kernel."""

    matrix_instructions: Optional[int] = None
    """Matrix instructions in the PTX."""

    binary_bytes: Optional[int] = None
    """Of the module, as it is loaded."""

    targets: Optional[str] = None
    """GPU targets: `sm_80,sm_90a`."""

    entries: Optional[str] = None
    """Each GPU kernel's registers, spills, stack and shared memory, one a line."""

    matrix: Optional[str] = None
    """Matrix instructions by name: `sm_90a: 64 wgmma.mma_async`."""

    build_s: Optional[float] = None
    """How long its own commands took."""

    is_cached: Optional[bool] = None
    """Built by an earlier command."""

    is_from_ccache: Optional[bool] = None
    """ccache answered: no compiler ran."""


@dataclass(frozen=True)
class Decision:
    """Verdict, reasons and numbers, when the run decided something."""

    rule: Optional[str] = None
    """`classic`, `rounds`, `same_code` or `integrated`."""

    verdict: Optional[str] = None
    """Over all problems."""

    exit_code: Optional[int] = None
    """Of the program."""

    sentence: Optional[str] = None
    """One line for people."""

    doubt: Optional[str] = None
    """Why a change that is called may be none more often than promised; absent: as promised."""

    claim: Optional[str] = None
    """Of `--expect`, where it was judged: `improvement:s512`."""

    unmet: Optional[str] = None
    """Why that claim is not proved; absent: it is."""

    source: Optional[str] = None
    """Of what is held against the candidate: its kernel's file, as the repository names it."""

    source_line: Optional[int] = None
    """The first line of it that changed."""

    regression_pct: Optional[float] = None
    """Threshold of a regression."""

    improvement_pct: Optional[float] = None
    """Threshold of an improvement."""

    round_count: Optional[int] = None
    """Rounds."""

    geomean_speedup: Optional[float] = None
    """Geometric mean of baseline / candidate over the problems."""

    best_speedup: Optional[float] = None
    """The largest one."""

    worst_speedup: Optional[float] = None
    """The smallest one."""

    best_name: Optional[str] = None
    """Its problem."""

    worst_name: Optional[str] = None
    """Its problem."""

    counts: Dict[str, int] = field(default_factory=dict)
    """Problems by verdict."""

    cases: Tuple[DecisionCase, ...] = ()
    """One a problem."""

    ratchets: Tuple[DecisionRatchet, ...] = ()
    """Of a gate whose manifest sets `gate.ratchet`."""

    not_judged: Tuple[str, ...] = ()
    """Why a wrong candidate could have passed its check: an input of the declared operator that never
    matters, a tolerance that is too wide; absent: it could not, or nothing was checked."""

    notes: Tuple[str, ...] = ()
    """Further sentences: warnings, lifted guards, what was left out."""


@dataclass(frozen=True)
class DecisionCase:
    """The decision of one problem."""

    name: str
    """The problem's name."""

    short_name: Optional[str] = None
    """`s512`."""

    verdict: Optional[str] = None
    """Of this problem."""

    reason: Optional[str] = None
    """The rule's reason."""

    sentence: Optional[str] = None
    """Why, for people."""

    median_base_ns: Optional[float] = None
    """The baseline's median."""

    median_cand_ns: Optional[float] = None
    """The candidate's median."""

    change_pct: Optional[float] = None
    """Positive: the candidate is slower."""

    change_low_pct: Optional[float] = None
    """Lower end of its interval."""

    change_high_pct: Optional[float] = None
    """Upper end of its interval."""

    interval_level: Optional[float] = None
    """Level of that interval: 0.95."""

    base_low_ns: Optional[float] = None
    """Of the 95 % interval of the baseline's median."""

    base_high_ns: Optional[float] = None
    """Of the 95 % interval of the baseline's median."""

    cand_low_ns: Optional[float] = None
    """Of the 95 % interval of the candidate's median."""

    cand_high_ns: Optional[float] = None
    """Of the 95 % interval of the candidate's median."""

    cliffs_delta: Optional[float] = None
    """Classic rule: Cliff's delta."""

    u_statistic: Optional[float] = None
    """Classic rule: U of Mann and Whitney."""

    p_mann_whitney: Optional[float] = None
    """Classic rule: its p."""

    p_raw: Optional[float] = None
    """Rounds rule: two-sided p."""

    p_holm: Optional[float] = None
    """Rounds rule: p, adjusted over all problems (Holm)."""

    p_not_slower: Optional[float] = None
    """Rounds rule: one-sided p of a true change of the threshold or more."""

    hodges_lehmann_pct: Optional[float] = None
    """Hodges and Lehmann's estimate; a cross-check, decides nothing."""

    hl_low_pct: Optional[float] = None
    """Lower end of its interval."""

    hl_high_pct: Optional[float] = None
    """Upper end of its interval."""

    smallest_detectable_pct: Optional[float] = None
    """Smallest change found with 90 % power at this spread."""

    spread_pct: Optional[float] = None
    """100 times the standard deviation, between rounds, of the logarithm of the ratio of times."""

    round_count: Optional[int] = None
    """Rounds that count."""

    invalid_round_count: Optional[int] = None
    """Measurements that do not count."""

    base_count: Optional[int] = None
    """The baseline's samples."""

    cand_count: Optional[int] = None
    """The candidate's samples."""

    is_outlier_round: Optional[bool] = None
    """The cross-check disagrees."""

    accepted: Optional[str] = None
    """Of a regression that fails no gate: who takes it on, and why."""

    let_through: Optional[str] = None
    """Of a removed problem, or one without a decision, that fails no gate: what lets it through."""

    guard: Optional[str] = None
    """The guard that blocks the verdict."""

    source: Optional[str] = None
    """Of what is held against the candidate: its kernel's file, as the repository names it."""

    source_line: Optional[int] = None
    """The first line of it that changed."""

    unguarded_verdict: Optional[str] = None
    """What the rule alone says."""

    unguarded_reason: Optional[str] = None
    """Its reason."""


@dataclass(frozen=True)
class DecisionRatchet:
    """A figure of the compiler that `gate.ratchet` holds (deciding.md)."""

    outcome: str
    """`compiler_regression` fails the gate; `not_judged`: a side has no such figure; `accepted`: it grew,
    and somebody takes it on."""

    figure: Optional[str] = None
    """Which: `registers`, as in `gate.ratchet`."""

    baseline: Optional[float] = None
    """The baseline's figure."""

    candidate: Optional[float] = None
    """The candidate's."""

    unit: Optional[str] = None
    """Of both: `bytes`, `s`."""

    allowance: Optional[str] = None
    """By how much it may grow: `5 %`."""

    sentence: Optional[str] = None
    """The same for people."""

    source: Optional[str] = None
    """Of what is held against the candidate: its kernel's file, as the repository names it."""

    source_line: Optional[int] = None
    """The first line of it that changed."""


@dataclass(frozen=True)
class Explanation:
    """What moved between the sides (profiling.md); it decides nothing."""

    note: Optional[str] = None
    """Of all problems: why there is nothing to explain."""

    cases: Tuple[ExplanationCase, ...] = ()
    """The largest change first."""


@dataclass(frozen=True)
class ExplanationCase:
    """Why a problem takes another time."""

    problem: str
    """The problem's name."""

    short_name: Optional[str] = None
    """`s512`."""

    profiler: Optional[str] = None
    """Which one counted: `CUPTI`."""

    note: Optional[str] = None
    """Why nothing was counted, and what to do."""

    change_pct: Optional[float] = None
    """Of the time; positive: the candidate is slower."""

    causes: Tuple[ExplanationCause, ...] = ()
    """The largest share first."""

    moved: Tuple[ExplanationCause, ...] = ()
    """Other figures that moved, the largest change first."""


@dataclass(frozen=True)
class ExplanationCause:
    """What moved."""

    metric: Optional[str] = None
    """Of the profile (`bank_conflict_pct`), or of the build (`registers`)."""

    sentence: Optional[str] = None
    """What moved, for people."""

    look_at: Optional[str] = None
    """Where to look."""

    baseline: Optional[float] = None
    """The baseline's value."""

    candidate: Optional[float] = None
    """The candidate's."""

    change_pct: Optional[float] = None
    """From baseline to candidate; absent: from nothing."""

    share_pct: Optional[float] = None
    """Of the difference in time, at most; absent: cannot be said."""


@dataclass(frozen=True)
class Case:
    """A problem: how it was checked, and how measured."""

    problem: str
    """The problem's name: operator, then its axes; it parses back."""

    index: Optional[int] = None
    """Its number in the plan."""

    flop_count: Optional[float] = None
    """Useful floating-point operations of a launch."""

    compulsory_bytes: Optional[float] = None
    """Bytes of a launch that reads every input and writes every output once."""

    dtype: Optional[str] = None
    """Element type of the first input."""

    short_name: Optional[str] = None
    """`s512`."""

    distribution: Optional[str] = None
    """Input distribution: `normal`."""

    memory_layout: Optional[str] = None
    """Memory layout."""

    tolerance: Optional[OwnTolerance] = None
    """Of its suite, for kernels without one of their own; absent: the operator's."""

    seed: Optional[int] = None
    """Of the inputs; absent: the document's."""

    checks: Tuple[Check, ...] = ()
    """One a side. In `cases` the check is that of the rounds: the first bad one of any round stands."""

    summary: Tuple[Summary, ...] = ()
    """One a side."""

    choices: Tuple[Choice, ...] = ()
    """What autotuners chose; absent: there are none."""

    rounds: Tuple[Round, ...] = ()
    """One a measurement."""


@dataclass(frozen=True)
class Check:
    """What checking a problem on one side came to."""

    side: int
    """Index into `sides`."""

    outcome: str
    """What came of it."""

    finding: Optional[str] = None
    """What is wrong, of a `FAIL`."""

    message: Optional[str] = None
    """A sentence: what, where, expected, got."""

    note: Optional[str] = None
    """What prepare said of itself: versions, the algorithm chosen."""

    version: Optional[str] = None
    """Version of the library that computed, of a peer."""

    tensors: Tuple[TensorError, ...] = ()
    """One an output."""

    duration_ns: Optional[int] = None
    """The whole check."""

    kernel_ns: Optional[int] = None
    """Its first launch."""

    workspace_bytes: Optional[int] = None
    """Memory that the kernel asked for."""


@dataclass(frozen=True)
class TensorError:
    """Errors of one output against float64."""

    tensor: Optional[str] = None
    """Its name."""

    element_count: Optional[int] = None
    """Elements."""

    failed_count: Optional[int] = None
    """Elements beyond the tolerance."""

    max_abs: Optional[float] = None
    """Largest difference from float64."""

    max_rel: Optional[float] = None
    """Largest difference, by the largest element of float64."""

    mean_abs: Optional[float] = None
    """Mean difference."""

    rms: Optional[float] = None
    """Root of the mean square of the differences."""

    rel_l2: Optional[float] = None
    """L2 norm of the differences, by that of float64."""

    correlation: Optional[float] = None
    """Correlation with float64."""

    worst_expected: Optional[float] = None
    """float64's element at `worst_coord`."""

    worst_got: Optional[float] = None
    """The kernel's element there."""

    same_precision_max_abs: Optional[float] = None
    """`max_abs` of the same-precision reference on the sampled rows."""

    same_precision_rms: Optional[float] = None
    """Its `rms`."""

    sampled_max_abs: Optional[float] = None
    """`max_abs` of this kernel on these rows."""

    sampled_rms: Optional[float] = None
    """Its `rms`."""

    worst_coord: Tuple[int, ...] = ()
    """Indices of the first element that failed, or of `max_abs`."""

    sampled_row_count: Optional[int] = None
    """Sampled rows."""


@dataclass(frozen=True)
class Summary:
    """For readers of the file: computed from the samples, ignored when read."""

    side: int
    """Index into `sides`."""

    median_ns: Optional[float] = None
    """Median time of a launch."""

    median_low_ns: Optional[float] = None
    """Lower end of its 95 % interval."""

    median_high_ns: Optional[float] = None
    """Upper end of its 95 % interval."""

    mean_ns: Optional[float] = None
    """Mean."""

    sd_ns: Optional[float] = None
    """Standard deviation."""

    iqr_ns: Optional[float] = None
    """Interquartile range: from the 25th to the 75th percentile."""

    p50_ns: Optional[float] = None
    """Median, as the 50th percentile."""

    p95_ns: Optional[float] = None
    """95th percentile."""

    p99_ns: Optional[float] = None
    """99th percentile."""

    cv_pct: Optional[float] = None
    """Standard deviation by mean."""

    gflop_per_s: Optional[float] = None
    """At the median."""

    gb_per_s: Optional[float] = None
    """At the median, of the compulsory bytes."""

    peak_memory_bytes: Optional[float] = None
    """Tensors and workspace."""

    flop_per_byte: Optional[float] = None
    """Arithmetic intensity."""

    ceiling_pct: Optional[float] = None
    """Share of the measured ceiling."""

    call_wall_ns: Optional[float] = None
    """A single launch from call to completion, median over the valid rounds."""

    kernel_clock_hz: Optional[float] = None
    """Clock of the device while samples ran, median."""

    launch_energy_j: Optional[float] = None
    """Energy of a launch of this side alone (`sustained`), median over the valid rounds."""

    power_w: Optional[float] = None
    """Power of the device while this side had it (`sustained`), median over the valid rounds."""

    sample_count: Optional[int] = None
    """Samples that count."""

    discarded_count: Optional[int] = None
    """Samples that do not."""


@dataclass(frozen=True)
class Choice:
    """What the autotuner of a side's kernel chose in a measurement."""

    round: int
    """Number of the round."""

    side: int
    """Index into `sides`."""

    attempt: Optional[int] = None
    """Its repetition."""

    text: Optional[str] = None
    """`fwd BLOCK_M=64 num_warps=4`."""


@dataclass(frozen=True)
class Round:
    """One measurement of the problem: a round, or a repetition of one."""

    samples: Tuple[Samples, ...]
    """One for each side that was measured."""

    round: Optional[int] = None
    """Its number, from 0; absent: its place here."""

    attempt: Optional[int] = None
    """Repetitions of a round that was not valid count up."""

    is_valid: Optional[bool] = None
    """Absent: true. Others stay in the file and are not used."""

    invalid_cause: Optional[str] = None
    """Why it is not valid; absent: not known."""

    invalid_reason: Optional[str] = None
    """The same as a sentence."""

    state: Optional[DeviceState] = None
    """Of the device."""


@dataclass(frozen=True)
class DeviceState:
    """Of the device over the window of the samples. What is not known is absent."""

    temperature_c: Optional[float] = None
    """Of the device."""

    clock_hz: Optional[float] = None
    """Clock of the SMs, or the CPU's frequency."""

    memory_clock_hz: Optional[float] = None
    """Clock of the memory."""

    power_w: Optional[float] = None
    """Power drawn."""

    energy_j: Optional[float] = None
    """Of the whole case, with stabilization, warming up and all sides, and not of one side."""

    others_pct: Optional[float] = None
    """Processor time of other processes, of all processors."""

    steal_pct: Optional[float] = None
    """Processor time that the hypervisor took."""

    clock_probe_hz: Optional[float] = None
    """Clock probe, median of its readings."""

    window_ns: Optional[float] = None
    """Length of the window."""

    throttle: Optional[str] = None
    """Reasons such as `hw_slowdown,sw_power_cap`, or `none`."""

    governor: Optional[str] = None
    """Linux's frequency governor."""

    turbo: Optional[bool] = None
    """The processor may exceed its base clock."""

    other_process_count: Optional[int] = None
    """Other processes that used the device."""


@dataclass(frozen=True)
class Samples:
    """Raw samples of one side, in columns."""

    side: int
    """Index into `sides`."""

    duration_ns: Tuple[int, ...]
    """One integer a sample. With the metric `instructions` a count, and so are all figures made of it."""

    start_ns: Tuple[int, ...] = ()
    """Since the worker's start."""

    judge_ns: Tuple[int, ...] = ()
    """The samples by the judge's clock, less the cost of an empty exchange; where each kernel ran in a
    process of its own."""

    launches: Optional[Union[int, Tuple[int, ...]]] = None
    """Launches in a sample: one number for all, or one a sample; absent: 1. Time of a launch = duration /
    launches."""

    discard: Dict[str, str] = field(default_factory=dict)
    """`{"3": "steal"}`: sample 3 does not count, and why."""

    clock_hz: Tuple[Optional[float], ...] = ()
    """Clock probe right before the sample, `null` where it was not read."""

    kernel_clock_hz: Tuple[Optional[float], ...] = ()
    """Mean clock of the device while the sample ran, where it says so (a GPU)."""

    call_wall_ns: Optional[float] = None
    """A single launch, from call to completion by the host's clock; median of up to twenty."""

    launch_energy_j: Optional[float] = None
    """Energy of a launch of this side, where the device counts it and the side had it for itself
    (`sustained`)."""

    power_w: Optional[float] = None
    """Mean power of the device over the same time."""


@dataclass(frozen=True)
class Result:
    """What a run wrote: its kernels, problems, samples and decision."""

    kind: str
    """`assay.result`."""

    schema_version: int
    """`1`."""

    sides: Tuple[Side, ...]
    """The kernels that were measured together; everything else names a side by its index here."""

    cases: Tuple[Case, ...]
    """The measured problems; one with the same `distribution` and `memory_layout` comes once."""

    run_id: Optional[str] = None
    """Of the run."""

    command: Optional[str] = None
    """As typed."""

    created_utc: Optional[str] = None
    """`2026-11-21T12:34:56Z`."""

    suite: Optional[str] = None
    """What was measured."""

    check_suite: Optional[str] = None
    """The correctness matrix that was run."""

    not_checked: Optional[str] = None
    """What the matrix has and the kernel does not declare that it takes."""

    seed: Optional[int] = None
    """Of inputs and drawn orders."""

    elapsed_s: Optional[float] = None
    """From the beginning of the run, or from the last `--resume`, to its end."""

    device_s: Optional[float] = None
    """Lifetime of the workers: device (or processor) time used."""

    repeat_count: Optional[int] = None
    """`--repeat`, where given."""

    thread_count: Optional[int] = None
    """`--threads`, where given."""

    manifest: Optional[str] = None
    """`--manifest`, where given."""

    job_host: Optional[str] = None
    """Of a gate in a job of CI: `github` or `gitlab`."""

    job_id: Optional[str] = None
    """The number of the job's page there."""

    job_runner: Optional[str] = None
    """The runner's name there."""

    target_speedup: Optional[float] = None
    """Of the manifest, where it states one."""

    cost_per_hour: Optional[float] = None
    """Of the manifest, where it states one."""

    policy: Optional[Policy] = None
    """Of a gate against a revision (guardrails.md)."""

    environment: Optional[Environment] = None
    """Where and how."""

    sampling: Optional[Sampling] = None
    """The settings of the measurement."""

    warnings: Tuple[str, ...] = ()
    """Sentences."""

    decision: Optional[Decision] = None
    """Verdict, reasons and numbers, when the run decided something."""

    explanation: Optional[Explanation] = None
    """What moved between the sides: of a gate whose times differ, or with `--explain`."""

    checks: Tuple[Case, ...] = ()
    """The correctness matrix."""
