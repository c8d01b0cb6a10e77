import { requestDifferences, scenarios, vendorOf, wires } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VENDOR_CLIENTS } from './clients.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

const { reasoning, parallelTools, text } = scenarios

/** What was answered goes back as the SDK has it: thoughts, their signatures and calls must be the provider's own again. */
describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  for (const client of VENDOR_CLIENTS) {
    describe.each(PROVIDERS)(`goes on with what ${client.name} was answered by a provider of $format`, (provider) => {
      const { format, model } = provider
      const vendor = wires[format]
      // OpenAI has no field for them; a body that passes as it is keeps what the caller put into it.
      const takesThoughts = format !== 'chat-completions' || client.format === format

      it.each(
        [reasoning, parallelTools].flatMap((scenario) => [
          { name: scenario.name, scenario, how: 'whole', stream: false },
          { name: scenario.name, scenario, how: 'streamed', stream: true },
        ]),
      )('after "$name", $how', async ({ scenario, stream }) => {
        const results = scenario.meaning.calls.map((_, index) => `${index} °C, rain`)
        const upstream = stage.upstream(provider)
        upstream.answer(vendorOf(scenario, format))
        const body = scenario.requests[client.format]
        const answer = await client.send(body, { url: stage.url, model, stream })

        upstream.answer(vendorOf(text, format))
        await client.send(wires[client.format].followUp(body, answer, results), { url: stage.url, model, stream })
        const [request] = upstream.received.filter(({ method }) => method === 'POST')
        const due = vendor.followUp(scenario.requests[format], scenario.answers[format].body, results)
        const said = vendor.readRequest(due).said.filter((one) => takesThoughts || !('reasoning' in one))
        const arrived = Object(request?.body)
        expect(requestDifferences({ ...scenario.asked, said }, vendor.readRequest(arrived), '')).toEqual([])
        expect(vendor.refuses(arrived)).toEqual([])
      })
    })
  }
})
