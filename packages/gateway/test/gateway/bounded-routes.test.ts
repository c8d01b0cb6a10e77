import { describe, expect, it } from 'vitest'
import { isObject } from '../../../core/src/canonical/json.ts'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import { WHISPER } from '../../../core/src/provider.ts'
import { CHAT, chatRequest, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import { PRICE, SPENT, startBounded, verdict } from '../support/budgets.ts'
import { server } from '../support/embeddings.ts'
import { chatProvider } from '../support/gateway.ts'
import { png } from '../support/pictures.ts'
import { ranker } from '../support/rerank.ts'
import { startUpstream } from '../support/upstream.ts'
import { TASKS, taskOptions, videoProvider } from '../video/support.ts'

const DEPLOYMENTS = '/openai/deployments'
const GEMINI = '/v1beta/models'
const VERTEX = '/v1/projects/p/locations/l/publishers/google/models'
const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], generationConfig: { maxOutputTokens: 5 } }
const ranking = { model: 'rank-1', query: 'Hello', documents: ['Hello', 'Hi'] }
const content = { content: { parts: [{ text: 'Hello' }] } }

/** A form with a picture. */
function pictureForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('image', new Blob([png(8, 8)], { type: 'image/png' }), 'a.png')
  return form
}

/** A form with a recording. */
function soundForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([Buffer.alloc(1_000)], { type: 'audio/wav' }), 'a.wav')
  return form
}

/** A request of each route that upstreams charge for, by the id of its operation. */
const PAID: Readonly<Record<string, readonly [path: string, body?: object]>> = {
  'image-generations': ['/v1/images/generations', { model: 'brush-1', prompt: 'Hello' }],
  'image-edits': ['/v1/images/edits', pictureForm({ model: 'brush-1', prompt: 'Hello' })],
  'image-variations': ['/v1/images/variations', pictureForm({ model: 'brush-1' })],
  images: ['/v1/images', { model: 'brush-1', prompt: 'Hello' }],
  speech: ['/v1/audio/speech', { model: 'mouth-1', input: 'Hello', voice: 'nova' }],
  transcribe: ['/v1/audio/transcriptions', soundForm({ model: 'ear-1' })],
  'translate-recording': ['/v1/audio/translations', soundForm({ model: 'ear-1' })],
  moderations: ['/v1/moderations', { model: 'judge-1', input: 'Hello' }],
  'chat-completions': [CHAT, { ...chatRequest, max_tokens: 5 }],
  completions: ['/v1/completions', { model: 'small', prompt: 'Hello', max_tokens: 5 }],
  'chat-completions-of-deployment': [
    `${DEPLOYMENTS}/small/chat/completions?api-version=1`,
    { messages: chatRequest.messages, max_tokens: 5 },
  ],
  'completions-of-deployment': [`${DEPLOYMENTS}/small/completions`, { prompt: 'Hello', max_tokens: 5 }],
  'embeddings-of-deployment': [`${DEPLOYMENTS}/embed-1/embeddings`, { input: 'Hello' }],
  messages: [MESSAGES, messagesRequest],
  responses: ['/v1/responses', { model: 'small', input: 'Hello', max_output_tokens: 5 }],
  'generate-content': [`${GEMINI}/small:generateContent`, contents],
  'stream-generate-content': [`${GEMINI}/small:streamGenerateContent?alt=sse`, contents],
  'generate-content-of-project': [`${VERTEX}/small:generateContent`, contents],
  'stream-generate-content-of-project': [`${VERTEX}/small:streamGenerateContent`, contents],
  embeddings: ['/v1/embeddings', { model: 'embed-1', input: 'Hello' }],
  'embed-content': [`${GEMINI}/embed-1:embedContent`, content],
  'batch-embed-contents': [
    `${GEMINI}/embed-1:batchEmbedContents`,
    { requests: [{ model: 'models/embed-1', ...content }] },
  ],
  'embed-content-of-project': [`${VERTEX}/embed-1:embedContent`, content],
  predict: [`${VERTEX}/embed-1:predict`, { instances: [{ content: 'Hello' }] }],
  rerank: ['/v1/rerank', ranking],
  'rerank-of-cohere': ['/v2/rerank', ranking],
  search: ['/customsearch/v1?q=hello'],
  'create-video-task': [TASKS, { model: 'reel-1', content: [{ type: 'text', text: 'a cat' }], duration: 5 }],
}

/** The others, with why they cost nothing. */
const FREE: Readonly<Record<string, string>> = {
  openapi: 'it is a document of the gateway',
  'get-key': 'the gateway knows it',
  'list-models': 'lists are fetched for all, and cost nothing',
  'list-models-of-generate-content': 'the same',
  'get-model': 'the same',
  'get-model-of-generate-content': 'the same',
  'count-tokens-of-messages': 'vendors count for nothing',
  'count-tokens': 'the same',
  'count-tokens-of-responses': 'the same',
  'get-response': 'it is made',
  'list-response-input-items': 'the same',
  'cancel-response': 'canceling costs nothing',
  'delete-response': 'it is made',
  'count-tokens-of-project': 'the same',
  'list-video-tasks': 'the gateway keeps them',
  'get-video-task': 'looking at a task costs nothing: its creation has been reserved for',
  'delete-video-task': 'canceling costs nothing',
  'get-video-content': 'the file is made',
}

async function startAll() {
  const upstream = await startUpstream((call) => call.answer(200, {}))
  const known = (id: string, family: string) => ({ id, price: PRICE, families: [family] })
  const gateway = await startBounded('node', 0, {
    providers: [
      chatProvider(upstream.url, { known: [known('small', 'chat')] }),
      server(upstream.url, {
        name: 'beta',
        known: [{ ...known('embed-1', 'embeddings'), price: { ...PRICE, input: 1_000_000 } }],
      }),
      ranker(upstream.url, { name: 'gamma' }),
      videoProvider(upstream.url),
      {
        name: 'delta',
        claims: [],
        ...openAICompatibleServer({
          baseUrl: upstream.url,
          models: false,
          known: [
            known('brush-1', 'images'),
            { ...known('mouth-1', 'speech'), price: { ...PRICE, units: { characters: 1_000_000_000_000 } } },
            known('ear-1', 'transcription'),
            known('judge-1', 'moderations'),
          ],
          speech: true,
          transcription: { translations: '/audio/translations', can: { ...WHISPER, translates: true } },
          moderations: true,
          images: { edits: '/images/edits', can: { sizes: 'any', images: 1, outputTokens: () => 10 } },
        }),
      },
    ],
    search: {
      backends: [
        {
          name: 'engine',
          baseUrl: upstream.url,
          credential: { kind: 'none' },
          price: { id: 'call', calls: 1_000_000 },
          paging: { by: 'none', maxResults: 20 },
          search: { request: ({ q }) => ({ method: 'GET', url: `/search?q=${q}` }), response: () => ({ items: [] }) },
        },
      ],
    },
    tasks: taskOptions(),
  })
  const paths = Object.values(gateway.gateway.openapi()['paths'] as object).filter(isObject)
  const operations = paths.flatMap((path) =>
    Object.values(path).flatMap((one) => (isObject(one) ? [String(one['operationId'])] : [])),
  )
  return { ...gateway, upstream, operations }
}

describe('A budget of nothing', () => {
  it('is known to each route: those that cost something, and those that do not', async () => {
    const { operations } = await startAll()
    expect(operations.toSorted()).toEqual([...Object.keys(PAID), ...Object.keys(FREE)].toSorted())
  })

  it.each(Object.entries(PAID))('refuses %s before anybody is asked', async (_, [path, body]) => {
    const { call, post, upstream, cents } = await startAll()
    const answer = await (body instanceof FormData
      ? call(path, { method: 'POST', body })
      : body
        ? post(path, body)
        : call(path))
    expect(verdict(answer)).toEqual(SPENT)
    expect(await answer.text()).toContain('the budget \\"team\\" of this key')
    expect([upstream.calls, cents()]).toEqual([[], { spent: 0, held: 0 }])
  })

  it.each(Object.entries(PAID))('tells so in a dry run of %s', async (_, [path, body]) => {
    const { call, post, upstream } = await startAll()
    const headers = { 'headgate-dry-run': 'true' }
    const answer = await (body instanceof FormData
      ? call(path, { method: 'POST', body, headers })
      : body
        ? post(path, body, { headers })
        : call(path, { headers }))
    expect(await answer.json()).toMatchObject({
      candidates: [{ budget: expect.stringContaining('the budget "team" of this key') }],
    })
    expect(upstream.calls).toEqual([])
  })
})
