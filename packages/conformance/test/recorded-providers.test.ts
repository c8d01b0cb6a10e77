import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Json } from '@headgate/core/provider'
import { createGateway, type Gateway, type ProviderInstance } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FORMATS, type LoopbackUpstream, SHORT_QUESTIONS, startUpstream, wires } from '../src/index.ts'

/** Providers of chat completions whose traffic was recorded. */
const PROVIDERS = [
  ...[
    'groq',
    'xai',
    'deepseek',
    'openrouter',
    'perplexity',
    'cerebras',
    'huggingface',
    'together',
    'zai',
    'writer',
    'moonshot',
    'baseten',
  ],
  ...['alibaba', 'snowflake'],
]

/** What a config must say beside a key and a base URL. */
const MORE: Readonly<Record<string, object>> = { snowflake: { account: 'drift' } }

interface Recording {
  readonly id: string
  readonly provider: string
  readonly family: string
  readonly stream: boolean
  readonly request: Json | null
  readonly model: string | null
  readonly responseStatus: number
  readonly responseBody: string
  readonly suspectSynthetic?: boolean
}

/** What an answer says, whatever it is wrapped in. */
interface Told {
  readonly text: string
  readonly calls: readonly string[]
}

const folder = process.env['HEADGATE_RECORDINGS'] || undefined
if (folder === undefined)
  process.stderr.write('Recorded traffic of providers is left out: HEADGATE_RECORDINGS names no folder.\n')

function readRecordings(family = 'chat'): Recording[] {
  if (folder === undefined) return []
  return (
    gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recording)
      .filter((one) => one.family === family && !one.suspectSynthetic && PROVIDERS.includes(one.provider))
      // Clients of most formats are given one answer.
      .filter(({ request }) => !(Number(request?.['n'] ?? 1) > 1))
  )
}

async function provider(id: string, origin: string): Promise<ProviderInstance> {
  const adapter = (await import(`../../providers/${id}/src/index.ts`))[id]
  const { pathname } = new URL(adapter({ apiKey: 'k', ...MORE[id] }).baseUrl)
  return adapter({ apiKey: 'zebra.of.the.record', baseUrl: `${origin}${pathname === '/' ? '' : pathname}` })
}

/** The first choice of a recorded answer. */
function recorded({ stream, responseBody }: Recording): Told {
  const bodies = stream
    ? [...responseBody.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json)
    : [JSON.parse(responseBody) as Json]
  const choices = bodies
    .flatMap(({ choices }) => (Array.isArray(choices) ? (choices as Json[]) : []))
    .filter(({ index }) => index === undefined || index === 0)
  const said = choices.map((choice) => (choice[stream ? 'delta' : 'message'] ?? {}) as Json)
  const calls = new Map<unknown, string>()
  for (const { tool_calls } of said)
    for (const [place, call] of ((tool_calls ?? []) as Json[]).entries()) {
      const { name, arguments: written } = (call['function'] ?? {}) as Record<string, string | null>
      const key = call['index'] ?? place
      calls.set(key, `${calls.get(key) ?? ''}${name ?? ''}${written ?? ''}`)
    }
  return { text: said.map(({ content }) => content ?? '').join(''), calls: [...calls.values()].map(canonical) }
}

/** A name and its arguments without what JSON leaves open. */
function canonical(call: string): string {
  const start = call.indexOf('{')
  if (start < 0) return `${call}{}`
  try {
    return `${call.slice(0, start)}${JSON.stringify(JSON.parse(call.slice(start)))}`
  } catch {
    return call
  }
}

/** Traffic of real providers. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)('Recorded traffic through the package of its provider', { tags: ['full'] }, () => {
  const recordings = readRecordings()
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: await Promise.all(PROVIDERS.map((id) => provider(id, upstream.origin))),
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
      retries: { least: 0 },
      times: { backoff: 1 },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function ask(
    recording: Recording,
    format: (typeof FORMATS)[number],
    body: Json,
  ): Promise<{ status: number; text: string }> {
    const { provider: vendor, model, stream, responseBody, responseStatus: status } = recording
    const streamed = stream && status === 200
    upstream.answer(
      streamed
        ? { kind: 'stream', pieces: [Buffer.from(responseBody)], headers: { 'content-type': 'text/event-stream' } }
        : { kind: 'whole', status, body: responseBody, headers: { 'content-type': 'application/json' } },
    )
    const wire = wires[format]
    const named = model ?? 'model'
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json', vendor }
    const url = `http://localhost${wire.path(named, stream)}`
    const answer = await gateway.fetch(
      new Request(url, { method: 'POST', headers, body: JSON.stringify(wire.body(body, named, stream)) }),
    )
    return { status: answer.status, text: await answer.text() }
  }

  /** Formats that are served as well: callers of them are given these as they are. */
  const SERVED: Readonly<Record<string, (typeof FORMATS)[number]>> = {
    deepseek: 'messages',
    moonshot: 'messages',
    zai: 'messages',
    alibaba: 'messages',
    snowflake: 'messages',
    xai: 'responses',
  }
  const asking = (id: string) => FORMATS.filter((format) => format !== SERVED[id])

  it.each(PROVIDERS)('%s says the same to callers of every format', async (id) => {
    const problems: string[] = []
    const own = recordings.filter((one) => one.provider === id && one.responseStatus === 200)
    expect(own.length).toBeGreaterThan(0)
    for (const recording of own) {
      const due = recorded(recording)
      for (const format of asking(id)) {
        const got = await ask(recording, format, SHORT_QUESTIONS[format])
        const wire = wires[format]
        if (got.status !== 200) {
          problems.push(`${recording.id} to ${format}: status ${got.status}, ${got.text.slice(0, 200)}`)
          continue
        }
        const read = recording.stream ? wire.readStream(got.text) : wire.readAnswer(JSON.parse(got.text))
        const calls = read.meaning.calls.map((call) => `${call.name}${JSON.stringify(call.arguments || {})}`)
        if (read.meaning.text !== due.text) problems.push(`${recording.id} to ${format}: the text differs`)
        if (calls.join() !== due.calls.join())
          problems.push(`${recording.id} to ${format}: calls differ: ${calls} for ${due.calls}`)
        if (format !== 'chat-completions')
          problems.push(...read.problems.map((problem) => `${recording.id} to ${format}: ${problem}`))
      }
    }
    expect(problems).toEqual([])
  })

  it('xai gives callers of responses its own, byte by byte', async () => {
    const own = readRecordings('responses').filter((one) => one.provider === 'xai' && one.responseStatus === 200)
    expect(own.length).toBeGreaterThan(0)
    const differing: string[] = []
    for (const recording of own) {
      const got = await ask(recording, 'responses', SHORT_QUESTIONS.responses)
      if (got.status !== 200 || got.text !== recording.responseBody) differing.push(recording.id)
    }
    expect(differing).toEqual([])
  })

  it('takes the requests that were recorded', async () => {
    const problems: string[] = []
    for (const recording of recordings.filter(
      ({ request, responseStatus }) => request !== null && responseStatus === 200,
    )) {
      const got = await ask(recording, 'chat-completions', recording.request ?? {})
      if (got.status !== 200) problems.push(`${recording.id}: status ${got.status}, ${got.text.slice(0, 200)}`)
    }
    expect(problems).toEqual([])
  })

  it('tells its failures apart', async () => {
    const problems: string[] = []
    for (const recording of recordings.filter(({ responseStatus }) => responseStatus >= 400)) {
      const due = recording.responseStatus === 401 ? 500 : 400
      const got = await ask(recording, 'chat-completions', SHORT_QUESTIONS['chat-completions'])
      if (got.status !== due) problems.push(`${recording.id}: status ${got.status}, ${got.text.slice(0, 200)}`)
    }
    expect(problems).toEqual([])
  })
})
