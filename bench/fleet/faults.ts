import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../packages/gateway/test/faults/random.ts'
import type { LimitAllowance, NodeKill } from './checker.ts'
import { type Fleet, NODES } from './deployment.ts'
import type { Link, LinkState } from './partition.ts'
import { signalPostgres } from './postgres-signals.ts'

/** Context of a fault. */
export interface FaultRun {
  readonly fleet: Fleet
  readonly random: Random
  /** Duration in milliseconds. */
  readonly ms: number
  /** Deaths of processes, which the fault adds. */
  readonly kills: NodeKill[]
}

/** Fault of processes, servers, the network, a disk or a clock. */
export interface Fault {
  readonly name: string
  readonly needsRedis: boolean
  /** Statuses other than 200 that callers within their limits may get; 0 = a broken connection. */
  readonly statuses: readonly number[]
  /** Allowance if the fault is one of the server that has the shared counts. Default: no limit may be exceeded. */
  readonly allowance?: LimitAllowance | undefined
  /** False if the nodes cannot read the store, so that they cannot know of a revocation. */
  readonly canRevoke: boolean
  /** True if no response may wait noticeably longer. */
  readonly isQuick?: boolean | undefined
  /** Maximum time from its end until rates are shared again, in milliseconds; 1,000. */
  readonly backMs?: number | undefined
  /** Variables of a node. */
  environment?(node: number): Readonly<Record<string, string>>
  /** Begins the fault, and ends it. */
  play(run: FaultRun): Promise<void>
}

/** All nodes are cut off: each may admit one request more. */
export const ALONE: LimitAllowance = { windows: 0.08, places: 0.5 }
/**
 * Some nodes are cut off: the others use what was free. After 10 s they also use the places of a node that is cut off,
 * which may be all of a limit.
 */
export const CUT_OFF: LimitAllowance = { windows: 1 / NODES, places: 1 }
/** Pauses between kills, in milliseconds. */
const [LEAST_PAUSE, MOST_PAUSE] = [300, 1_500]
const STEPPING_CLOCK = new URL('../../apps/server/test/budgets/stepping-clock.ts', import.meta.url)
const FULL_DISK = new URL('./full-disk.ts', import.meta.url)
const DISK_FLAG = join(tmpdir(), `headgate-full-disk-${process.pid}`)

/** Repeats an action at random times while the fault lasts. */
async function repeat({ random, ms }: FaultRun, act: () => Promise<void>): Promise<void> {
  const until = performance.now() + ms
  do {
    await act()
    await sleep(LEAST_PAUSE + random.below(MOST_PAUSE - LEAST_PAUSE))
  } while (performance.now() < until)
}

/** Begins something, and ends it at a random time of the second half. */
async function during({ random, ms }: FaultRun, begin: () => void, end: () => void): Promise<void> {
  begin()
  try {
    await sleep(ms / 2 + random.below(ms / 2))
  } finally {
    end()
  }
}

function killWorker(run: FaultRun): Promise<void> {
  const { fleet, random, kills } = run
  return repeat(run, async () => {
    const node = random.below(NODES)
    const [, ...workers] = fleet.nodes[node]?.processes() ?? []
    if (workers.length === 0) return
    kills.push({ node, at: performance.now(), isDiskLost: false })
    fleet.nodes[node]?.signal('SIGKILL', random.pick(workers))
  })
}

function killPrimary(run: FaultRun): Promise<void> {
  const { fleet, random, kills } = run
  return repeat(run, async () => {
    const node = random.below(NODES)
    const [primary] = fleet.nodes[node]?.processes() ?? []
    kills.push({ node, at: performance.now(), isDiskLost: false })
    fleet.nodes[node]?.signal('SIGKILL', primary)
    // Its workers finish their requests.
    await fleet.nodes[node]?.gone()
    await fleet.nodes[node]?.start()
  })
}

function killNode(run: FaultRun, isDiskLost: boolean): Promise<void> {
  const { fleet, random, kills } = run
  return repeat(run, async () => {
    const node = random.below(NODES)
    kills.push({ node, at: performance.now(), isDiskLost })
    await fleet.nodes[node]?.kill()
    if (isDiskLost) fleet.nodes[node]?.removeDisk()
    await fleet.nodes[node]?.start()
  })
}

/** A random link, or all links. */
function someOf(links: readonly Link[], random: Random): readonly Link[] {
  const all = [...links]
  return random.chance(50) ? all : [random.pick(all)]
}

function cut(run: FaultRun, links: readonly Link[], state: LinkState): Promise<void> {
  const chosen = someOf(links, run.random)
  const set = (to: LinkState): void => {
    for (const link of chosen) link.set(to)
  }
  return during(
    run,
    () => set(state),
    () => set('open'),
  )
}

function slow(run: FaultRun, links: readonly Link[]): Promise<void> {
  const chosen = someOf(links, run.random)
  const set = (ms: number): void => {
    for (const link of chosen) link.delay(ms)
  }
  return during(
    run,
    () => set(20 + run.random.below(200)),
    () => set(0),
  )
}

const OF_NODES: readonly Fault[] = [
  { name: 'kill-worker', needsRedis: false, statuses: [0], canRevoke: true, play: killWorker },
  { name: 'kill-primary', needsRedis: false, statuses: [0], canRevoke: true, play: killPrimary },
  { name: 'kill-node', needsRedis: false, statuses: [0], canRevoke: true, play: (run) => killNode(run, false) },
  { name: 'lose-disk', needsRedis: false, statuses: [0], canRevoke: true, play: (run) => killNode(run, true) },
  {
    name: 'pause-node',
    needsRedis: false,
    statuses: [0],
    canRevoke: true,
    play: (run) => {
      const node = run.fleet.nodes[run.random.below(NODES)]
      return during(
        run,
        () => node?.signal('SIGSTOP'),
        () => node?.signal('SIGCONT'),
      )
    },
  },
  {
    name: 'step-clock',
    needsRedis: false,
    statuses: [],
    canRevoke: true,
    environment: (node): Record<string, string> =>
      node === 0 ? { NODE_OPTIONS: `--import=${fileURLToPath(STEPPING_CLOCK)}` } : {},
    // Its clock steps from its start to its end.
    play: ({ ms }) => sleep(ms),
  },
  {
    name: 'fill-disk',
    needsRedis: false,
    // A reservation must be written before a request is sent.
    statuses: [503],
    canRevoke: true,
    environment: (node): Record<string, string> =>
      node === 0 ? { NODE_OPTIONS: `--import=${FULL_DISK.href}?flag=${DISK_FLAG}` } : {},
    play: (run) =>
      during(
        run,
        () => writeFileSync(DISK_FLAG, ''),
        () => rmSync(DISK_FLAG, { force: true }),
      ),
  },
]

const OF_REDIS: readonly Fault[] = [
  {
    name: 'pause-redis',
    needsRedis: true,
    statuses: [],
    allowance: ALONE,
    canRevoke: true,
    isQuick: true,
    play: (run) =>
      during(
        run,
        () => run.fleet.servers.redis?.pause(),
        () => run.fleet.servers.redis?.resume(),
      ),
  },
  {
    name: 'restart-redis',
    needsRedis: true,
    statuses: [],
    allowance: ALONE,
    canRevoke: true,
    isQuick: true,
    // The nodes declare their counts again before they get new ones.
    backMs: 4_000,
    play: (run) =>
      repeat(run, async () => {
        await run.fleet.servers.redis?.kill()
        await run.fleet.servers.redis?.start()
      }),
  },
  ...(['reset', 'drop', 'one-way'] as const).map(
    (state): Fault => ({
      name: `${state}-redis`,
      needsRedis: true,
      statuses: [],
      allowance: CUT_OFF,
      canRevoke: true,
      isQuick: true,
      // The client notices that a connection is lost, and opens another one.
      backMs: 4_000,
      play: (run) => cut(run, run.fleet.redisLinks, state),
    }),
  ),
  {
    name: 'slow-redis',
    needsRedis: true,
    statuses: [],
    allowance: CUT_OFF,
    canRevoke: true,
    isQuick: true,
    backMs: 4_000,
    play: (run) => slow(run, run.fleet.redisLinks),
  },
]

/** A request that needs more than the leased budget waits for the store, and is refused with 503. */
const WITHOUT_STORE = [0, 503]

const OF_POSTGRES: readonly Fault[] = [
  {
    name: 'pause-postgres',
    needsRedis: false,
    allowance: ALONE,
    statuses: WITHOUT_STORE,
    canRevoke: false,
    play: (run) =>
      during(
        run,
        () => signalPostgres(run.fleet.servers.postgres, 'SIGSTOP'),
        () => signalPostgres(run.fleet.servers.postgres, 'SIGCONT'),
      ),
  },
  {
    name: 'restart-postgres',
    needsRedis: false,
    allowance: ALONE,
    statuses: WITHOUT_STORE,
    canRevoke: false,
    play: (run) =>
      during(
        run,
        () => run.fleet.servers.postgres.stop(),
        () => run.fleet.servers.postgres.start(),
      ),
  },
  ...(['reset', 'drop', 'one-way'] as const).map(
    (state): Fault => ({
      name: `${state}-postgres`,
      needsRedis: false,
      allowance: CUT_OFF,
      statuses: WITHOUT_STORE,
      canRevoke: false,
      play: (run) => cut(run, run.fleet.postgresLinks, state),
    }),
  ),
  {
    name: 'slow-postgres',
    needsRedis: false,
    allowance: CUT_OFF,
    statuses: WITHOUT_STORE,
    canRevoke: false,
    play: (run) => slow(run, run.fleet.postgresLinks),
  },
]

/** All faults. `allowance` is documented in docs/scale.md. */
export const FAULTS: readonly Fault[] = [...OF_NODES, ...OF_REDIS, ...OF_POSTGRES]
