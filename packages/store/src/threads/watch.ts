import type { StoreConnection } from '../database/connection.ts'
import { runSql } from '../database/transaction.ts'
import { versionsOf } from '../keys/changes.ts'

export interface StoreWatch {
  /** Called when keys may have changed. */
  onKeys(): void
  /** Called to confirm that no key has changed. */
  onConfirm(): void
  /** Called when budgets have changed. */
  onBudgets(): void
  /** Called when a user, not the configuration, has changed prices. */
  onPrices(): void
  /** Called when a user has changed credentials of providers. */
  onCredentials(): void
  /** Called when another process recalls leases, once recalls are watched. */
  onRecall(): void
}

export interface StoreWatcher {
  /** Watches recalls of leases from now on. Further calls do nothing. */
  watchRecalls(): void
  /** Reads now and announces what has changed, since another process reported a change. */
  wake(): void
}

/** Interval of checks for changes by other processes, in milliseconds, and its increase with the number of nodes. */
const CHANGES = { least: 500, most: 700, perNode: 0.2 } as const
/** Interval of checks for recalls of leases, in milliseconds. Other requests wait for their answers. */
const RECALLS = { least: 40, perNode: 4 } as const
/** Random part of an interval, so that nodes do not read together. */
const JITTER = 0.1
/** Interval of counting nodes, and age of the last heartbeat of a node that counts, in milliseconds. */
const COUNT = 30_000
const SEEN = 10_000
/** Minimum interval of confirmations that no key has changed, in milliseconds. */
const CONFIRM = 60_000

/**
 * Interval of reads of a node, in milliseconds: 1,000 nodes read 1,500 times a second, and each notices a revoked key
 * within a second.
 */
export function pollInterval(nodes: number, isRecalling: boolean): number {
  const changes = Math.min(CHANGES.most, CHANGES.least + nodes * CHANGES.perNode)
  return isRecalling ? Math.min(changes, Math.max(RECALLS.least, nodes * RECALLS.perNode)) : changes
}

/**
 * Watches the store until the thread ends, with one read of all topics. At the first read everything counts as changed,
 * since cached data is from an earlier reader. Nothing is announced while the store is unreachable.
 */
export function watchStore(connection: StoreConnection, watch: StoreWatch): StoreWatcher {
  const state: WatchState = {
    connection,
    watch,
    nodes: 1,
    countedAt: Number.NEGATIVE_INFINITY,
    confirmedAt: Number.NEGATIVE_INFINITY,
    announcedAt: Number.NEGATIVE_INFINITY,
    isRecalling: false,
    versions: undefined,
    announced: undefined,
    recalls: undefined,
    commits: undefined,
  }
  let timer: NodeJS.Timeout | undefined
  let isWoken = false
  const run = async (): Promise<void> => {
    timer = undefined
    isWoken = false
    try {
      await look(state)
    } catch {
      // Calls that need the store report its error.
    }
    const jitter = 1 + JITTER * (2 * Math.random() - 1)
    timer = setTimeout(run, isWoken ? 0 : pollInterval(state.nodes, state.isRecalling) * jitter)
  }
  void run()
  return {
    watchRecalls() {
      if (state.isRecalling) return
      state.isRecalling = true
      // The next read after the one in progress includes recalls.
      if (!timer) return
      clearTimeout(timer)
      void run()
    },
    wake() {
      state.announcedAt = Number.NEGATIVE_INFINITY
      // A read in progress may have begun before the change.
      isWoken = true
      if (!timer) return
      clearTimeout(timer)
      void run()
    },
  }
}

type TopicVersions = Readonly<Record<string, number>>

interface WatchState {
  readonly connection: StoreConnection
  readonly watch: StoreWatch
  nodes: number
  /** Times of a monotonic clock, in milliseconds. */
  countedAt: number
  confirmedAt: number
  announcedAt: number
  isRecalling: boolean
  /** Last read versions, and the announced ones. */
  versions: TopicVersions | undefined
  announced: TopicVersions | undefined
  /** Announced version of recalls. */
  recalls: number | undefined
  /** Commits of other connections that the versions include. */
  commits: unknown
}

async function look(state: WatchState): Promise<void> {
  const { connection, watch } = state
  const now = performance.now()
  if (now - state.countedAt >= COUNT) {
    state.nodes = await countNodes(connection)
    state.countedAt = now
  }
  const commits = commitsOf(connection)
  const isQuiet = commits !== undefined && commits === state.commits && state.versions !== undefined
  const versions = (isQuiet ? state.versions : undefined) ?? (await versionsOf(connection))
  state.versions = versions
  state.commits = commits
  if (state.isRecalling && state.recalls !== versionIn(versions, 'recalls')) {
    state.recalls = versionIn(versions, 'recalls')
    watch.onRecall()
  }
  // A change of keys makes each node read its keys again, so that a series of changes is announced once.
  if (state.announced && now - state.announcedAt < pollInterval(state.nodes, false) * (1 - 2 * JITTER)) return
  const before = state.announced
  state.announced = versions
  state.announcedAt = now
  const isChanged = (topic: string) => !before || versionIn(before, topic) !== versionIn(versions, topic)
  if (isChanged('budgets')) watch.onBudgets()
  if (isChanged('prices')) watch.onPrices()
  if (isChanged('credentials')) watch.onCredentials()
  if (isChanged('keys')) watch.onKeys()
  else if (now - state.confirmedAt >= CONFIRM) {
    watch.onConfirm()
    state.confirmedAt = now
  }
}

function versionIn(versions: TopicVersions, topic: string): number {
  return versions[topic] ?? 0
}

/** Number of nodes with a recent heartbeat, at least 1. The processes of an SQLite file are on one machine. */
async function countNodes({ kind, db }: StoreConnection): Promise<number> {
  if (kind === 'sqlite') return 1
  const [row] = await runSql(
    db,
    `SELECT count(*) AS nodes FROM process_runs
      WHERE state = 'open' AND seen_at >= (extract(epoch FROM clock_timestamp()) * 1000)::int8 - ${SEEN}`,
  )
  return Math.max(1, Number(Object(row).nodes))
}

/**
 * Value that changes with each commit of another connection, which SQLite provides without reading a table. Undefined
 * for Postgres.
 */
function commitsOf(connection: StoreConnection): unknown {
  return connection.kind === 'sqlite' ? connection.prepared('PRAGMA data_version').get()?.['data_version'] : undefined
}
