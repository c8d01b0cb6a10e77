import { ApiError } from '@google/genai'
import { answerDifferences, framesOf, type Reply, scenarios, vendorOf, wires } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY } from './gateway.ts'
import { googleAt } from './google.ts'
import { send } from './literal.ts'
import { openStage, PROVIDERS, type Stage, type StagedProvider } from './stage.ts'

const wire = wires['generate-content']
const { text, parallelTools, reasoning } = scenarios

/** Paths of a model, as the official client and its manuals write them. */
const PLACES = [
  '/v1beta/models/',
  '/v1/models/',
  '/v1/projects/a-project/locations/europe-west4/publishers/google/models/',
  '/v1beta1/projects/a-project/locations/global/publishers/anthropic/models/',
  '/v1beta1/publishers/google/models/',
]

/** A failure in the vendor's own words, as each format has it. */
const FAILURES: Readonly<Record<StagedProvider['format'], { readonly body: object; readonly frame: string }>> = {
  'chat-completions': {
    body: { error: { message: 'Too many sausages.', type: 'invalid_request_error', param: null, code: null } },
    frame: 'data: {"error":{"message":"Sausages ran out.","type":"server_error","param":null,"code":null}}\n\n',
  },
  messages: {
    body: { type: 'error', error: { type: 'invalid_request_error', message: 'Too many sausages.' } },
    frame: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Sausages ran out."}}\n\n',
  },
  'generate-content': {
    body: { error: { code: 400, message: 'Too many sausages.', status: 'INVALID_ARGUMENT' } },
    frame: 'data: {"error":{"code":503,"message":"Sausages ran out.","status":"UNAVAILABLE"}}\r\n\r\n',
  },
}

/** The elements of a JSON array as the frames that they stand for. */
function framed(array: string): string {
  const elements = JSON.parse(array) as object[]
  return elements.map((element) => `data: ${JSON.stringify(element)}\r\n\r\n`).join('')
}

const STREAMS = [
  { how: 'as server-sent events', query: '?alt=sse', type: 'text/event-stream', sse: (answer: string) => answer },
  { how: 'as a JSON array', query: '', type: 'application/json', sse: framed },
] as const

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  const body = JSON.stringify(text.requests['generate-content'])

  describe.each(PROVIDERS)('answers callers of generateContent from a provider of $format', (provider) => {
    const { model, format } = provider

    it.each(PLACES)('under %s{model}', async (place) => {
      stage.upstream(provider).answer(vendorOf(text, format))
      const { status, headers, text: answer } = await send(stage.url, `${place}${model}:generateContent`, body)
      expect([status, headers.get('content-type'), headers.get('headgate-vendor')]).toEqual([200, 'application/json', provider.name])
      expect(answerDifferences(text.meaning, wire.readAnswer(JSON.parse(answer)).meaning)).toEqual([])
    })

    describe.each(STREAMS)('$how', ({ query, type, sse }) => {
      const path = `/v1beta/models/${model}:streamGenerateContent${query}`

      it.each([text, parallelTools, reasoning])('with "$name"', async (scenario) => {
        const upstream = stage.upstream(provider)
        upstream.answer(vendorOf(scenario, format))
        const { status, headers, text: answer } = await send(stage.url, path, JSON.stringify(scenario.requests['generate-content']))
        expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
        const { meaning, problems, error } = wire.readStream(sse(answer))
        expect([problems, error, answerDifferences(scenario.meaning, meaning)]).toEqual([[], undefined, []])
      })

      it('with an error of the provider in the middle, after what came before it', async () => {
        const pieces = [...framesOf(text.answers[format].stream).slice(0, 4), Buffer.from(FAILURES[format].frame)]
        stage.upstream(provider).answer({ kind: 'stream', pieces })
        const { status, text: answer } = await send(stage.url, path, body)
        const { meaning, problems, error } = wire.readStream(sse(answer))
        expect([status, problems, error]).toEqual([200, [], expect.stringContaining('Sausages ran out.')])
        expect(meaning.text).not.toBe('')
        expect(text.meaning.text.startsWith(meaning.text)).toBe(true)
        const last: unknown = JSON.parse(sse(answer).trimEnd().split('\r\n\r\n').at(-1)?.replace('data: ', '') ?? '')
        expect(last).toEqual({ error: expect.objectContaining({ code: expect.any(Number), status: expect.stringMatching(/^[A-Z_]+$/) }) })
      })

      it('with an error when the provider breaks off', async () => {
        const pieces = framesOf(text.answers[format].stream).slice(0, 4)
        stage.upstream(provider).answer({ kind: 'stream', pieces, end: 'cut' })
        const { text: answer } = await send(stage.url, path, body)
        const { meaning, problems, error } = wire.readStream(sse(answer))
        expect([problems, error]).toEqual([[], expect.any(String)])
        expect(meaning.text).not.toBe('')
      })

      it('with a plain error when it fails before it begins', async () => {
        stage.upstream(provider).answer({ kind: 'whole', status: 400, body: FAILURES[format].body })
        const { status, headers, text: answer } = await send(stage.url, path, body)
        expect([status, headers.get('content-type')]).toEqual([400, 'application/json'])
        expect(JSON.parse(answer)).toMatchObject({
          error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining('Too many sausages.') },
        })
      })
    })

    it('with an error in the words of the provider', async () => {
      stage.upstream(provider).answer({ kind: 'whole', status: 400, body: FAILURES[format].body })
      const { status, text: answer } = await send(stage.url, `/v1beta/models/${model}:generateContent`, body)
      expect(status).toBe(400)
      expect(JSON.parse(answer)).toMatchObject({
        error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining('Too many sausages.') },
      })
    })

    it('with what came, then an error, where the official client reads the stream', async () => {
      const pieces = [...framesOf(text.answers[format].stream).slice(0, 4), Buffer.from(FAILURES[format].frame)]
      stage.upstream(provider).answer({ kind: 'stream', pieces } satisfies Reply)
      const came: (string | undefined)[] = []
      const failed = await (async () => {
        for await (const chunk of await googleAt(stage.url, 'Gemini API').models.generateContentStream({ model, contents: 'Hello.' }))
          came.push(chunk.text)
      })().catch((cause: unknown) => cause)
      expect(failed).toBeInstanceOf(ApiError)
      expect(String(failed)).toContain('Sausages ran out.')
      expect(came.join('')).not.toBe('')
    })
  })

  it.each([
    {
      what: 'no key',
      path: `${PLACES[2]}gemini-3.5-flash:generateContent`,
      status: 401,
      word: 'UNAUTHENTICATED',
      headers: { authorization: 'Bearer sk-unknown' },
    },
    { what: 'no model of that name', path: `${PLACES[0]}model-of-nobody:generateContent`, status: 400, word: 'NOT_FOUND', headers: {} },
    {
      what: 'a vendor that is unknown',
      path: `${PLACES[0]}gpt-5.4:generateContent`,
      status: 400,
      word: 'INVALID_ARGUMENT',
      headers: { vendor: 'nobody' },
    },
    { what: 'a path that does not exist', path: '/v1beta/corpora', status: 404, word: 'NOT_FOUND', headers: {} },
    {
      what: 'a body that is no JSON',
      path: `${PLACES[1]}gpt-5.4:generateContent`,
      status: 400,
      word: 'INVALID_ARGUMENT',
      headers: {},
      given: '{"contents":',
    },
    {
      what: 'a body without contents',
      path: `${PLACES[4]}gpt-5.4:generateContent`,
      status: 400,
      word: 'INVALID_ARGUMENT',
      headers: {},
      given: '{}',
    },
  ])('refuses $what in the shape of generateContent', async ({ path, status, word, headers, given = body }) => {
    const got = await send(stage.url, path, given, headers)
    expect([got.status, JSON.parse(got.text)]).toEqual([
      status,
      {
        error: {
          code: status,
          status: word,
          message: expect.any(String),
          details: expect.arrayContaining([expect.objectContaining({ requestId: got.headers.get('x-request-id') })]),
        },
      },
    ])
  })

  it('takes the key of the official client from its own header', async () => {
    const [provider] = PROVIDERS
    if (!provider) return expect.unreachable()
    stage.upstream(provider).answer(vendorOf(text, provider.format))
    const headers = { 'x-goog-api-key': API_KEY, 'content-type': 'application/json' }
    const answer = await fetch(`${stage.url}/v1beta/models/${provider.model}:generateContent`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
  })
})
