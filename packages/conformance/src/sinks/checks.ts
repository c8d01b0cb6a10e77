import { isDeepStrictEqual } from 'node:util'
import type { SinkBatch } from '@headgate/core/sink'
import { baseUrlProblems, descriptionProblems } from '../checks/manifest.ts'
import { startUpstream, type UpstreamReply } from '../upstream.ts'
import type { ReceivedRows, SinkFacts, TestedSink } from './facts.ts'
import { ACCEPTED, type SinkHarness, testBatch } from './harness.ts'

/** Sink, its facts, and its harness. */
export interface SinkTarget {
  readonly adapter: TestedSink<unknown>
  readonly facts: SinkFacts<unknown>
  readonly harness: SinkHarness
}

export interface SinkCheck {
  readonly name: string
  /** True if no further check makes sense after a finding. */
  readonly isGate?: boolean
  run(target: SinkTarget): Promise<readonly string[]>
}

/** Largest limits of a batch: the gateway has a batch in memory. */
const MAX_ROWS = 1_000_000
const MAX_BYTES = 64_000_000
const MAX_WAIT_MS = 600_000
const RETRY_AFTER = 7

const description: SinkCheck = {
  name: 'describes itself as the contract requires',
  isGate: true,
  async run({ adapter, facts, harness: { sink, upstream } }) {
    const { rows, bytes, waitMs } = sink.limits
    const hasLimits = isWithin(rows, MAX_ROWS) && isWithin(bytes, MAX_BYTES) && isWithin(waitMs, MAX_WAIT_MS)
    return [
      ...descriptionProblems(adapter, facts.config, { kind: 'sink', maker: 'defineSink' }),
      ...('request' in sink.write ? baseUrlProblems(sink.baseUrl, upstream.origin) : []),
      ...(hasLimits
        ? []
        : [
            `\`limits\` are ${rows} rows, ${bytes} bytes and ${waitMs} ms; allowed: 1 to ${MAX_ROWS}, ${MAX_BYTES} and ${MAX_WAIT_MS}.`,
          ]),
    ]
  },
}

const delivery: SinkCheck = {
  name: 'delivers each row unchanged and in order',
  isGate: true,
  async run(target) {
    const findings: string[] = []
    for (const count of [1, 3, 500]) {
      const batch = testBatch(target.harness.sink, count * 1_000, count)
      const { failure, received, problems } = await deliver(target, batch)
      findings.push(...problems)
      if (failure) findings.push(`A batch of ${count} rows is not confirmed: ${failure}.`)
      const expected = batch.lines.map((line): unknown => JSON.parse(line))
      const rows = received.flatMap((one) => one.rows)
      if (rows.length !== count) findings.push(`The destination received ${rows.length} of ${count} rows.`)
      else if (!isDeepStrictEqual(rows, expected)) findings.push(`Rows of a batch of ${count} arrive changed.`)
    }
    return findings
  },
}

const ids: SinkCheck = {
  name: 'names a batch the same each time, and different from others',
  async run(target) {
    const batch = testBatch(target.harness.sink, 1, 3)
    const before = JSON.stringify(batch.lines)
    const idOf = async (given: SinkBatch): Promise<string> =>
      JSON.stringify((await deliver(target, given)).received.map(({ id }) => id))
    const [one, again] = [await idOf(batch), await idOf(batch)]
    const others = [await idOf(testBatch(target.harness.sink, 4, 3)), await idOf(testBatch(target.harness.sink, 1, 2))]
    return [
      ...(one === again ? [] : ['A repeated batch has another id. Derive it from `batch.id`, `first` or `last`.']),
      ...(others.includes(one) ? ['Two batches have the same id, so that the second one would be ignored.'] : []),
      ...(JSON.stringify(batch.lines) === before
        ? []
        : ['The batch was changed. It is delivered again after a failure.']),
    ]
  },
}

const patience: SinkCheck = {
  name: 'returns once the destination has answered',
  async run({ harness }) {
    const { upstream, sink } = harness
    upstream.answer({ kind: 'silence' })
    const ending = new AbortController()
    const arrived = upstream.arrival()
    const writing = harness.failure(testBatch(sink, 10, 2), ending.signal)
    const request = await Promise.race([arrived, writing.then(() => undefined)])
    if (!request) return ['It returned before the destination got the rows.']
    const isEarly = await Promise.race([writing.then(() => true), turns(20).then(() => false)])
    ending.abort()
    const failure = await writing
    const closed = await Promise.race([request.closed, turns(2_000).then(() => 'open')])
    return [
      ...(isEarly || !failure
        ? ['It returned before the destination answered. The gateway would forget the rows.']
        : []),
      ...(closed === 'open' ? ['The request continues after its signal has aborted.'] : []),
    ]
  },
}

const failures: SinkCheck = {
  name: 'reports every failure, and which of them are final',
  async run(target) {
    const { harness, facts } = target
    const statuses = [301, 302, 400, 401, 403, 404, 413, 422, 429, 500, 502, 503]
    const common = statuses.map((status) => ({
      name: `status ${status}`,
      reply: whole(status, { error: 'no' }),
      isFinal: status === 400 || status === 422,
    }))
    const broken: readonly { name: string; reply: UpstreamReply; isFinal?: boolean }[] = [
      { name: 'a closed connection', reply: { kind: 'reset' } },
      { name: 'a response that breaks off', reply: { kind: 'whole', body: { a: 1 }, cut: true } },
    ]
    const findings: string[] = []
    for (const { name, reply, isFinal = false } of [...common, ...broken, ...(facts.failures ?? [])]) {
      harness.upstream.answer(reply)
      const failure = await harness.failure(testBatch(harness.sink, 20, 2))
      const isRefused = failure?.kind === 'invalid-request'
      if (!failure) findings.push(`After ${name}, the rows count as delivered: they are lost.`)
      else if (isRefused && !isFinal)
        findings.push(`After ${name}, the batch is set aside (\`invalid-request\`), although it can succeed later.`)
      else if (isFinal && !isRefused)
        findings.push(`After ${name}, the batch is repeated forever (\`${failure.kind}\`). Use \`invalid-request\`.`)
      if (name === 'status 413' && failure && failure.kind !== 'too-large')
        findings.push('After status 413, the failure is not `too-large`, so that the batch is not divided.')
    }
    return findings
  },
}

const waits: SinkCheck = {
  name: 'keeps the wait that the destination asks for',
  async run({ harness }) {
    const findings: string[] = []
    for (const status of [429, 503]) {
      harness.upstream.answer({ ...whole(status, {}), headers: { 'retry-after': String(RETRY_AFTER) } })
      const failure = await harness.failure(testBatch(harness.sink, 30, 1))
      if (failure?.retryAfterMs !== RETRY_AFTER * 1_000)
        findings.push(`\`retry-after\` of a ${status} is lost: \`retryAfterMs\` is ${failure?.retryAfterMs}.`)
    }
    return findings
  },
}

const redirects: SinkCheck = {
  name: 'follows no redirect',
  async run({ harness }) {
    const other = await startUpstream()
    other.answer(ACCEPTED)
    try {
      for (const status of [301, 302, 307, 308]) {
        harness.upstream.answer({ ...whole(status, ''), headers: { location: `${other.origin}/elsewhere` } })
        await harness.failure(testBatch(harness.sink, 40, 1))
      }
      return other.received.length === 0 ? [] : ['It followed a redirect to another host, with rows and credential.']
    } finally {
      await other.close()
    }
  },
}

const secrecy: SinkCheck = {
  name: 'keeps its secrets out of URLs and errors',
  async run({ harness, facts }) {
    const { secrets } = facts
    const urls: string[] = []
    harness.upstream.answer(({ path, query, headers }) => {
      urls.push(`${path}?${decodeURIComponent(String(query))}`)
      return whole(500, { message: `refused ${secrets.join(' ')} ${JSON.stringify(headers)}` })
    })
    const failure = await harness.failure(testBatch(harness.sink, 50, 1))
    const has = (text: string): boolean => secrets.some((secret) => text.includes(secret))
    return [
      ...(has(urls.join(' ')) ? ['A secret is part of the URL, which proxies and servers log.'] : []),
      ...(has(failure?.message ?? '') ? ['A secret that the destination repeats is part of the error.'] : []),
    ]
  },
}

const memory: SinkCheck = {
  name: 'reads a bounded part of a response',
  async run({ harness }) {
    const piece = Buffer.alloc(1_000_000, 32)
    harness.upstream.answer({ kind: 'stream', pieces: Array.from({ length: 80 }, () => piece) })
    const before = process.memoryUsage().arrayBuffers
    await harness.failure(testBatch(harness.sink, 60, 1))
    const grown = process.memoryUsage().arrayBuffers - before
    const { closed } = harness.upstream.received.at(-1) ?? {}
    const end = await closed
    return end === 'whole' && grown > 40_000_000
      ? [`A response of 80 MB was read into memory (${Math.round(grown / 1e6)} MB).`]
      : []
  },
}

/** Checks in their order. */
export const SINK_CHECKS: readonly SinkCheck[] = [
  description,
  delivery,
  ids,
  patience,
  failures,
  waits,
  redirects,
  secrecy,
  memory,
]

interface DeliveryReport {
  readonly failure: string | undefined
  readonly received: readonly ReceivedRows[]
  readonly problems: readonly string[]
}

/** Delivers a batch to a destination that accepts what `read` does not reject. */
async function deliver({ facts, harness }: SinkTarget, batch: SinkBatch): Promise<DeliveryReport> {
  const received: ReceivedRows[] = []
  const problems: string[] = []
  harness.upstream.answer((request) => {
    try {
      const rows = facts.read(request)
      if (rows) received.push(rows)
      return facts.accept ?? ACCEPTED
    } catch (error) {
      problems.push(`The destination rejects ${request.method} ${request.path}: ${String(error)}`)
      return whole(400, {})
    }
  })
  const failure = await harness.failure(batch)
  return { failure: failure?.message, received, problems }
}

function whole(status: number, body: object | string): Extract<UpstreamReply, { kind: 'whole' }> {
  return { kind: 'whole', status, body }
}

function isWithin(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

/** Resolves after turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
