import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { object, objects, parse } from '@headgate/core/codec'
import type { Json } from '@headgate/core/provider'
import { createGateway, type Gateway, type ProviderInstance } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AnswerMeaning,
  answerDifferences,
  CALLER_KEY,
  FORMATS,
  type KitFormat,
  type LoopbackUpstream,
  SHORT_QUESTIONS,
  startUpstream,
  wires,
} from '../src/index.ts'

interface Recording {
  readonly id: string
  readonly provider: string
  readonly family: string
  readonly stream: boolean
  readonly request: Json | null
  readonly responseStatus: number
  readonly responseBody: string
  readonly responseContentType: string | null
  readonly suspectSynthetic?: boolean
}

/**
 * How what was recorded of a provider is asked for: the instance, and a model of it that is answered in the format of
 * the recording.
 */
interface Recorded {
  readonly providers: readonly string[]
  readonly family: string
  readonly instance: string
  readonly model: string
  /** The format of the recording; absent = the vendor's own. */
  readonly format?: KitFormat
}

const RECORDED: readonly Recorded[] = [
  { providers: ['azure'], family: 'chat', instance: 'azure', model: 'prod-5', format: 'chat-completions' },
  { providers: ['azure'], family: 'responses', instance: 'azure', model: 'prod-codex', format: 'responses' },
  {
    providers: ['vertex'],
    family: 'generateContent',
    instance: 'vertex',
    model: 'gemini-3-flash-preview',
    format: 'generate-content',
  },
  {
    providers: ['vertex'],
    family: 'messages',
    instance: 'vertex',
    model: 'claude-haiku-4-5@20251001',
    format: 'messages',
  },
  { providers: ['ollama'], family: 'ollama-chat', instance: 'ollama', model: 'llama3.2' },
  {
    providers: ['ollama', 'ollama-cloud'],
    family: 'chat',
    instance: 'ollama-openai',
    model: 'qwen3',
    format: 'chat-completions',
  },
  {
    providers: ['mistral'],
    family: 'chat',
    instance: 'mistral',
    model: 'mistral-large-latest',
    format: 'chat-completions',
  },
]

/** What is at fault with a recording, and for which callers; all where none is named. */
interface Exception {
  readonly cause: string
  readonly ids: readonly string[]
  readonly callers?: readonly KitFormat[]
}

const EXCEPTIONS: readonly Exception[] = [
  {
    cause:
      'The upstream counts more cached tokens than tokens of input. A caller of messages adds them up, and is told the larger number.',
    callers: ['messages'],
    ids: [
      ...['azure-chat-13d3eb11a628', 'azure-chat-150884c61618', 'azure-chat-18af7336f7dc', 'azure-chat-1b1609cededf'],
      ...['azure-chat-4890d42966b8', 'azure-chat-997a430c0a35', 'azure-chat-a4f3cce45e31', 'azure-chat-ae0c3bf9e24b'],
      ...['azure-chat-b43086b79ec5', 'azure-chat-c692abc2acc1', 'azure-chat-c7336d17fc7e', 'azure-chat-e3d1b5093024'],
      ...['azure-chat-ea7177205647', 'azure-chat-ee7faaab6de6'],
    ],
  },
  {
    cause: 'The body is no answer of responses: the upstream answered with a chat completion.',
    ids: ['azure-responses-b15034931dd4', 'azure-responses-9bacdfa5e637'],
  },
  {
    cause:
      'The stream is a list of JSON with numbers for words, as a parameter had asked for that the package does not send.',
    ids: ['vertex-generateContent-850b11e800f1'],
  },
]

const folder = process.env['HEADGATE_RECORDINGS'] || undefined
if (folder === undefined)
  process.stderr.write('Recorded traffic of clouds is left out: HEADGATE_RECORDINGS names no folder.\n')

function readRecordings(): Recording[] {
  if (folder === undefined) return []
  const providers = new Set(RECORDED.flatMap((one) => one.providers))
  return (
    gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recording)
      .filter(({ provider, suspectSynthetic }) => !suspectSynthetic && providers.has(provider))
      // Clients of most formats are given one answer.
      .filter(({ request }) => !(Number(request?.['n'] ?? 1) > 1))
  )
}

async function instances(origin: string): Promise<ProviderInstance[]> {
  const adapter = async (id: string) => (await import(`../../providers/${id}/src/index.ts`))[id]
  const [azure, vertex, ollama, mistral] = await Promise.all(['azure', 'vertex', 'ollama', 'mistral'].map(adapter))
  const apiKey = 'zebra.of.the.record'
  return [
    // Before there were responses: callers of them are answered by chat completions.
    azure({ apiKey, baseUrl: origin, apiVersion: '2024-10-21' }),
    { ...azure({ apiKey, baseUrl: origin }), name: 'azure-v1' },
    vertex({ apiKey, project: 'p', location: 'global', baseUrl: origin }),
    ollama({ baseUrl: origin }),
    { ...ollama({ baseUrl: origin, api: 'openai' }), name: 'ollama-openai' },
    mistral({ apiKey, baseUrl: `${origin}/v1` }),
  ]
}

/** What a recording says. */
function meaningOf({ stream, responseBody }: Recording, format: KitFormat | undefined): AnswerMeaning {
  if (format === undefined) return ollamaMeaning(responseBody)
  const wire = wires[format]
  const body = WORDS.reduce((text, [pattern, word]) => text.replace(pattern, word), responseBody)
  const { meaning } = stream ? wire.readStream(`${body.trimEnd()}\n\n`) : wire.readAnswer(JSON.parse(body))
  const { calls, finish, usage, ...rest } = meaning
  // A prompt that was blocked ends no candidate, and counts nothing.
  if (body.includes('"blockReason"'))
    return { ...rest, calls, finish: 'content-filter', ...(usage?.input && { usage }) }
  // Servers that say something else after calls are put right.
  return calls.length > 0 && finish === 'stop' ? { ...meaning, finish: 'tool-calls' } : meaning
}

/** What the readers of the kit know by another word: thoughts, tokens of a cache, ends that are told as numbers. */
const WORDS = [
  [/"reasoning":/g, '"reasoning_content":'],
  [/"num_cached_tokens": ?(\d+)/g, '"prompt_tokens_details":{"cached_tokens":$1}'],
  [/"finishReason": 1\b/g, '"finishReason": "STOP"'],
  [/"finishReason": 2\b/g, '"finishReason": "MAX_TOKENS"'],
] as const

/** What lines of Ollama's own chat say, or the one object of a whole answer. */
function ollamaMeaning(body: string): AnswerMeaning {
  const lines = objects(body.split('\n').map(parse))
  const messages = lines.map(({ message }) => object(message) ?? {})
  const { done_reason, prompt_eval_count: input, eval_count: output } = lines.at(-1) ?? {}
  const calls = messages
    .flatMap(({ tool_calls }) => objects(tool_calls))
    .map(({ function: called }) => ({
      name: String(object(called)?.['name']),
      arguments: object(called)?.['arguments'],
    }))
  return {
    text: messages.map(({ content }) => content ?? '').join(''),
    reasoning: messages.map(({ thinking }) => thinking ?? '').join(''),
    calls,
    finish: done_reason === 'length' ? 'length' : calls.length > 0 ? 'tool-calls' : 'stop',
    ...(typeof input === 'number' && typeof output === 'number' && { usage: { input, output } }),
  }
}

/** Calls without what only their own format has, and no tokens of a cache where they are none. */
function plain(meaning: AnswerMeaning): AnswerMeaning {
  const { usage, calls } = meaning
  return {
    ...meaning,
    calls: calls.map((call) => ({ name: call.name, arguments: call.arguments || {} })),
    ...(usage && {
      usage: { input: usage.input, output: usage.output, ...(usage.cacheRead && { cacheRead: usage.cacheRead }) },
    }),
  }
}

/** Traffic of the real services. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)(
  'Recorded traffic of clouds through their packages',
  { timeout: 240_000, tags: ['full'] },
  () => {
    const recordings = readRecordings()
    let upstream: LoopbackUpstream
    let gateway: Gateway
    beforeAll(async () => {
      upstream = await startUpstream()
      gateway = createGateway({
        providers: await instances(upstream.origin),
        authenticate: () => ({ id: 'me' }),
        ledger: { settle() {} },
        retries: { least: 0 },
        times: { backoff: 1 },
      })
    })
    afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

    async function ask(
      recording: Recording,
      caller: KitFormat,
      { instance, model }: Recorded,
    ): Promise<{ status: number; body: string }> {
      const { stream, responseBody, responseStatus: status } = recording
      const type = instance === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
      upstream.answer(
        stream && status === 200
          ? { kind: 'stream', pieces: [Buffer.from(responseBody)], headers: { 'content-type': type } }
          : { kind: 'whole', status, body: responseBody, headers: { 'content-type': 'application/json' } },
      )
      const wire = wires[caller]
      const vendor = recording.family === 'responses' ? 'azure-v1' : instance
      const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor }
      const url = `http://localhost${wire.path(model, stream)}`
      const body = JSON.stringify(wire.body(SHORT_QUESTIONS[caller], model, stream))
      const answer = await gateway.fetch(new Request(url, { method: 'POST', headers, body }))
      return { status: answer.status, body: await answer.text() }
    }

    const isExcepted = ({ id }: Recording, caller: KitFormat): boolean =>
      EXCEPTIONS.some(({ ids, callers }) => ids.includes(id) && (callers?.includes(caller) ?? true))

    it.each(RECORDED)('$family of $providers says the same to callers of every format', async (one) => {
      const problems: string[] = []
      const own = recordings.filter(({ provider, family }) => one.providers.includes(provider) && family === one.family)
      expect(own.length).toBeGreaterThan(0)
      for (const recording of own.filter(({ responseStatus }) => responseStatus === 200)) {
        const due = plain(meaningOf(recording, one.format))
        for (const caller of FORMATS.filter((format) => !isExcepted(recording, format))) {
          const { status, body } = await ask(recording, caller, one)
          const wire = wires[caller]
          const isPassed = caller === one.format
          const read =
            status !== 200 || isPassed
              ? undefined
              : recording.stream
                ? wire.readStream(body)
                : wire.readAnswer(JSON.parse(body))
          const meaning =
            isPassed && status === 200 ? meaningOf({ ...recording, responseBody: body }, caller) : read?.meaning
          // What has no word of its own elsewhere may become any.
          const same = due.finish === 'unknown' && meaning ? { ...due, finish: meaning.finish } : due
          const found = meaning
            ? answerDifferences(same, plain(meaning), due.usage !== undefined)
            : [`status is ${status}`]
          const wrong = read?.problems ?? []
          // What differs, without what it says.
          const differing = [...found.map((text) => text.split(/[:"]/)[0] ?? ''), ...wrong]
          if (differing.length > 0) problems.push(`${recording.id} to ${caller}: ${differing.join('; ')}`)
        }
      }
      expect(problems).toEqual([])
    })

    it.each(RECORDED)('failures of $family of $providers are failures in every format', async (one) => {
      const problems: string[] = []
      for (const recording of recordings.filter(
        ({ provider, family }) => one.providers.includes(provider) && family === one.family,
      )) {
        const { responseStatus: status } = recording
        if (status < 400) continue
        const due = status === 401 || status === 403 ? 500 : status === 429 ? 429 : 400
        for (const caller of FORMATS) {
          const got = await ask(recording, caller, one)
          const isError = wires[caller].readError(JSON.parse(got.body)) !== undefined
          if (got.status !== due || !isError) problems.push(`${recording.id} to ${caller}: ${got.status}`)
        }
      }
      expect(problems).toEqual([])
    })

    it.each([
      ['azure', 'azure', 'embeddings'],
      ['mistral', 'mistral', 'embeddings'],
      ['vertex', 'vertex', 'predict'],
    ])('vectors of %s are the same numbers to clients of OpenAI', async (provider, vendor, family) => {
      const problems: string[] = []
      const own = recordings.filter((one) => one.provider === provider && one.family === family)
      expect(own.length).toBeGreaterThan(0)
      for (const { id, request, responseBody, responseStatus: status } of own) {
        upstream.answer({ kind: 'whole', status, body: responseBody, headers: { 'content-type': 'application/json' } })
        const input = request?.['input'] ?? objects(request?.['instances']).map(({ content }) => content)
        const encoding_format = request?.['encoding_format']
        const body = JSON.stringify({
          model: 'text-embedding-005',
          input,
          ...(encoding_format !== undefined && { encoding_format }),
        })
        const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor }
        const answer = await gateway.fetch(
          new Request('http://localhost/v1/embeddings', { method: 'POST', headers, body }),
        )
        const read = (await answer.json()) as Json
        const { data, predictions } = object(parse(responseBody)) ?? {}
        const due = data
          ? objects(data).map((one) => one['embedding'])
          : objects(predictions).map((one) => object(one['embeddings'])?.['values'])
        const found = objects(read['data']).map((one) => one['embedding'])
        if (status === 200 && JSON.stringify(found) !== JSON.stringify(due)) problems.push(`${id}: the numbers differ`)
        if ((status === 200) !== (answer.status === 200)) problems.push(`${id}: ${answer.status}`)
      }
      expect(problems).toEqual([])
    })
  },
)
