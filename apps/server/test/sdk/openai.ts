import OpenAI from 'openai'
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses'
import { type VendorClient, vendorClient } from './client.ts'
import { API_KEY } from './gateway.ts'

export const openaiSdk = openaiClient('openai', OpenAI)
export const openaiResponsesSdk = openaiResponsesClient('openai', OpenAI)

/** The SDK of a major version: what is asked of it here is the same in all. */
export function openaiClient(name: string, Sdk: typeof OpenAI): VendorClient {
  return vendorClient({
    name,
    format: 'chat-completions',
    async send(given, { url, model, stream }) {
      const client = new Sdk({ baseURL: `${url}/v1`, apiKey: API_KEY, maxRetries: 0 })
      const body = { model, ...given } as unknown as ChatCompletionCreateParamsNonStreaming
      return stream ? streamed(client, body) : client.chat.completions.create(body)
    },
  })
}

/**
 * Of fields that it does not know the SDK keeps the last delta, so thoughts are put together from the chunks, as its
 * users do.
 */
async function streamed(client: OpenAI, body: ChatCompletionCreateParamsNonStreaming): Promise<object> {
  const thoughts: string[] = []
  const stream = client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } })
  stream.on('chunk', ({ choices }) => {
    const delta = Object(choices[0]?.delta)
    if (delta.reasoning_content) thoughts.push(delta.reasoning_content)
  })
  const { choices, ...rest } = await stream.finalChatCompletion()
  const reasoning = thoughts.length > 0 ? { reasoning_content: thoughts.join('') } : {}
  return { ...rest, choices: choices.map((choice) => ({ ...choice, message: { ...choice.message, ...reasoning } })) }
}

/** The same SDK by its newer half. */
export function openaiResponsesClient(name: string, Sdk: typeof OpenAI): VendorClient {
  return vendorClient({
    name,
    format: 'responses',
    async send(given, { url, model, stream }) {
      const client = new Sdk({ baseURL: `${url}/v1`, apiKey: API_KEY, maxRetries: 0 })
      const body = { model, ...given } as unknown as ResponseCreateParamsNonStreaming
      return stream ? client.responses.stream({ ...body, stream: true }).finalResponse() : client.responses.create(body)
    },
  })
}
