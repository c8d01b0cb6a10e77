import { ApiError } from '@google/genai'
import {
  answerDifferences,
  failures,
  framesOf,
  scenarios,
  type UpstreamReply,
  vendorOf,
  wires,
} from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY } from './gateway.ts'
import { googleAt } from './google.ts'
import { send } from './literal.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

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
    const refusal: UpstreamReply = {
      kind: 'whole',
      status: 400,
      body: failures[format].body(400, 'Too many sausages.'),
    }
    const refused = {
      error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining('Too many sausages.') },
    }
    const begun = framesOf(text.answers[format].stream).slice(0, 5)
    const brokenOff: UpstreamReply = { kind: 'stream', pieces: begun, end: 'cut' }
    const failing: UpstreamReply = {
      kind: 'stream',
      pieces: [...begun, Buffer.from(failures[format].frame('Sausages ran out.'))],
    }

    it.each(PLACES)('case 336: under %s{model}', async (place) => {
      stage.upstream(provider).answer(vendorOf(text, format))
      const { status, headers, text: answer } = await send(stage.url, `${place}${model}:generateContent`, body)
      expect([status, headers.get('content-type'), headers.get('headgate-vendor')]).toEqual([
        200,
        'application/json',
        provider.name,
      ])
      expect(answerDifferences(text.meaning, wire.readAnswer(JSON.parse(answer)).meaning)).toEqual([])
    })

    describe.each(STREAMS)('$how', ({ query, type, sse }) => {
      const path = `/v1beta/models/${model}:streamGenerateContent${query}`

      it.each([text, parallelTools, reasoning])('with "$name"', async (scenario) => {
        const upstream = stage.upstream(provider)
        upstream.answer(vendorOf(scenario, format))
        const {
          status,
          headers,
          text: answer,
        } = await send(stage.url, path, JSON.stringify(scenario.requests['generate-content']))
        expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
        const { meaning, problems, error } = wire.readStream(sse(answer))
        expect([problems, error, answerDifferences(scenario.meaning, meaning)]).toEqual([[], undefined, []])
      })

      it('with an error of the provider in the middle, after what came before it', async () => {
        stage.upstream(provider).answer(failing)
        const { status, text: answer } = await send(stage.url, path, body)
        const { meaning, problems, error } = wire.readStream(sse(answer))
        expect([status, problems, error]).toEqual([200, [], expect.stringContaining('Sausages ran out.')])
        expect(meaning.text).not.toBe('')
        expect(text.meaning.text.startsWith(meaning.text)).toBe(true)
        const last: unknown = JSON.parse(sse(answer).trimEnd().split('\r\n\r\n').at(-1)?.replace('data: ', '') ?? '')
        expect(last).toEqual({
          error: expect.objectContaining({ code: expect.any(Number), status: expect.stringMatching(/^[A-Z_]+$/) }),
        })
      })

      it('with an error when the provider breaks off', async () => {
        stage.upstream(provider).answer(brokenOff)
        const { text: answer } = await send(stage.url, path, body)
        const { meaning, problems, error } = wire.readStream(sse(answer))
        expect([problems, error]).toEqual([[], expect.any(String)])
        expect(meaning.text).not.toBe('')
      })

      it('with a plain error when it fails before it begins', async () => {
        stage.upstream(provider).answer(refusal)
        const { status, headers, text: answer } = await send(stage.url, path, body)
        expect([status, headers.get('content-type')]).toEqual([400, 'application/json'])
        expect(JSON.parse(answer)).toMatchObject(refused)
      })
    })

    it('with an error in the words of the provider', async () => {
      stage.upstream(provider).answer(refusal)
      const { status, text: answer } = await send(stage.url, `/v1beta/models/${model}:generateContent`, body)
      expect([status, JSON.parse(answer)]).toMatchObject([400, refused])
    })

    it('with what came, then an error, where the official client reads the stream', async () => {
      stage.upstream(provider).answer(failing)
      const came: string[] = []
      const read = async (): Promise<void> => {
        const stream = await googleAt(stage.url, 'Gemini API').models.generateContentStream({
          model,
          contents: 'Hello.',
        })
        for await (const chunk of stream) came.push(chunk.text ?? '')
      }
      const failed = await read().catch((cause: unknown) => cause)
      expect(failed).toBeInstanceOf(ApiError)
      expect(String(failed)).toContain('Sausages ran out.')
      expect(came.join('')).not.toBe('')
    })
  })

  const [gemini, , project] = PLACES
  it.each([
    [
      'a key that is unknown',
      401,
      'UNAUTHENTICATED',
      `${project}gpt-5.4:generateContent`,
      body,
      { authorization: 'Bearer sk-unknown' },
    ],
    ['a model of nobody', 400, 'NOT_FOUND', `${gemini}model-of-nobody:generateContent`, body, {}],
    [
      'a vendor that is unknown',
      400,
      'INVALID_ARGUMENT',
      `${gemini}gpt-5.4:generateContent`,
      body,
      { vendor: 'nobody' },
    ],
    ['a path that does not exist', 404, 'NOT_FOUND', '/v1beta/corpora', body, {}],
    ['a body that is no JSON', 400, 'INVALID_ARGUMENT', `${project}gpt-5.4:streamGenerateContent`, '{"contents":', {}],
    ['a body without contents', 400, 'INVALID_ARGUMENT', `${gemini}gpt-5.4:generateContent`, '{}', {}],
  ])('refuses %s in the shape of generateContent', async (_, code, word, path, given, headers) => {
    const got = await send(stage.url, path, given, headers)
    const details = expect.arrayContaining([expect.objectContaining({ requestId: got.headers.get('x-request-id') })])
    expect([got.status, JSON.parse(got.text)]).toEqual([
      code,
      { error: { code, status: word, message: expect.any(String), details } },
    ])
  })

  it('takes the key of the official client from its own header', async () => {
    const [provider] = PROVIDERS
    if (!provider) return expect.unreachable()
    stage.upstream(provider).answer(vendorOf(text, provider.format))
    const headers = { 'x-goog-api-key': API_KEY, 'content-type': 'application/json' }
    const answer = await fetch(`${stage.url}/v1beta/models/${provider.model}:generateContent`, {
      method: 'POST',
      headers,
      body,
    })
    expect(answer.status).toBe(200)
  })
})
