import { scenarios, wires } from '@headgate/conformance'
import OpenAI from 'openai'
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import type { Client } from './client.ts'
import { API_KEY } from './gateway.ts'

const { text, tools, parallelTools, toolResult, image, pdf, amended } = scenarios

export const openaiSdk: Client = {
  name: 'openai',
  format: 'chat-completions',
  scenarios: [text, tools, parallelTools, toolResult, image, pdf, amended],
  async ask({ requests }, { url, model, stream }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: API_KEY, maxRetries: 0 })
    const body = { model, ...requests['chat-completions'] } as unknown as ChatCompletionCreateParamsNonStreaming
    const completion = stream
      ? await client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } }).finalChatCompletion()
      : await client.chat.completions.create(body)
    return wires['chat-completions'].readAnswer(completion).meaning
  },
}
