import { createOpenAI } from '@ai-sdk/openai'
import { type RequestMeaning, type ScriptedTurn, scripted } from '@headgate/conformance'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import * as ai from 'ai'
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API_KEY } from './gateway.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

const proof = (of: string): string => Buffer.from(`proof of ${of}`).toString('base64')

/** Thinks, and calls each of the tools once, in this order, before it answers. */
function calling(names: readonly string[]): (asked: RequestMeaning) => ScriptedTurn {
  return ({ said }) => {
    const done = said.filter((one) => 'result' in one).length
    const name = names[done]
    const thought = { text: `Thought ${done}.`, signature: proof(`thought ${done}`) }
    if (name === undefined) return { thought, text: `The weather is fine, after ${done} calls.` }
    return { thought, call: { id: `call_${done}`, name, arguments: name === 'get_weather' ? { city: 'Bergen' } : {} } }
  }
}

describe('A running gateway, asked in the responses format by libraries as they come,', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  describe.each(PROVIDERS)('with a provider of $format', (provider) => {
    const { model, format } = provider
    const play = (...names: string[]) => stage.upstream(provider).answer(scripted(calling(names), format))

    it.each([false, true])('lets agents of @openai/agents hand over, and call tools; streamed: %s', async (stream) => {
      play('transfer_to_Meteorologist', 'get_weather')
      const openAIClient = new OpenAI({ baseURL: `${stage.url}/v1`, apiKey: API_KEY, maxRetries: 0 })
      const runner = new Runner({
        modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }),
        tracingDisabled: true,
      })
      const asked: string[] = []
      const weather = tool({
        name: 'get_weather',
        description: 'The weather in a city, now.',
        parameters: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          asked.push(city)
          return '9 °C, rain'
        },
      })
      const meteorologist = new Agent({
        name: 'Meteorologist',
        instructions: 'You know the weather.',
        model,
        tools: [weather],
      })
      const host = Agent.create({ name: 'Host', instructions: 'You hand over.', model, handoffs: [meteorologist] })
      const input = 'Do I need a coat in Bergen?'
      const result = stream ? await runner.run(host, input, { stream: true }) : await runner.run(host, input)
      if ('completed' in result) await result.completed
      expect([asked, result.lastAgent?.name, result.finalOutput]).toEqual([
        ['Bergen'],
        'Meteorologist',
        'The weather is fine, after 2 calls.',
      ])
    })

    it('lets openai parse an answer by its schema, and fetch one that was made in the background', async () => {
      const weather = { city: 'Bergen', degrees: 9 }
      stage.upstream(provider).answer(scripted(() => ({ text: JSON.stringify(weather) }), format))
      const { responses } = new OpenAI({ baseURL: `${stage.url}/v1`, apiKey: API_KEY, maxRetries: 0 })
      const schema = z.object({ city: z.string(), degrees: z.number() })
      const request = { model, input: 'How warm is it in Bergen?', text: { format: zodTextFormat(schema, 'weather') } }
      expect((await responses.parse(request)).output_parsed).toEqual(weather)
      const { id } = await responses.create({ ...request, background: true })
      await expect.poll(async () => (await responses.retrieve(id)).status, { timeout: 10_000 }).toBe('completed')
      expect(JSON.parse((await responses.retrieve(id)).output_text)).toEqual(weather)
    })

    it.each([false, true])(
      'lets ai with @ai-sdk/openai call a tool over three turns, by references to what is kept; streamed: %s',
      async (stream) => {
        play('get_weather', 'get_weather')
        const openai = createOpenAI({ baseURL: `${stage.url}/v1`, apiKey: API_KEY })
        const call = {
          model: openai(model),
          prompt: 'Do I need a coat in Bergen?',
          maxRetries: 0,
          tools: {
            get_weather: ai.tool({ inputSchema: z.object({ city: z.string() }), execute: async () => '9 °C, rain' }),
          },
          stopWhen: ai.isStepCount(5),
          providerOptions: { openai: { reasoningEffort: 'high', reasoningSummary: 'auto', forceReasoning: true } },
        }
        const result = stream ? ai.streamText(call) : await ai.generateText(call)
        expect([await result.text, (await result.steps).length]).toEqual(['The weather is fine, after 2 calls.', 3])
      },
    )

    it.each([false, true])(
      'lets ChatOpenAI of LangChain call a tool over three turns; streamed: %s',
      async (streaming) => {
        play('get_weather', 'get_weather')
        const chat = new ChatOpenAI({
          model,
          apiKey: API_KEY,
          useResponsesApi: true,
          streaming,
          maxRetries: 0,
          configuration: { baseURL: `${stage.url}/v1` },
        }).bindTools([
          {
            type: 'function',
            function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
          },
        ])
        const messages: Parameters<typeof chat.invoke>[0] & unknown[] = [
          { role: 'user', content: 'Do I need a coat in Bergen?' },
        ]
        for (let turn = 0; turn < 2; turn++) {
          const answer = await chat.invoke(messages)
          expect(answer.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'Bergen' } }])
          messages.push(answer, { role: 'tool', tool_call_id: answer.tool_calls?.[0]?.id ?? '', content: '9 °C, rain' })
        }
        expect((await chat.invoke(messages)).text).toBe('The weather is fine, after 2 calls.')
      },
    )
  })
})
