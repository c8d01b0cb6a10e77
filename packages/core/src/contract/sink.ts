import type { z } from 'zod'
import type { UpstreamError } from '../errors.ts'
import { built } from './endpoint.ts'
import type { Exchange, InProcess } from './exchange.ts'
import type { HttpResponse } from './http.ts'
import { checkMembers, membersOf } from './members.ts'
import { CONTRACT, META, type ProviderMeta, type Upstream } from './provider.ts'

/**
 * Usage rows for a sink. The batch is equal for each attempt to deliver it, also after the process was killed. A row can
 * be in several batches after a crash, always with the same `id`.
 */
export interface SinkBatch {
  /** Idempotency key: ids of the first and the last row, joined by a dash. */
  readonly id: string
  readonly kind: 'usage'
  /** Ids of the first and the last row, UUIDv7. */
  readonly first: string
  readonly last: string
  /** Rows in their order, each a JSON object on one line. `docs/sinks.md` lists its columns. */
  readonly lines: readonly string[]
  /** The lines as NDJSON in UTF-8, compressed if the sink has a `compression`. */
  readonly content: Uint8Array
  /** Project of all rows, with `partition: 'hour-project'`; null if it is unknown. */
  readonly project?: string | null | undefined
  /** Hour in which the requests of all rows began, as `2026-01-31T23`, in UTC, with `partition: 'hour-project'`. */
  readonly hour?: string | undefined
}

/** Maximum size of a batch. The first limit that is reached ends it. */
export interface SinkLimits {
  readonly rows: number
  /** Bytes of the lines before compression. */
  readonly bytes: number
  /** Time that a row waits for others, in milliseconds. */
  readonly waitMs: number
}

/** Description of a configured destination for usage rows. Headgate does all network I/O, retries and storage. */
export interface UsageSink extends Upstream {
  readonly limits: SinkLimits
  /** `hour-project`: each batch has the rows of one project and one hour. Default: `none`. */
  readonly partition?: 'none' | 'hour-project' | undefined
  /** Compression of `content`. Default: none. */
  readonly compression?: 'gzip' | undefined
  /** Prepares the destination. It runs before the first batch of each process, and must change nothing the second time. */
  readonly setup?: Exchange<void, void> | undefined
  /**
   * Delivers a batch. Returns once the destination has stored all rows.
   *
   * Rejected batches (`invalid-request`, which are the statuses 400 and 422) are set aside. A batch that is `too-large`
   * (413) is divided. Every other failure, such as a wrong credential, is repeated until it succeeds, after the time
   * that `retry-after` names.
   * @throws HeadgateError for a response that does not confirm the rows
   */
  readonly write: Exchange<SinkBatch, void> | InProcess<SinkBatch, Promise<void>>
  /** Reads an error, from every response, including status 200. Undefined: no error, or decided by the status. */
  readError?(response: HttpResponse): UpstreamError | undefined
  close?(): Promise<void>
}

/** Configured sink with a name. */
export interface SinkInstance extends UsageSink {
  /** Default: the adapter's id. */
  readonly name: string
}

/** Description of an adapter for sinks before it is configured. */
export type SinkMeta<S extends z.ZodType> = Omit<ProviderMeta<S>, 'claims' | 'probe' | 'genAiName' | 'enable'>

/**
 * Adapter: a factory that describes itself.
 * @throws ZodError if the configuration is invalid.
 */
export interface SinkAdapter<S extends z.ZodType = z.ZodType> extends SinkMeta<S> {
  (config: z.input<S>): SinkInstance
  readonly kind: 'sink'
  readonly enable: 'asked'
  readonly contract: typeof CONTRACT
}

const SINK = membersOf<SinkInstance>()(
  'name baseUrl hosts credential billing mayLoop answer limits partition compression setup write readError close',
)

/**
 * Creates an adapter from its description and a function that builds a sink from a configuration. Sinks are used only if
 * the configuration names them. The adapter throws a TypeError for a member whose name resembles a name of the contract.
 * @example
 * export const acme = defineSink(
 *   {
 *     id: 'acme',
 *     title: 'Acme',
 *     config: z.strictObject(endpoint('https://api.acme.example')),
 *     env: endpointEnv('acme'),
 *   },
 *   ({ apiKey, baseUrl }) => ({
 *     baseUrl,
 *     credential: bearer(apiKey),
 *     limits: { rows: 1_000, bytes: 1_000_000, waitMs: 5_000 },
 *     write: {
 *       request: ({ id, content }) => ({
 *         method: 'POST',
 *         url: '/rows',
 *         headers: { 'idempotency-key': id },
 *         body: { bytes: content, type: 'application/x-ndjson' },
 *       }),
 *       response: () => {},
 *     },
 *   }),
 * )
 */
export function defineSink<S extends z.ZodType>(
  meta: SinkMeta<S>,
  build: (config: z.output<S>) => UsageSink,
): SinkAdapter<S> {
  const create = (config: z.input<S>): SinkInstance => {
    checkMembers(`The description of ${meta.id}`, meta, META)
    const { mayLoop: _, ...sink } = built(meta.config, config, build)
    return checkMembers(`The sink ${meta.id}`, { name: meta.id, ...sink }, SINK)
  }
  return Object.assign(create, {
    ...meta,
    enable: 'asked' as const,
    kind: 'sink' as const,
    contract: CONTRACT,
  } as const)
}
