import { answerDifferences, framesOf, requestDifferences, scenarios, vendorOf, wires } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EARLIER_CLIENTS } from './earlier.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

describe('A running gateway', { tags: ['full'] }, () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  for (const client of EARLIER_CLIENTS) {
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
          })
        }
      })
    }
  }

  it.each(EARLIER_CLIENTS.filter(({ format }) => format === 'messages'))(
    'gives $name a source without a title as it can be read, whole and streamed',
    async (client) => {
      const [provider] = PROVIDERS
      if (!provider) return expect.unreachable()
      const { format, model } = provider
      const { answers, meaning } = scenarios.text
      const annotations = [
        { type: 'url_citation', url_citation: { url: 'https://example.com/a', start_index: 0, end_index: 1 } },
      ]
      const cited = (text: string): string =>
        text.replace(/"role": ?"assistant"/, `"annotations":${JSON.stringify(annotations)},$&`)
      const { body, stream } = answers[format]
      const upstream = stage.upstream(provider)
      upstream.answer({ kind: 'whole', body: JSON.parse(cited(JSON.stringify(body))) })
      const whole = await client.ask(scenarios.text, { url: stage.url, model, stream: false })
      upstream.answer({ kind: 'stream', pieces: framesOf(cited(stream)) })
      const streamed = await client.ask(scenarios.text, { url: stage.url, model, stream: true })
      expect([answerDifferences(meaning, whole), answerDifferences(meaning, streamed)]).toEqual([[], []])
    },
  )
})
