import { describe, expect, it, vi } from 'vitest'
import { startSignedIn } from './signed-in.ts'

/** Value of a metric with these labels; undefined = it is not there. */
function metricOf(text: string, name: string, labels: Readonly<Record<string, string>>): number | undefined {
  const line = text
    .split('\n')
    .find(
      (one) =>
        one.startsWith(`${name}{`) && Object.entries(labels).every(([key, value]) => one.includes(`${key}="${value}"`)),
    )
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

describe('The metrics of images, speech, transcription and moderations', () => {
  it('count requests, failures, durations, upstream calls, units and cost of each family', async () => {
    const dollars = { images: 40_000, characters: 15, milliseconds: 0.1, moderations: 1_000 }
    const gone = { adapter: 'openai', apiKey: 'secret', baseUrl: 'http://127.0.0.1:1/v1' }
    const providers = { demo: {}, gone }
    const prices = { 'demo/demo': { input: 0, output: 0, units: dollars } }
    const { gateway, key } = await startSignedIn({ providers, prices })
    const headers = { authorization: `Bearer ${key()}` }
    const ask = async (path: string, body: object) => {
      const type = { 'content-type': 'application/json' }
      const answer = await fetch(`${gateway.url}/v1/${path}`, {
        method: 'POST',
        headers: body instanceof FormData ? headers : { ...headers, ...type },
        body: body instanceof FormData ? body : JSON.stringify(body),
      })
      const bytes = await answer.arrayBuffer()
      return { status: answer.status, sound: new Blob([bytes]) }
    }
    const text = 'A tone.'
    expect((await ask('images/generations', { model: 'demo', prompt: 'a fox', n: 3 })).status).toBe(200)
    const speech = await ask('audio/speech', { model: 'demo', input: text, voice: 'alloy' })
    const form = new FormData()
    form.set('model', 'demo')
    form.set('file', speech.sound, 'tone.wav')
    expect([speech.status, (await ask('audio/transcriptions', form)).status]).toEqual([200, 200])
    expect((await ask('moderations', { model: 'demo', input: ['Hello.', 'Goodbye.'] })).status).toBe(200)
    // Refused before a call, and failed.
    expect((await ask('images/generations', { model: 'demo', prompt: 'demo:reject' })).status).toBe(400)
    expect(
      (await ask('audio/speech', { model: 'demo', input: text, voice: 'alloy', response_format: 'mp3' })).status,
    ).toBe(400)

    expect((await ask('images/generations', { model: 'gone/gpt-image-2', prompt: 'a fox' })).status).toBe(500)
    expect((await ask('moderations', { model: 'gone/omni-moderation-latest', input: 'Hello.' })).status).toBe(500)

    const metrics = async () => (await fetch(`${gateway.url}/metrics`, { headers })).text()
    // A response can end before its request is counted.
    await vi.waitFor(
      async () =>
        expect(metricOf(await metrics(), 'headgate_units_total', { provider: 'demo', family: 'moderations' })).toBe(2),
      {
        timeout: 60_000,
      },
    )
    const all = await metrics()
    const units = {
      images: ['images', 3],
      speech: ['characters', text.length],
      transcription: ['milliseconds', 500],
      moderations: ['moderations', 2],
    } as const
    for (const [family, [unit, count]] of Object.entries(units)) {
      const labels = { provider: 'demo', family, model: 'demo' }
      expect([family, metricOf(all, 'headgate_units_total', { ...labels, unit })]).toEqual([family, count])
      expect([family, metricOf(all, 'headgate_requests_total', { ...labels, status: '2xx' })]).toEqual([family, 1])
      const timed = { provider: 'demo', family }
      expect(metricOf(all, 'headgate_request_duration_seconds_count', timed), family).toBeGreaterThanOrEqual(1)
      expect(metricOf(all, 'headgate_request_duration_seconds_sum', timed), family).toBeGreaterThan(0)
    }
    // Sound streams, so that its first byte has a time.
    const spoken = { provider: 'demo', family: 'speech' }
    expect(metricOf(all, 'headgate_first_byte_seconds_count', spoken)).toBeGreaterThanOrEqual(1)
    // Refused requests reached no provider.
    for (const kind of ['content-policy', 'invalid-request'])
      expect([kind, metricOf(all, 'headgate_failures_total', { family: 'none', kind })]).toEqual([kind, 1])
    for (const family of ['images', 'moderations']) {
      const failed = { provider: 'gone', family, kind: 'upstream' }
      expect([family, metricOf(all, 'headgate_failures_total', failed)]).toEqual([family, 1])
    }
    expect(metricOf(all, 'headgate_attempts_total', { provider: 'demo', failure: 'none' })).toBeGreaterThanOrEqual(4)
    const cost = metricOf(all, 'headgate_cost_dollars_total', { provider: 'demo', model: 'demo' })
    expect(cost).toBeCloseTo((3 * 40_000 + text.length * 15 + 500 * 0.1 + 2 * 1_000) / 1_000_000, 9)
  })
})
