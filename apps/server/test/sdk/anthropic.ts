import Anthropic from '@anthropic-ai/sdk'
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import { scenarios, wires } from '@headgate/conformance'
import type { Client } from './client.ts'
import { API_KEY } from './gateway.ts'

const { text, tools, parallelTools, toolResult, image, pdf, amended } = scenarios

export const anthropicSdk: Client = {
  name: '@anthropic-ai/sdk',
  format: 'messages',
  scenarios: [text, tools, parallelTools, toolResult, image, pdf, amended],
  async ask({ requests }, { url, model, stream }) {
    const client = new Anthropic({ baseURL: url, apiKey: API_KEY, maxRetries: 0 })
    const body = { model, ...requests.messages } as unknown as MessageCreateParamsNonStreaming
    const message = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
    return wires.messages.readAnswer(message).meaning
  },
}
