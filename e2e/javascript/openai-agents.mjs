// The agents' SDK, with the format that is asked for: by default it asks the responses API.

import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { apiKey, format, listOf, model, question, task, tell, url, weather } from './trial.mjs'

setTracingDisabled(true)
const Model = format === 'responses' ? OpenAIResponsesModel : OpenAIChatCompletionsModel
const headgate = new Model(new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }), model)
const { name, description, run: execute } = weather
const tools = [tool({ name, description, parameters: z.object({ city: z.string() }), execute })]
const agent = (more = {}) => new Agent({ name: 'Helper', instructions: 'Be of help.', model: headgate, ...more })

await tell({
  answer: async () => (await run(agent(), question)).finalOutput,
  stream: async () => listOf(await (await run(agent(), question, { stream: true })).toTextStream()),
  tool: async () => (await run(agent({ tools }), task)).finalOutput,
  object: async () =>
    (await run(agent({ outputType: z.object({ city: z.string(), degrees: z.number() }) }), task)).finalOutput,
})
