import Anthropic from '@anthropic-ai/sdk'
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import { vendorClient } from './client.ts'
import { API_KEY } from './gateway.ts'

export const anthropicSdk = vendorClient({
  name: '@anthropic-ai/sdk',
  format: 'messages',
  async send(given, { url, model, stream }) {
    const client = new Anthropic({ baseURL: url, apiKey: API_KEY, maxRetries: 0 })
    const body = { model, ...given } as unknown as MessageCreateParamsNonStreaming
    return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body)
  },
})
