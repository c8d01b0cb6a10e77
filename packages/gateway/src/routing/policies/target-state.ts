/** Half of the recent calls are forgotten after this time, in milliseconds. */
const HALF_LIFE_MS = 30_000
/** Exponent at which the counts are scaled down, far below the limit of a double. */
const MOST_EXPONENT = 500
/** Maximum number of targets. Callers choose model names, so memory must be limited. */
const MOST_TARGETS = 10_000

/** Counters of one target. */
export interface TargetState {
  /** Credit of smooth weighted round-robin. */
  credit: number
  /** Recent calls, in units that grow over time: see {@link TargetStates.scale}. */
  recent: number
  /** Time of the last call; 0 = never. */
  pickedAt: number
  /** Time of the last measurement; 0 = never. */
  measuredAt: number
  /** Milliseconds to the first token by size class, and the time of their last change. */
  readonly ms: (number | undefined)[]
  readonly msAt: number[]
}

/** Counters of a target without calls. */
export const UNUSED: Readonly<TargetState> = {
  credit: 0,
  recent: 0,
  pickedAt: 0,
  measuredAt: 0,
  ms: [],
  msAt: [],
}

/** Counters of all targets. */
export interface TargetStates {
  /** Counters for reading. */
  get(key: string): Readonly<TargetState>
  /** Counters for changes. */
  change(key: string): TargetState
  /** Counts a call. */
  countCall(state: TargetState, now: number): void
  /** Factor that converts `recent` to a number of calls at a time. */
  scale(now: number): number
}

/**
 * Creates the counters. Recent calls decay exponentially. Instead of reducing all counts, new calls count more and
 * readers divide, so that nothing changes between calls.
 */
export function createTargetStates(): TargetStates {
  const states = new Map<string, TargetState>()
  let begin: number | undefined
  const growth = (now: number): number => {
    begin ??= now
    const exponent = (now - begin) / HALF_LIFE_MS
    if (exponent <= MOST_EXPONENT) return 2 ** exponent
    for (const state of states.values()) state.recent *= 2 ** -exponent
    begin = now
    return 1
  }
  const change = (key: string): TargetState => {
    const known = states.get(key)
    if (known) return known
    const created = { credit: 0, recent: 0, pickedAt: 0, measuredAt: 0, ms: [], msAt: [] }
    if (states.size >= MOST_TARGETS) {
      const [oldest] = states.keys()
      if (oldest !== undefined) states.delete(oldest)
    }
    states.set(key, created)
    return created
  }
  return {
    get: (key) => states.get(key) ?? UNUSED,
    change,
    countCall(state, now) {
      state.recent += growth(now)
      state.pickedAt = now
    },
    scale: (now) => (begin === undefined ? 0 : 2 ** ((begin - now) / HALF_LIFE_MS)),
  }
}
