// LangChain with the package of the format that is asked for.

import { HumanMessage } from '@langchain/core/messages'
import { tool as toolOf } from '@langchain/core/tools'
import { z } from 'zod'
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

/** How each is pointed at the gateway. */
const PACKAGES = {
  '@langchain/openai': ({ ChatOpenAI, OpenAIEmbeddings }) => {
    const place = { apiKey, configuration: { baseURL: `${url}/v1` }, maxRetries: 0 }
    return {
      chat: new ChatOpenAI({ model, useResponsesApi: format === 'responses', ...place }),
      embedder: embeddingModel && new OpenAIEmbeddings({ model: embeddingModel, ...place }),
    }
  },
  '@langchain/anthropic': ({ ChatAnthropic }) => ({
    chat: new ChatAnthropic({ model, apiKey, anthropicApiUrl: url, maxTokens: 256, maxRetries: 0 }),
  }),
  '@langchain/google-genai': ({ ChatGoogleGenerativeAI }) => ({
    chat: new ChatGoogleGenerativeAI({ model, apiKey, baseUrl: url, maxRetries: 0 }),
  }),
}

const { chat, embedder } = PACKAGES[client](await import(client))

await tell({
  answer: async () => (await chat.invoke(question)).text,
  stream: async () => (await listOf(await chat.stream(question))).map(({ text }) => text).filter((text) => text !== ''),
  tool: async () => {
    const { name, description, run } = weather
    const tool = toolOf(run, { name, description, schema: z.object({ city: z.string() }) })
    const bound = chat.bindTools([tool])
    const messages = [new HumanMessage(task)]
    const asks = await bound.invoke(messages)
    const results = await Promise.all(asks.tool_calls.map((call) => tool.invoke(call)))
    return (await bound.invoke([...messages, asks, ...results])).text
  },
  embeddings: embedder && (async () => [await embedder.embedDocuments(texts)]),
})
