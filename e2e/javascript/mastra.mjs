// An agent of Mastra, which knows places that speak chat completions by their URL.

import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { apiKey, listOf, model, question, task, tell, url, weather } from './trial.mjs'

const { name, description, run } = weather
const tools = {
  [name]: createTool({
    id: name,
    description,
    inputSchema: z.object({ city: z.string() }),
    execute: async (given) => run(given),
  }),
}
const agent = (more = {}) =>
  new Agent({
    id: 'helper',
    name: 'Helper',
    instructions: 'Be of help.',
    model: { providerId: 'headgate', modelId: model, url: `${url}/v1`, apiKey },
    maxRetries: 0,
    ...more,
  })

await tell({
  answer: async () => (await agent().generate(question)).text,
  stream: async () => listOf((await agent().stream(question)).textStream),
  tool: async () => (await agent({ tools }).generate(task)).text,
})
