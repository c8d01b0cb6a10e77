import { wires } from '@headgate/conformance'
import OpenAI from 'openai'
import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import { type Client, WHOLE_BODIES } from './client.ts'
import { API_KEY } from './gateway.ts'

export const openaiSdk: Client = {
  name: 'openai',
  format: 'chat-completions',
  scenarios: WHOLE_BODIES,
  async ask({ requests }, { url, model, stream }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: API_KEY, maxRetries: 0 })
    const body = { model, ...requests['chat-completions'] } as unknown as ChatCompletionCreateParamsNonStreaming
    return stream ? streamed(client, body) : meaningOf(await client.chat.completions.create(body))
  },
}

/** The SDK puts a message together of the fields that it knows; of others it keeps the last delta, so thoughts are read from the chunks. */
async function streamed(client: OpenAI, body: ChatCompletionCreateParamsNonStreaming) {
  const thoughts: string[] = []
  const stream = client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } })
  stream.on('chunk', ({ choices }) => {
    const delta = Object(choices[0]?.delta)
    if (delta.reasoning_content) thoughts.push(delta.reasoning_content)
  })
  return { ...meaningOf(await stream.finalChatCompletion()), reasoning: thoughts.join('') }
}

function meaningOf(completion: ChatCompletion) {
  return wires['chat-completions'].readAnswer(completion).meaning
}
