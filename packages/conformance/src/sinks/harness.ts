import { gunzipSync, gzipSync } from 'node:zlib'
import type { SinkBatch, SinkInstance } from '@headgate/core/sink'
import { createBatchWriter, createSender, type Sender } from '@headgate/gateway/operate'
import { HeadgateError } from '@headgate/gateway/ports'
import { type LoopbackUpstream, type Received, startUpstream, type UpstreamReply } from '../upstream.ts'
import type { SinkFacts, TestedSink } from './facts.ts'

/** Sink under test in front of a loopback server. */
export interface SinkHarness {
  readonly sink: SinkInstance
  readonly upstream: LoopbackUpstream
  /** Delivers a batch as the gateway does. */
  write(batch: SinkBatch, signal?: AbortSignal): Promise<void>
  /** Delivers a batch. Resolves with its failure; undefined if it was confirmed. */
  failure(batch: SinkBatch, signal?: AbortSignal): Promise<HeadgateError | undefined>
  close(): Promise<void>
}

export const ACCEPTED: UpstreamReply = { kind: 'whole', body: '' }
const START = Date.UTC(2026, 0, 31, 23, 59)

export async function openSinkHarness<Config>(
  adapter: TestedSink<Config>,
  facts: SinkFacts<Config>,
): Promise<SinkHarness> {
  const upstream = await startUpstream()
  const sink = adapter(replaced(facts.config, upstream.origin))
  const sender: Sender = createSender()
  const write = createBatchWriter(sink, sender)
  const deliver = (batch: SinkBatch, signal = AbortSignal.timeout(20_000)): Promise<void> => write(batch, signal)
  return {
    sink,
    upstream,
    write: deliver,
    async failure(batch, signal) {
      try {
        await deliver(batch, signal)
        return undefined
      } catch (error) {
        return HeadgateError.is(error) ? error : new HeadgateError('internal', String(error))
      }
    },
    async close() {
      await sender.close()
      await upstream.close()
    },
  }
}

/** Config with the origin of its base URL replaced. */
function replaced<Config>(config: Config, origin: string): Config {
  const { baseUrl = origin }: { baseUrl?: string } = Object(config)
  const { pathname, search } = new URL(baseUrl)
  return { ...config, baseUrl: `${origin}${pathname === '/' ? '' : pathname}${search}` }
}

/** Batch of sample rows. @param from number of the first row */
export function testBatch(sink: SinkInstance, from: number, count: number, project: string | null = 'p-1'): SinkBatch {
  const rows = Array.from({ length: count }, (_, index) => testRow(from + index, project))
  const lines = rows.map((row) => JSON.stringify(row))
  const [first = '', last = ''] = [rows[0]?.id, rows.at(-1)?.id]
  const plain = Buffer.from(`${lines.join('\n')}\n`)
  return {
    id: `${first}-${last}`,
    kind: 'usage',
    first,
    last,
    lines,
    content: sink.compression === 'gzip' ? gzipSync(plain) : plain,
    ...(sink.partition === 'hour-project' && { project, hour: '2026-01-31T23' }),
  }
}

/** Row with the awkward values that real rows can have. */
function testRow(number: number, project: string | null) {
  const at = START + number
  const time = at.toString(16).padStart(12, '0')
  return {
    id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`,
    time: new Date(at).toISOString(),
    model: number % 3 === 0 ? 'model "ü"\\\u2028' : 'model-1',
    cost: number % 5 === 0 ? null : number,
    tags: number % 7 === 0 ? { team: 'a\tb\nc' } : null,
    project,
  }
}

/** Rows of NDJSON, compressed or not. For `read` of facts. */
export function rowsOfLines({ bytes, headers }: Pick<Received, 'bytes' | 'headers'>): unknown[] {
  const isCompressed = headers['content-encoding'] === 'gzip' || headers['content-type'] === 'application/gzip'
  const text = (isCompressed ? gunzipSync(bytes) : Buffer.from(bytes)).toString('utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line): unknown => JSON.parse(line))
}
