import OpenAI, { APIError } from 'openai'
import { describe, expect, it } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import { object, type Price, type ProviderInstance } from '../../../core/src/provider.ts'
import { DOLLAR, startBounded } from '../support/budgets.ts'
import { KEY, SECRET } from '../support/gateway.ts'
import { png } from '../support/pictures.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const NANOS = Number(DOLLAR)
const MILLION = 1_000_000
/** $0.04 for an image, $30 for a million characters. */
const IMAGES: Price = {
  id: 'list@today',
  input: 0,
  output: 0,
  units: { images: (NANOS / 25) * MILLION },
}
const SPEECH: Price = { id: 'list@today', input: 0, output: 0, units: { characters: 30 * NANOS } }
const SENTENCE = 'A sentence of no meaning. '.repeat(40)

const picture = png(64, 32).toString('base64')
const sound = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), Buffer.alloc(200, 7)])

/** A vendor that bills images by piece and speech by character, and keeps the sum in nano-dollars. */
async function startVendor() {
  const state = { billed: 0 }
  const upstream = await startUpstream((call: UpstreamCall) => {
    if (call.path.endsWith('/speech')) {
      state.billed += [...String(call.json()['input'])].length * 30_000
      call.head(200, { 'content-type': 'audio/mpeg' })
      return call.end(sound)
    }
    const n = Number(call.json()['n'] ?? 1)
    state.billed += (n * NANOS) / 25
    call.answer(200, { created: 1, data: Array.from({ length: n }, () => ({ b64_json: picture })) })
  })
  return { upstream, state }
}

function studio(baseUrl: string): ProviderInstance {
  const known = [
    { id: 'brush-1', families: ['images'], price: IMAGES },
    { id: 'mouth-1', families: ['speech'], price: SPEECH },
  ]
  const images = { can: { n: 10, sizes: 'any', formats: ['png'] } } as const
  const server = openAICompatibleServer({ baseUrl, apiKey: SECRET, images, speech: true, models: false, known })
  return { name: 'studio', claims: [], ...server }
}

describe('A budget of $5', () => {
  it('is never exceeded by 500 images and speeches at once, and is used to at least 90 %', async () => {
    const { upstream, state } = await startVendor()
    const { budgets, cents, port, rows } = await startBounded('node', 5, { providers: [studio(upstream.url)] })
    // The official client tries again after a second where money is only tied up.
    const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 6 })
    let most = 0n
    const look = (): void => {
      const [{ spent, held } = { spent: 0n, held: 0n }] = budgets.state()
      most = spent + held > most ? spent + held : most
    }
    const ask = async (nth: number): Promise<number> => {
      try {
        if (nth % 2 === 0) await client.images.generate({ model: 'brush-1', prompt: 'A fox', n: 1 + (nth % 3) })
        else await client.audio.speech.create({ model: 'mouth-1', voice: 'alloy', input: SENTENCE })
        return 200
      } catch (error) {
        return error instanceof APIError ? (error.status ?? 0) : 0
      } finally {
        look()
      }
    }
    const statuses = await Promise.all(Array.from({ length: 500 }, (_, nth) => ask(nth)))
    const used = state.billed / NANOS
    process.stdout.write(`${JSON.stringify({ used, served: statuses.filter((one) => one === 200).length })}\n`)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(used).toBeLessThanOrEqual(5)
    expect(used).toBeGreaterThanOrEqual(4.5)
    expect(most).toBeLessThanOrEqual(5n * DOLLAR)
    expect(cents()).toEqual({ spent: state.billed / 10_000_000, held: 0 })
    expect(rows.reduce((sum, { charged }) => sum + (charged ?? Number.NaN), 0)).toBe(state.billed)
    expect(rows.every(({ usage }) => object(usage?.units) !== undefined)).toBe(true)
  })
})
