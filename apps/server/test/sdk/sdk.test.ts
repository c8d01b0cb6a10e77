import { answerDifferences, requestDifferences, vendorOf, wires } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aiSdkAnthropic, aiSdkOpenAICompatible } from './ai.ts'
import { anthropicSdk } from './anthropic.ts'
import { openaiSdk } from './openai.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

const CLIENTS = [openaiSdk, anthropicSdk, aiSdkOpenAICompatible, aiSdkAnthropic]

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  for (const client of CLIENTS) {
    for (const provider of PROVIDERS) {
      const { format, model } = provider

      describe(`serves ${client.name} from a provider of ${format}`, () => {
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
            const body = Object(request?.body)
            expect(body).toMatchObject({ model })
            expect(requestDifferences(scenario.asked, wires[format].readRequest(body), '')).toEqual([])
            expect(wires[format].refuses(body)).toEqual([])
          })
        }
      })
    }
  }
})
