import { createBatchWriter, createSender, type SinkAdapter, type SinkInstance } from '@headgate/gateway/operate'
import { HeadgateError, type UsageRow } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { ownersOf, type RowOwner } from '../usage/owners.ts'
import { createExporter, type SinkClock, type SinkExporter, type SinkState } from './exporter.ts'
import { backlogLine } from './line.ts'
import { openOutbox, type SinkOutbox, sinkFolder } from './outbox.ts'

/** Sink to load in the writer thread. */
export interface SinkPlace {
  /** Unique name, which is also the name of its folder. */
  readonly name: string
  /** URL of a module that exports the adapter. */
  readonly module: string
  /** Configuration for the adapter. */
  readonly config: Readonly<Record<string, unknown>>
  /** Maximum bytes of waiting rows; default 1,000,000,000. */
  readonly maxBacklog?: number | undefined
  /** Origins that are connected to only at public addresses. Default: none. */
  readonly publicOrigins?: readonly string[] | undefined
}

/** Loaded sink. */
export interface LoadedSink extends Pick<SinkPlace, 'name' | 'maxBacklog' | 'publicOrigins'> {
  readonly sink: SinkInstance
}

export interface SinksOptions {
  readonly dataDir: string
  readonly ownersOf: (principals: Iterable<string>) => Promise<ReadonlyMap<string, RowOwner>>
  onProblem(message: string): void
  /** Called with the state of a sink when it has changed, at most once a second, by the process that delivers. */
  onState?(state: SinkState): void
  readonly clock?: SinkClock | undefined
}

/** Running sinks. */
export interface Sinks {
  /** Appends rows to the backlogs before it returns. */
  rows(rows: readonly UsageRow[]): void
  close(): Promise<void>
}

const MAX_BACKLOG = 1_000_000_000
/** Time between two reports of a state, in milliseconds. */
const REPORTED_MS = 1_000

/** Owners of keys from the store. */
export function storedOwners(connection: StoreConnection): SinksOptions['ownersOf'] {
  return (principals) => ownersOf(connection, principals)
}

/** Loads the adapters of sinks. @throws HeadgateError if a module has no adapter; the adapter's error */
export function loadSinks(places: readonly SinkPlace[]): Promise<LoadedSink[]> {
  return Promise.all(
    places.map(async ({ module, config, ...place }) => {
      const exported: Record<string, unknown> = await import(module)
      const factory = Object.values(exported).find(isSinkAdapter)
      if (!factory) throw new HeadgateError('internal', `${module} exports no sink.`)
      return { ...place, sink: factory(config) }
    }),
  )
}

function isSinkAdapter(value: unknown): value is SinkAdapter {
  return typeof value === 'function' && 'kind' in value && value.kind === 'sink'
}

/** Opens the backlogs of sinks and delivers them. @throws the error of the file system */
export function openSinks(loaded: readonly LoadedSink[], options: SinksOptions): Sinks {
  const opened = loaded.map((one) => openSink(one, options))
  return {
    rows(rows) {
      if (opened.length === 0 || rows.length === 0) return
      const lines = Buffer.from(rows.map(backlogLine).join(''))
      for (const { outbox } of opened) outbox.add(lines, rows.length)
    },
    async close() {
      await Promise.all(opened.map(({ close }) => close()))
    },
  }
}

interface OpenedSink {
  readonly outbox: SinkOutbox
  close(): Promise<void>
}

function openSink(
  { name, sink, maxBacklog = MAX_BACKLOG, publicOrigins }: LoadedSink,
  options: SinksOptions,
): OpenedSink {
  const folder = sinkFolder(options.dataDir, name)
  const { onProblem, clock } = options
  const sender = createSender({ publicOrigins })
  let exporter: SinkExporter | undefined
  const outbox = openOutbox({ folder, name, maxBacklog, onProblem, onRows: () => exporter?.wake() })
  exporter = createExporter({
    name,
    folder,
    run: outbox.run,
    sink,
    write: createBatchWriter(sink, sender),
    ownersOf: options.ownersOf,
    onProblem,
    onState: limited(options.onState),
    onRemoved: outbox.removed,
    clock,
  })
  return {
    outbox,
    async close() {
      await exporter?.close()
      outbox.close()
      await sender.close()
      await sink.close?.()
    },
  }
}

function limited(onState: SinksOptions['onState']): (state: SinkState) => void {
  let at = Number.NEGATIVE_INFINITY
  let last: string | undefined
  return (state) => {
    const now = performance.now()
    const text = JSON.stringify(state)
    if (text === last || (now - at < REPORTED_MS && last !== undefined)) return
    at = now
    last = text
    onState?.(state)
  }
}
