// The AI SDK of a major version, with one of its provider packages of the same time.

import * as ai from 'ai'
import {
  apiKey,
  client,
  embeddingModel,
  format,
  listOf,
  model,
  question,
  task,
  tell,
  texts,
  url,
  weather,
} from './trial.mjs'

const { embedMany, generateText, jsonSchema, Output, streamText, tool } = ai

/** How each is pointed at the gateway. */
const PROVIDERS = {
  '@ai-sdk/openai': ({ createOpenAI }) => {
    const headgate = createOpenAI({ baseURL: `${url}/v1`, apiKey })
    return {
      chat: format === 'responses' ? headgate(model) : headgate.chat(model),
      embedder: embeddingModel && headgate.textEmbeddingModel?.(embeddingModel),
    }
  },
  '@ai-sdk/openai-compatible': ({ createOpenAICompatible }) => {
    const headgate = createOpenAICompatible({
      name: 'headgate',
      baseURL: `${url}/v1`,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })
    return { chat: headgate(model), embedder: embeddingModel && headgate.textEmbeddingModel?.(embeddingModel) }
  },
  '@ai-sdk/anthropic': ({ createAnthropic }) => ({ chat: createAnthropic({ baseURL: `${url}/v1`, apiKey })(model) }),
  '@ai-sdk/google': ({ createGoogleGenerativeAI }) => {
    const headgate = createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })
    return { chat: headgate(model), embedder: embeddingModel && headgate.textEmbeddingModel?.(embeddingModel) }
  },
}

const { chat, embedder } = PROVIDERS[client](await import(client))
const settings = { model: chat, maxRetries: 0, maxOutputTokens: 256 }
const object = (properties) =>
  jsonSchema({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false })
const city = { type: 'string' }
const tools = {
  [weather.name]: tool({ description: weather.description, inputSchema: object({ city }), execute: weather.run }),
}
const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(3)

await tell({
  answer: async () => (await generateText({ ...settings, prompt: question })).text,
  stream: () => listOf(streamText({ ...settings, prompt: question }).textStream),
  tool: async () => (await generateText({ ...settings, prompt: task, tools, stopWhen })).text,
  object: async () => {
    const output = Output.object({ schema: object({ city, degrees: { type: 'integer' } }) })
    const answer = await generateText({ ...settings, prompt: task, output, experimental_output: output })
    return answer.output ?? answer.experimental_output
  },
  embeddings:
    embedder && (async () => [(await embedMany({ model: embedder, values: texts, maxRetries: 0 })).embeddings]),
})
