import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  type AnswerMeaning,
  answerDifferences,
  CALLER_KEY,
  FORMATS,
  type LoopbackUpstream,
  SHORT_QUESTIONS,
  startUpstream,
  wires,
} from '@headgate/conformance'
import { type Json, object, objects, parse, text } from '@headgate/core/codec'
import { createGateway, type Gateway } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cohere } from '../src/index.ts'

interface Recording {
  readonly id: string
  readonly family: string
  readonly stream: boolean
  readonly endpoint: string | null
  readonly request: Json | null
  readonly responseStatus: number
  readonly responseBody: string
}

const folder = process.env['HEADGATE_RECORDINGS'] || undefined
if (folder === undefined)
  process.stderr.write('Recorded answers of Cohere are left out: HEADGATE_RECORDINGS names no folder.\n')

/** Answers of version 1 of the API, which is not asked. */
const isFirst = ({ endpoint, responseBody }: Recording): boolean =>
  endpoint?.startsWith('/v1/') === true || responseBody.includes('"generation_id"')

function readRecordings(): Recording[] {
  if (folder === undefined) return []
  const lines = gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  return lines.flatMap((line) => {
    const one = line.includes('cohere')
      ? (JSON.parse(line) as Recording & { readonly provider: string; readonly suspectSynthetic?: boolean })
      : undefined
    return one?.provider === 'cohere' && !one.suspectSynthetic && !isFirst(one) ? [one] : []
  })
}

const FINISH: Readonly<Record<string, AnswerMeaning['finish']>> = { MAX_TOKENS: 'length', TOOL_CALL: 'tool-calls' }
const fields = (value: unknown): Json => object(value) ?? {}

function tokens(usage: unknown): Pick<AnswerMeaning, 'usage'> {
  const { billed_units, cached_tokens } = fields(usage)
  const { input_tokens: input, output_tokens: output } = fields(billed_units)
  if (typeof input !== 'number' || typeof output !== 'number') return {}
  const cacheRead = typeof cached_tokens === 'number' ? Math.min(cached_tokens, input) : 0
  return { usage: { input, output, ...(cacheRead > 0 && { cacheRead }) } }
}

/** What a whole answer says. */
function meaningOf(body: Json): AnswerMeaning {
  const { content, tool_plan, tool_calls } = fields(body['message'])
  return {
    text: objects(content)
      .map((one) => text(one['text']) ?? '')
      .join(''),
    reasoning:
      objects(content)
        .map((one) => text(one['thinking']) ?? '')
        .join('') + (text(tool_plan) ?? ''),
    calls: objects(tool_calls).map(({ function: called }) => ({
      name: String(fields(called)['name']),
      // No arguments are `null`.
      arguments: parse(String(fields(called)['arguments'])) ?? {},
    })),
    finish: FINISH[String(body['finish_reason'])] ?? 'stop',
    ...tokens(body['usage']),
  }
}

/** What the events of a stream say. */
function streamMeaning(source: string): AnswerMeaning {
  let [said, reasoning, end]: [string, string, Json] = ['', '', {}]
  const calls: { name: string; json: string }[] = []
  for (const line of source.split('\n')) {
    const event = line.startsWith('data:') ? object(parse(line.slice(5))) : undefined
    const delta = fields(event?.['delta'])
    const { content, tool_plan, tool_calls } = fields(delta['message'])
    said += text(fields(content)['text']) ?? ''
    reasoning += (text(fields(content)['thinking']) ?? '') + (text(tool_plan) ?? '')
    const { name, arguments: piece } = fields(fields(tool_calls)['function'])
    if (event?.['type'] === 'tool-call-start') calls.push({ name: String(name), json: '' })
    const call = calls.at(-1)
    if (call) call.json += text(piece) ?? ''
    if (event?.['type'] === 'message-end') end = delta
  }
  return {
    text: said,
    reasoning,
    calls: calls.map(({ name, json }) => ({ name, arguments: parse(json || '{}') })),
    finish: FINISH[String(end['finish_reason'])] ?? 'stop',
    ...tokens(end['usage']),
  }
}

/** Traffic of the real API. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)('Recorded answers of Cohere', { tags: ['full'] }, () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [cohere({ apiKey: 'k', baseUrl: upstream.origin })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))
  const recordings = readRecordings()

  async function post(
    path: string,
    body: Json,
    { stream, responseBody, responseStatus: status }: Recording,
  ): Promise<{ status: number; body: string }> {
    const json = { 'content-type': 'application/json' }
    upstream.answer(({ method }) => {
      if (method === 'GET') return { kind: 'whole', body: { models: [] } }
      return stream
        ? { kind: 'stream', pieces: [Buffer.from(responseBody)] }
        : { kind: 'whole', status, body: responseBody, headers: json }
    })
    const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor: 'cohere' }
    const answer = await gateway.fetch(
      new Request(`http://localhost${path}`, { method: 'POST', body: JSON.stringify(body), headers }),
    )
    return { status: answer.status, body: await answer.text() }
  }

  it.each(FORMATS)('say the same in %s', async (caller) => {
    const problems: string[] = []
    const all = recordings.filter(({ family }) => family === 'cohere-chat')
    const wire = wires[caller]
    for (const recording of all) {
      const { id, stream, responseBody, responseStatus } = recording
      const { status, body } = await post(
        wire.path('command-a-03-2025', stream),
        wire.body(SHORT_QUESTIONS[caller], 'command-a-03-2025', stream),
        recording,
      )
      if (responseStatus !== 200) {
        if (status < 400 || wire.readError(parse(body)) === undefined) problems.push(`${id}: ${status}`)
        continue
      }
      const due = stream ? streamMeaning(responseBody) : meaningOf(fields(parse(responseBody)))
      const read = stream ? wire.readStream(body) : wire.readAnswer(parse(body))
      const { usage } = read.meaning
      const found =
        usage?.cacheRead === 0 ? { ...read.meaning, usage: { input: usage.input, output: usage.output } } : read.meaning
      const differing = answerDifferences(due, found, due.usage !== undefined).map((one) => one.split(/[:"]/)[0] ?? '')
      if (status !== 200 || differing.length + read.problems.length > 0)
        problems.push(`${id}: ${[status, ...differing, ...read.problems].join('; ')}`)
    }
    expect(all.length).toBeGreaterThan(0)
    expect(problems).toEqual([])
  })

  it('hold the same vectors for clients of OpenAI', async () => {
    const problems: string[] = []
    const all = recordings.filter(({ family, endpoint }) => family === 'embeddings' && endpoint === '/v2/embed')
    for (const recording of all) {
      const { id, request, responseBody, responseStatus } = recording
      const { status, body } = await post(
        '/v1/embeddings',
        { model: 'embed-v4.0', input: request?.['texts'] },
        recording,
      )
      const due = fields(parse(responseBody))
      const vectors = objects(fields(parse(body))['data']).map(({ embedding }) => embedding)
      if (responseStatus === 200 && JSON.stringify(vectors) !== JSON.stringify(fields(due['embeddings'])['float']))
        problems.push(`${id}: the numbers differ`)
      if ((responseStatus === 200) !== (status === 200)) problems.push(`${id}: ${status}`)
    }
    expect(all.length).toBeGreaterThan(0)
    expect(problems).toEqual([])
  })
})
