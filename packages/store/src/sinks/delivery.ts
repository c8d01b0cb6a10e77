import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SinkBatch, SinkInstance } from '@headgate/gateway/operate'
import { HeadgateError } from '@headgate/gateway/ports'

/** Row of a batch with its partition. */
export interface SinkLine {
  readonly id: string
  readonly json: string
  readonly hour: string
  readonly project: string | null
}

/** Functions that a delivery needs. */
export interface DeliveryParts {
  readonly sink: Pick<SinkInstance, 'partition' | 'compression'>
  /** Folder for rejected batches. */
  readonly folder: string
  /** Delivers a batch once. Rejects with the failure. */
  write(batch: SinkBatch): Promise<void>
  /** Waits after a failed attempt. Rejects if the delivery must end. @param attempt from 1 */
  pause(failure: HeadgateError, attempt: number): Promise<void>
  /** Called when a batch was delivered. */
  onSent(): void
  onProblem(message: string): void
}

/** Result of a delivery, in rows. */
export interface Delivered {
  readonly sent: number
  readonly refused: number
}

const compress = promisify(gzip)
const REFUSED = 'refused'
/** Maximum bytes of rejected batches that are kept. */
const MAX_REFUSED = 64 * 1024 * 1024

/** Delivers rows in batches of one partition each. Rejects only if `pause` does. */
export async function deliver(parts: DeliveryParts, lines: readonly SinkLine[]): Promise<Delivered> {
  const groups =
    parts.sink.partition === 'hour-project'
      ? [...Map.groupBy(lines, ({ hour, project }) => `${hour} ${project ?? ''}`).values()]
      : [lines]
  let [sent, refused] = [0, 0]
  for (const group of groups) {
    const result = await deliverGroup(parts, group)
    sent += result.sent
    refused += result.refused
  }
  return { sent, refused }
}

async function deliverGroup(parts: DeliveryParts, lines: readonly SinkLine[]): Promise<Delivered> {
  const batch = await batchOf(parts.sink, lines)
  if (!batch) return { sent: 0, refused: 0 }
  for (let attempt = 1; ; attempt++) {
    try {
      await parts.write(batch)
      parts.onSent()
      return { sent: lines.length, refused: 0 }
    } catch (error) {
      const failure = HeadgateError.is(error) ? error : new HeadgateError('internal', String(error))
      if (failure.kind === 'too-large' && lines.length > 1) return halves(parts, lines)
      if (failure.kind === 'invalid-request' || failure.kind === 'too-large') {
        setAside(parts, batch, failure)
        return { sent: 0, refused: lines.length }
      }
      await parts.pause(failure, attempt)
    }
  }
}

async function halves(parts: DeliveryParts, lines: readonly SinkLine[]): Promise<Delivered> {
  const half = Math.ceil(lines.length / 2)
  const one = await deliverGroup(parts, lines.slice(0, half))
  const other = await deliverGroup(parts, lines.slice(half))
  return { sent: one.sent + other.sent, refused: one.refused + other.refused }
}

/** Batch of lines; undefined without lines. */
export async function batchOf(
  { partition, compression }: DeliveryParts['sink'],
  lines: readonly SinkLine[],
): Promise<SinkBatch | undefined> {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return undefined
  const text = lines.map(({ json }) => json)
  const plain = Buffer.from(`${text.join('\n')}\n`)
  return {
    id: `${first.id}-${last.id}`,
    kind: 'usage',
    first: first.id,
    last: last.id,
    lines: text,
    content: compression === 'gzip' ? await compress(plain) : plain,
    ...(partition === 'hour-project' && { project: first.project, hour: first.hour }),
  }
}

/** Keeps a rejected batch for an operator, unless too many are kept. */
function setAside({ folder, onProblem }: DeliveryParts, batch: SinkBatch, failure: HeadgateError): void {
  const place = join(folder, REFUSED)
  const what = `The sink rejected ${batch.lines.length} usage rows: ${failure.message}`
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 })
    const kept = readdirSync(place).reduce((sum, name) => sum + statSync(join(place, name)).size, 0)
    const isFull = kept >= MAX_REFUSED
    const content = `${batch.lines.join('\n')}\n`
    if (!isFull) writeFileSync(join(place, `${batch.id}.jsonl`), content, { mode: 0o600, flush: true })
    onProblem(`${what}. They are ${isFull ? `not kept, since ${place} is full. Empty it` : `in ${place}`}.`)
  } catch (error) {
    onProblem(`${what}. They could not be kept: ${error instanceof Error ? error.message : String(error)}`)
  }
}
