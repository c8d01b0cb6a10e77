import Anthropic from '@anthropic-ai/sdk'
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import { type VendorClient, vendorClient } from './client.ts'
import { API_KEY } from './gateway.ts'

export const anthropicSdk = anthropicClient('@anthropic-ai/sdk', Anthropic)

/** The SDK of a major version: what is asked of it here is the same in all. */
export function anthropicClient(name: string, Sdk: typeof Anthropic): VendorClient {
  return vendorClient({
    name,
    format: 'messages',
    async send(given, { url, model, stream }) {
      const client = new Sdk({ baseURL: url, apiKey: API_KEY, maxRetries: 0 })
      const body = { model, ...given } as unknown as MessageCreateParamsNonStreaming
      return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body)
    },
  })
}
