import { expect, it } from 'vitest'
import { isObject, type Json, number, objects } from '../../../core/src/canonical/json.ts'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import type { ProviderInstance } from '../../../core/src/provider.ts'
import { pick } from '../../../core/test/recordings/hash.ts'
import type { EmbeddingRecording } from '../../../core/test/recordings/recordings.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { errorIn, failureOf, STATUS, WORDS, wordsIn } from './errors.ts'

/** The model that callers name, so that its name need not be written anew. */
const MODEL = 'model'

/** A gateway in front of an upstream that answers what was recorded last. */
interface Stage extends RunningGateway {
  readonly upstream: Upstream
  serve(recording: EmbeddingRecording): void
}

async function openStage(): Promise<Stage> {
  let served: EmbeddingRecording | undefined
  const upstream = await startUpstream((call) =>
    call.answer(served?.status ?? 500, served?.body ?? '', { 'content-type': 'application/json' }),
  )
  const server = openAICompatibleServer({ baseUrl: upstream.url, embeddings: true, models: false })
  const provider: ProviderInstance = {
    name: 'alpha',
    claims: [/./],
    ...server,
    ...(server.embeddings && {
      embeddings: {
        ...server.embeddings,
        inputTypes: { query: 'query', document: 'document' },
        native: { ...server.embeddings.native, 'batch-embed-contents': () => '/embeddings' },
      },
    }),
  }
  return {
    ...(await startGateway('fetch', { providers: [provider] })),
    upstream,
    serve(recording) {
      served = recording
    },
  }
}

/**
 * The request as text, spaced in one of several ways, with what is changed of it. One that was not recorded asks for as
 * many vectors as came.
 */
function textOf({ id, request, body }: EmbeddingRecording, changes: Json = {}): string {
  const input = Array.from({ length: Math.max(1, vectorsIn(body).length) }, () => 'Hello')
  return JSON.stringify({ ...(request ?? { input }), model: MODEL, ...changes }, null, pick(['', '  ', '\t'], id))
}

function vectorsIn(body: string): unknown[] {
  const json = JSON.parse(body) as Json
  return objects(json['data'] ?? json['embeddings']).map(({ embedding, values }) => embedding ?? values)
}

/** A vector as 32-bit floats, whatever it is written as. */
function floats(vector: unknown): Float32Array {
  if (typeof vector !== 'string') return Float32Array.from(vector as number[])
  const bytes = Buffer.from(vector, 'base64')
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

/** Whether a provider gave text where nobody asked for an encoding: what the text holds is its own affair. */
function isOwnEncoding({ request, body }: EmbeddingRecording): boolean {
  return request?.['encoding_format'] == null && vectorsIn(body).some((vector) => typeof vector === 'string')
}

/** What of an answer is accounted: the tokens that it says it took. */
function tokensIn(body: string): number | undefined {
  const { usage, usageMetadata } = JSON.parse(body) as Json
  if (isObject(usageMetadata)) return number(usageMetadata['promptTokenCount'])
  return isObject(usage) ? (number(usage['prompt_tokens']) ?? number(usage['total_tokens'])) : undefined
}

function isSame(a: unknown, b: unknown): boolean {
  return Buffer.from(floats(a).buffer).equals(Buffer.from(floats(b).buffer))
}

/** How the vectors of a recorded answer may be asked for otherwise. */
interface Way {
  readonly how: string
  /** How many texts one request may have. */
  readonly texts: 'one' | 'several'
  ask(recording: EmbeddingRecording, due: readonly unknown[]): [path: string, body: unknown]
  read(answer: Json): unknown[]
}

const WAYS: readonly Way[] = [
  {
    how: 'the other encoding',
    texts: 'several',
    ask: (recording, [first]) => [
      '/v1/embeddings',
      textOf(recording, { encoding_format: typeof first === 'string' ? 'float' : 'base64' }),
    ],
    read: ({ data }) => objects(data).map(({ embedding }) => embedding),
  },
  {
    how: 'the wire of the Gemini API',
    texts: 'one',
    ask: () => [`/v1beta/models/${MODEL}:embedContent`, { content: { parts: [{ text: 'Hello' }] } }],
    read: ({ embedding }) => objects([embedding]).map(({ values }) => values),
  },
  {
    how: 'the wire of Vertex AI',
    texts: 'several',
    ask: (_, due) => [
      `/v1/publishers/google/models/${MODEL}:predict`,
      { instances: due.map((_, index) => ({ content: `Text ${index}` })) },
    ],
    read: ({ predictions }) =>
      objects(predictions).map(({ embeddings }) => isObject(embeddings) && embeddings['values']),
  },
]

export function vectorsStayTheSame(all: readonly EmbeddingRecording[]): void {
  const answered = all.filter(({ status }) => status === 200)
  const ofOpenAI = answered.filter(({ wire }) => wire === 'openai')
  const ofGemini = answered.filter(({ wire }) => wire === 'gemini')

  async function passes(stage: Stage, recording: EmbeddingRecording, path: string, text: string): Promise<string[]> {
    stage.serve(recording)
    const answer = await stage.post(path, text)
    const row = stage.rows.at(-1)
    return [
      ...(answer.status === 200 && (await answer.text()) === recording.body
        ? []
        : [`the answer differs, with ${answer.status}`]),
      ...(stage.upstream.calls.at(-1)?.body.toString() === text ? [] : ['the request differs']),
      ...(row?.usage?.input === tokensIn(recording.body) ? [] : [`${row?.usage?.input} tokens are accounted`]),
    ].map((problem) => `${recording.id}: ${problem}`)
  }

  it("pass byte by byte in OpenAI's wire", async () => {
    const stage = await openStage()
    const problems: string[] = []
    for (const recording of ofOpenAI)
      problems.push(...(await passes(stage, recording, '/v1/embeddings', textOf(recording))))
    expect([ofOpenAI.length > 0, problems]).toEqual([true, []])
  })

  it('pass byte by byte in the wire of the Gemini API', async () => {
    const stage = await openStage()
    const problems: string[] = []
    for (const recording of ofGemini) {
      const requests = objects(recording.request?.['requests']).map((one) => ({ ...one, model: `models/${MODEL}` }))
      const text = JSON.stringify({ requests }, null, pick(['', '  ', '\t'], recording.id))
      problems.push(...(await passes(stage, recording, `/v1beta/models/${MODEL}:batchEmbedContents`, text)))
    }
    expect([ofGemini.length > 0, problems]).toEqual([true, []])
  })

  it.each(WAYS)('stay the same numbers in $how', async ({ ask, read, texts }) => {
    const stage = await openStage()
    const problems: string[] = []
    for (const recording of ofOpenAI) {
      const due = vectorsIn(recording.body)
      if (isOwnEncoding(recording) || (texts === 'one' && due.length > 1)) continue
      stage.serve(recording)
      const answer = await stage.post(...ask(recording, due))
      if (answer.status !== 200) problems.push(`${recording.id}: ${answer.status}`)
      const got = read((await answer.json()) as Json)
      if (
        got.length !== due.length ||
        got.some((vector, index) => typeof vector === typeof due[index] && typeof vector === 'string')
      )
        problems.push(`${recording.id}: they are others, or in the encoding in which they came`)
      else if (!got.every((vector, index) => isSame(vector, due[index])))
        problems.push(`${recording.id}: the numbers differ`)
    }
    expect(problems).toEqual([])
  })

  it('that are refused are refused for the same reason', async () => {
    const stage = await openStage()
    const refused = all.filter(({ status }) => status >= 400)
    const problems: string[] = []
    for (const recording of refused) {
      stage.serve(recording)
      const due = failureOf(recording)
      const answer = await stage.post('/v1/embeddings', textOf({ ...recording, request: null }))
      const words = wordsIn('chat-completions', errorIn(await answer.text()))
      if (answer.status !== STATUS[due] || words !== WORDS['chat-completions'][due])
        problems.push(
          `${recording.id}: ${answer.status} ${words}, due ${STATUS[due]} ${WORDS['chat-completions'][due]}`,
        )
    }
    expect([refused.length > 0, problems]).toEqual([true, []])
  })

  it('are in one of these two wires, or in one that the package of its provider is tried with', () => {
    const others = answered.filter(({ wire }) => wire !== 'openai' && wire !== 'gemini' && wire !== '/v2/embed')
    expect(others.map(({ id, wire }) => `${id}: ${wire}`)).toEqual([])
  })
}
