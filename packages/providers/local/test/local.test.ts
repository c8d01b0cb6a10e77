import { testCall } from '@headgate/conformance'
import { createGateway } from '@headgate/gateway'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { MODEL } from '../src/model.ts'
import { failureOf, openLocal } from './provider.ts'

/** One model for all tests: each would load it anew. */
const { provider, embed, close } = openLocal()
afterAll(close)

/** Vectors have the length 1: their product is the cosine of the angle between them. */
function closeness(a: readonly number[] = [], b: readonly number[] = []): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? Number.NaN), 0)
}

async function vectorsOf(texts: readonly string[]): Promise<number[][]> {
  const { vectors } = await embed(texts)
  return vectors.map((vector) => (typeof vector === 'string' ? [] : [...vector]))
}

describe('Vectors made in this process', () => {
  it('are nearer to each other the more alike texts are in meaning', async () => {
    const [password, login, cat, feline] = await vectorsOf([
      'How do I reset my password?',
      'I forgot my login credentials',
      'The cat sat on the mat',
      'A feline rested on the rug',
    ])
    expect(password).toHaveLength(512)
    expect(closeness(password, password)).toBeCloseTo(1, 5)
    expect(closeness(password, login)).toBeGreaterThan(closeness(password, cat) + 0.2)
    expect(closeness(cat, feline)).toBeGreaterThan(closeness(cat, login) + 0.2)
  })

  it('of a hundred texts come in the order of the texts, whatever stands beside them', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${'very '.repeat(index % 7)}long text number ${index}`)
    const [vectors, [alone]] = await Promise.all([vectorsOf(texts), vectorsOf(texts.slice(63, 64))])
    expect(vectors).toHaveLength(100)
    expect(vectors.findIndex((vector) => closeness(vector, alone) > 0.99999)).toBe(63)
    expect(new Set(vectors.map(([first]) => first)).size).toBe(100)
  })

  it("count the tokens of the model's own tokenizer", async () => {
    // ▁The ▁cat ▁sat ▁on ▁the ▁m at
    expect((await embed(['The cat sat on the mat'])).usage).toEqual({ input: 7, output: 0 })
    expect((await embed(['The cat sat on the mat', 'The cat'])).usage).toEqual({ input: 9, output: 0 })
  })

  it('make nothing of how a text is broken into lines', async () => {
    const [plain, broken] = await vectorsOf(['The cat sat on the mat', '  The cat\r\n\tsat on\nthe mat\n'])
    expect(closeness(plain, broken)).toBeCloseTo(1, 5)
  })

  it.each([
    ['is longer than the model reads', 'cat '.repeat(129), 'context-too-long', /has 129 tokens; .* accepts 128 tokens/],
    ['is a book', 'cat '.repeat(1_000_000), 'context-too-long', /has 4000000 characters/],
    ['becomes one', '\ufdfa'.repeat(2_000), 'context-too-long', /has 36000 characters/],
    ['has nothing in English', '日本語のテキスト', 'invalid-request', /no word that .* knows/],
    ['is blank', ' \n ', 'invalid-request', /no word/],
  ])('are refused for all where one text %s', async (_, text, kind, message) => {
    const failure = await failureOf(embed(['The cat', text]))
    expect([failure.kind, failure.message]).toEqual([kind, expect.stringMatching(message)])
    expect(failure.message).not.toContain(text.trim() || '\n')
  })

  it('are made of what just fits, of odd letters too', async () => {
    // What is not known is a token, as is the space before it.
    expect((await embed([`${'cat '.repeat(126)}😀`])).usage).toEqual({ input: 128, output: 0 })
    expect(await vectorsOf(['a\ud800b', '__proto__ constructor', '😀 smile'])).toHaveLength(3)
  })

  it('have one length, and one model', async () => {
    const call = testCall({ model: MODEL })
    expect((await embed(['The cat'], { dimensions: 512 }, call)).vectors).toHaveLength(1)
    expect(call.losses).toEqual([])
    expect((await embed(['The cat'], { dimensions: 256, use: 'query' }, call)).vectors[0]).toHaveLength(512)
    expect(call.losses).toMatchObject([
      { path: 'dimensions', kind: 'changed' },
      { path: 'input_type', kind: 'dropped' },
    ])
    expect(await failureOf(embed(['The cat'], { model: 'other' }))).toMatchObject({ kind: 'unknown-model' })
  })

  it.each([
    ['float', 66],
    ['base64', 2],
  ])('are served by POST /v1/embeddings as %s, and cost nothing', async (encoding_format, count) => {
    const rows: object[] = []
    const gateway = createGateway({
      providers: [{ ...provider, close: async () => undefined }],
      authenticate: (credential) => (credential === 'sk-test' ? { id: 'key', name: 'test' } : undefined),
      ledger: { settle: (row) => void rows.push(row) },
    })
    onTestFinished(() => gateway.close())
    const post = (body: object) =>
      gateway.fetch(
        new Request('http://gateway.test/v1/embeddings', {
          method: 'POST',
          headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
          body: JSON.stringify({ model: MODEL, encoding_format, ...body }),
        }),
      )
    const input = Array.from({ length: count }, (_, index) => `The cat number ${index}`)
    const answer = await post({ input })
    expect([answer.status, answer.headers.get('headgate-vendor')]).toEqual([200, 'local'])
    const { data, usage } = (await answer.json()) as {
      data: { index: number; embedding: number[] | string }[]
      usage: object
    }
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index))
    const numbers = data.map(({ embedding }) => {
      if (typeof embedding !== 'string') return embedding
      const bytes = Buffer.from(embedding, 'base64')
      return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
    })
    const [last] = await vectorsOf(input.slice(-1))
    expect(typeof data[0]?.embedding).toBe(encoding_format === 'base64' ? 'string' : 'object')
    expect(numbers.at(-1)).toHaveLength(512)
    expect(closeness(numbers.at(-1), last)).toBeCloseTo(1, 5)
    expect(usage).toMatchObject({ prompt_tokens: expect.any(Number) })
    expect(rows).toMatchObject([
      { family: 'embeddings', provider: 'local', providerModel: MODEL, cost: 0, billed: true },
    ])

    const refused = await post({ input: ['The cat', 'cat '.repeat(200)] })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('local: An input has 200 tokens') } },
    ])
    const shorter = { input: 'The cat', dimensions: 256, input_type: 'query' }
    expect((await post(shorter)).headers.get('headgate-lost')).toBe('dimensions;changed, input_type')
    const tokens = await post({ input: [1, 2, 3] })
    expect([tokens.status, await tokens.json()]).toMatchObject([400, { error: { param: 'input' } }])
  })
})
