import {
  answerDifferences,
  type KitFormat,
  type RequestMeaning,
  requestDifferences,
  type Scenario,
  scenarios,
  vendorOf,
  wires,
} from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Got, send } from './literal.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

/** A request letter by letter, as a manual prints it. */
interface Example {
  readonly name: string
  readonly format: KitFormat
  path(model: string, stream: boolean): string
  body(model: string, stream: boolean): string
  readonly asked: RequestMeaning
  /** What a vendor of a format gets of it beside that. */
  readonly arrives?: Partial<Record<KitFormat, object>>
  /** What a vendor of another format can not be told. */
  readonly lost?: Partial<Record<KitFormat, readonly string[]>>
  readonly answer: Scenario
}

const bytesOf = ({ asked }: Scenario): string =>
  asked.said.flatMap((one) => ('base64' in one ? one.base64 : []))[0] ?? expect.unreachable()
const PNG = bytesOf(scenarios.image)
const PDF = bytesOf(scenarios.pdf)

const vision: RequestMeaning = {
  said: [
    { role: 'user', text: 'What is in this image?' },
    { role: 'user', media: 'image/png', base64: PNG },
  ],
}
const document: RequestMeaning = {
  said: [
    { role: 'user', text: 'Summarize this document.' },
    { role: 'user', media: 'application/pdf', base64: PDF },
  ],
}

const chatPath = () => '/v1/chat/completions'
const messagesPath = () => '/v1/messages'
const generatePath = (model: string, stream: boolean) =>
  `/v1/projects/my-project/locations/us-central1/publishers/google/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`

const EXAMPLES: readonly Example[] = [
  {
    name: 'a vision request',
    format: 'chat-completions',
    path: chatPath,
    body: (model, stream) => `{
  "model": "${model}",
  "messages": [
    {
      "role": "user",
      "content": [
        { "type": "text", "text": "What is in this image?" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,${PNG}" } }
      ]
    }
  ],
  "stream": ${stream}
}`,
    asked: vision,
    answer: scenarios.image,
  },
  {
    name: 'a PDF request, with raw base64 in `file_data`',
    format: 'chat-completions',
    path: chatPath,
    body: (model, stream) => `{
  "model": "${model}",
  "messages": [
    {
      "role": "user",
      "content": [
        { "type": "text", "text": "Summarize this document." },
        { "type": "file", "file": { "filename": "document.pdf", "file_data": "${PDF}" } }
      ]
    }
  ],
  "stream": ${stream}
}`,
    asked: document,
    lost: { 'generate-content': ['messages[*].content[*].file.filename'] },
    answer: scenarios.pdf,
  },
  {
    name: 'a vision request',
    format: 'messages',
    path: messagesPath,
    body: (model, stream) => `{
  "model": "${model}",
  "max_tokens": 1024,
  "messages": [
    {
      "role": "user",
      "content": [
        { "type": "text", "text": "What is in this image?" },
        { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "${PNG}" } }
      ]
    }
  ],
  "stream": ${stream}
}`,
    asked: { ...vision, maxTokens: 1024 },
    answer: scenarios.image,
  },
  {
    name: 'a PDF request',
    format: 'messages',
    path: messagesPath,
    body: (model, stream) => `{
  "model": "${model}",
  "max_tokens": 1024,
  "messages": [
    {
      "role": "user",
      "content": [
        { "type": "text", "text": "Summarize this document." },
        { "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": "${PDF}" } }
      ]
    }
  ],
  "stream": ${stream}
}`,
    asked: { ...document, maxTokens: 1024 },
    answer: scenarios.pdf,
  },
  {
    name: 'a request without `max_tokens`',
    format: 'messages',
    path: messagesPath,
    body: (model, stream) => `{
  "model": "${model}",
  "messages": [
    { "role": "user", "content": "Hello, world" }
  ],
  "stream": ${stream}
}`,
    asked: { said: [{ role: 'user', text: 'Hello, world' }] },
    // The limit of the model.
    arrives: { messages: { max_tokens: 64_000 } },
    answer: scenarios.text,
  },
  {
    name: 'a vision request',
    format: 'generate-content',
    path: generatePath,
    body: () => `{
  "contents": [
    {
      "role": "user",
      "parts": [
        { "text": "What is in this image?" },
        { "inlineData": { "mimeType": "image/png", "data": "${PNG}" } }
      ]
    }
  ]
}`,
    asked: vision,
    answer: scenarios.image,
  },
  {
    name: 'a PDF request',
    format: 'generate-content',
    path: generatePath,
    body: () => `{
  "contents": [
    {
      "role": "user",
      "parts": [
        { "text": "Summarize this document." },
        { "inlineData": { "mimeType": "application/pdf", "data": "${PDF}" } }
      ]
    }
  ]
}`,
    asked: document,
    answer: scenarios.pdf,
  },
  {
    name: 'a request whose `safetySettings` is one object',
    format: 'generate-content',
    path: generatePath,
    body: () => `{
  "contents": {
    "role": "user",
    "parts": { "text": "Give me a recipe for banana bread." }
  },
  "safetySettings": {
    "category": "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "threshold": "BLOCK_LOW_AND_ABOVE"
  },
  "generationConfig": {
    "maxOutputTokens": 256
  }
}`,
    asked: { said: [{ role: 'user', text: 'Give me a recipe for banana bread.' }], maxTokens: 256 },
    arrives: {
      'generate-content': {
        safetySettings: [{ category: 'HARM_CATEGORY_SEXUALLY_EXPLICIT', threshold: 'BLOCK_LOW_AND_ABOVE' }],
      },
    },
    lost: { 'chat-completions': ['safetySettings'], messages: ['safetySettings'], responses: ['safetySettings'] },
    answer: scenarios.text,
  },
]

/** What of the request was lost, as the caller is told. */
function lostOf({ headers }: Got): string[] {
  const paths = headers.get('headgate-lost')?.split(', ') ?? []
  return paths.filter((path) => !path.startsWith('response.'))
}

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  describe.each(EXAMPLES)('takes $name in the format $format', (example) => {
    const { format: caller, asked, arrives = {}, lost = {}, answer } = example
    for (const provider of PROVIDERS) {
      it.each([
        { how: 'whole', stream: false },
        { how: 'streamed', stream: true },
      ])(`to a provider of ${provider.format}, $how`, async ({ stream }) => {
        const { format, model } = provider
        const upstream = stage.upstream(provider)
        upstream.answer(vendorOf(answer, format))
        const got = await send(stage.url, example.path(model, stream), example.body(model, stream))
        expect([got.status, got.headers.get('headgate-vendor'), lostOf(got)]).toEqual([
          200,
          provider.name,
          lost[format] ?? [],
        ])
        const read = stream ? wires[caller].readStream(got.text) : wires[caller].readAnswer(JSON.parse(got.text))
        // Whoever streams chat completions asks for usage, or gets none.
        const usageIsKnown = !(stream && caller === 'chat-completions')
        expect([read.problems, answerDifferences(answer.meaning, read.meaning, usageIsKnown)]).toEqual([[], []])

        const [request, ...more] = upstream.received.filter(({ method }) => method === 'POST')
        expect(more).toEqual([])
        const body = Object(request?.body)
        expect(requestDifferences(asked, wires[format].readRequest(body), '')).toEqual([])
        expect(wires[format].refuses(body)).toEqual([])
        expect(body).toMatchObject(arrives[format] ?? {})
      })
    }
  })
})
