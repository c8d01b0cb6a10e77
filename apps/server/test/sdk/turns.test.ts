import { framesOf, requestDifferences, scenarios, vendorOf, wires } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VENDOR_CLIENTS } from './clients.ts'
import { written } from './long-answer.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

const { reasoning, parallelTools, text } = scenarios

/** A model that thinks, calls two tools at once, thinks on and calls another, and answers. */
const THOUGHTFUL = [['Bergen', 'Oslo'], ['Voss'], []].map((cities, turn) => ({
  thought: `Thought of turn ${turn}.`,
  signature: Buffer.from(`proof of turn ${turn}`).toString('base64'),
  text: `Answer of turn ${turn}.`,
  calls: cities.map((city) => ({ id: `call_${city}`, name: 'get_weather', arguments: { city } })),
}))

/**
 * What was answered goes back as the SDK has it: thoughts, their signatures and calls must be the provider's own again.
 */
describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  for (const client of VENDOR_CLIENTS) {
    describe.each(PROVIDERS)(
      `goes on with what ${client.name} was answered in ${client.format} by a provider of $format`,
      (provider) => {
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

        it.each([
          { how: 'whole', stream: false },
          { how: 'streamed', stream: true },
        ])('over three turns of reasoning with tools, $how', async ({ stream }) => {
          const upstream = stage.upstream(provider)
          let body = reasoning.requests[client.format]
          let due = reasoning.requests[format]
          for (const [turn, answer] of THOUGHTFUL.entries()) {
            const { body: given, stream: text } = written(answer, format)
            upstream.answer(stream ? { kind: 'stream', pieces: framesOf(text) } : { kind: 'whole', body: given })
            const got = await client.send(body, { url: stage.url, model, stream })
            const [request] = upstream.received.filter(({ method }) => method === 'POST')
            const said = vendor.readRequest(due).said.filter((one) => takesThoughts || !('reasoning' in one))
            const arrived = Object(request?.body)
            expect(requestDifferences({ ...reasoning.asked, said }, vendor.readRequest(arrived), '')).toEqual([])
            expect(vendor.refuses(arrived)).toEqual([])
            const { meaning } = wires[client.format].readAnswer(got)
            expect(meaning).toMatchObject({
              text: answer.text,
              reasoning: answer.thought,
              calls: answer.calls.map(({ name }) => ({ name })),
            })
            const results = answer.calls.map(({ id }) => `result of ${id}`)
            body = wires[client.format].followUp(body, got, results)
            due = vendor.followUp(due, given, results)
            expect(turn < 2).toBe(results.length > 0)
          }
        })
      },
    )
  }
})
