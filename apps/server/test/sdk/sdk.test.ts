import { join } from 'node:path'
import { answerDifferences, requestDifferences, vendorOf, wires } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS } from './clients.ts'
import { pairsFile, pairsOf, type Shown } from './pairs.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

const PAIRS = join(import.meta.dirname, '../../../../docs/data/pairs.json')

describe('A running gateway', () => {
  let stage: Stage
  const passed: Shown[] = []
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  for (const client of CLIENTS) {
    for (const provider of PROVIDERS) {
      const { format, model } = provider
      const wire = wires[format]

      describe(`serves ${client.name}, which asks in ${client.format}, from a provider of ${format}`, () => {
        for (const scenario of client.scenarios) {
          it.each([
            { how: 'whole', stream: false },
            { how: 'streamed', stream: true },
          ])(`with "${scenario.name}", $how`, async ({ stream }) => {
            const upstream = stage.upstream(provider)
            upstream.answer(vendorOf(scenario, format))
            const meaning = await client.ask(scenario, { url: stage.url, model, stream })
            expect(answerDifferences(scenario.meaning, meaning)).toEqual([])

            // The gateway looks for the list of models by itself.
            const [request, ...more] = upstream.received.filter(({ method }) => method === 'POST')
            expect(more).toEqual([])
            expect(`${request?.path}${request?.query.size ? `?${request.query}` : ''}`).toBe(wire.path(model, stream))
            const body = Object(request?.body)
            expect(body).toMatchObject(wire.body({}, model, stream))
            expect(requestDifferences(scenario.asked, wire.readRequest(body), '')).toEqual([])
            expect(wire.refuses(body)).toEqual([])
            passed.push({ client, provider: format, scenario, stream })
          })
        }
      })
    }
  }

  it('is documented as it was shown here: `vitest run -u` on this file writes what it shows', async () => {
    const providers = PROVIDERS.map(({ format }) => format)
    await expect(pairsFile(pairsOf(CLIENTS, providers, passed))).toMatchFileSnapshot(PAIRS)
  })
})
