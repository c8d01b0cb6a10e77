import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { AnswerMeaning, ExpectedPart, Scenario } from '@headgate/conformance'
import type { LanguageModel, ModelMessage, ToolSet } from 'ai'
import * as ai from 'ai'
import { type Client, ONE_TURN, type Question } from './client.ts'
import { API_KEY } from './gateway.ts'

/** Tokens of thought where a provider of the AI SDK wants a number; it adds them to the limit of the answer. */
const BUDGET = 4096

/** The SDK of a major version, with its provider of the same time: what is asked of them here is the same in all. */
export type AiSdk = Pick<typeof ai, 'generateText' | 'streamText' | 'jsonSchema' | 'tool' | 'Output'>

export const aiSdkOpenAICompatible = aiOpenAICompatible('ai with @ai-sdk/openai-compatible', ai, createOpenAICompatible)
export const aiSdkOpenAI = aiOpenAI('ai with @ai-sdk/openai', ai, createOpenAI)
export const aiSdkAnthropic = aiAnthropic('ai with @ai-sdk/anthropic', ai, createAnthropic)

export function aiOpenAICompatible(name: string, sdk: AiSdk, create: typeof createOpenAICompatible): Client {
  return client(sdk, {
    name,
    format: 'chat-completions',
    model: ({ url, model }) =>
      create({
        name: 'headgate',
        baseURL: `${url}/v1`,
        apiKey: API_KEY,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(model),
    settings: ({ maxTokens = 256, reasoning }) => ({
      maxOutputTokens: maxTokens,
      ...(reasoning && { reasoning: 'high' }),
    }),
  })
}

export function aiOpenAI(name: string, sdk: AiSdk, create: typeof createOpenAI): Client {
  return client(sdk, {
    name,
    format: 'responses',
    model: ({ url, model }) => create({ baseURL: `${url}/v1`, apiKey: API_KEY })(model),
    settings: ({ maxTokens = 256, reasoning }) => ({
      maxOutputTokens: maxTokens,
      // Models that the SDK does not know are not asked to think, unless it is told that they can.
      ...(reasoning && {
        providerOptions: { openai: { reasoningEffort: 'high', reasoningSummary: 'auto', forceReasoning: true } },
      }),
    }),
  })
}

export function aiAnthropic(name: string, sdk: AiSdk, create: typeof createAnthropic): Client {
  return client(sdk, {
    name,
    format: 'messages',
    model: ({ url, model }) => create({ baseURL: `${url}/v1`, apiKey: API_KEY })(model),
    settings: ({ maxTokens = 256, reasoning }) => ({
      maxOutputTokens: reasoning ? maxTokens - BUDGET : maxTokens,
      providerOptions: {
        // Without it, models that the SDK does not know are asked by way of a tool.
        anthropic: {
          structuredOutputMode: 'outputFormat',
          ...(reasoning && { thinking: { type: 'enabled', budgetTokens: BUDGET } }),
        },
      },
    }),
  })
}

type Settings = Pick<Parameters<typeof ai.generateText>[0], 'maxOutputTokens' | 'providerOptions' | 'reasoning'>

interface Provider extends Pick<Client, 'name' | 'format'> {
  model(question: Question): LanguageModel
  settings(asked: Scenario['asked']): Settings
}

function client(sdk: AiSdk, { name, format, model, settings }: Provider): Client {
  return {
    name,
    format,
    scenarios: ONE_TURN,
    async ask({ asked }, question) {
      const { schema } = asked
      const call = {
        model: model(question),
        messages: messagesOf(asked),
        tools: toolsOf(sdk, asked),
        maxRetries: 0,
        ...settings(asked),
        ...(schema && { output: sdk.Output.object({ schema: sdk.jsonSchema(schema) }) }),
      }
      const result = question.stream ? sdk.streamText(call) : await sdk.generateText(call)
      const usage = await result.usage
      return {
        text: await result.text,
        reasoning: (await result.reasoningText) ?? '',
        calls: (await result.toolCalls).map(({ toolName, input }) => ({ name: toolName, arguments: input })),
        finish: finishOf(await result.finishReason),
        usage: { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 },
      }
    },
  }
}

function messagesOf({ said }: Scenario['asked']): ModelMessage[] {
  return [{ role: 'user', content: said.map(partOf) }]
}

function partOf(said: ExpectedPart) {
  if ('media' in said) return { type: 'file' as const, mediaType: said.media, data: said.base64 }
  if ('text' in said) return { type: 'text' as const, text: said.text }
  throw new TypeError('Scenarios of the AI SDK are one turn of a user.')
}

function toolsOf({ tool, jsonSchema }: AiSdk, { tools = [] }: Scenario['asked']): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description = '', schema = {} }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema) }),
    ]),
  )
}

function finishOf(reason: string): AnswerMeaning['finish'] {
  return reason === 'stop' || reason === 'length' || reason === 'tool-calls' ? reason : 'unknown'
}
