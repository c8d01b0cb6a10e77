import Anthropic from '@anthropic-ai/sdk'
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import { wires } from '@headgate/conformance'
import { type Client, WHOLE_BODIES } from './client.ts'
import { API_KEY } from './gateway.ts'

export const anthropicSdk: Client = {
  name: '@anthropic-ai/sdk',
  format: 'messages',
  scenarios: WHOLE_BODIES,
  async ask({ requests }, { url, model, stream }) {
    const client = new Anthropic({ baseURL: url, apiKey: API_KEY, maxRetries: 0 })
    const body = { model, ...requests.messages } as unknown as MessageCreateParamsNonStreaming
    const message = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
    return wires.messages.readAnswer(message).meaning
  },
}
