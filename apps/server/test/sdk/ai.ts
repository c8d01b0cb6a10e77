import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type AnswerMeaning, type FormatId, type Said, type Scenario, scenarios } from '@headgate/conformance'
import { generateText, jsonSchema, type LanguageModel, type ModelMessage, streamText, type ToolSet, tool } from 'ai'
import type { Client, Question } from './client.ts'
import { API_KEY } from './gateway.ts'

const { text, tools, parallelTools, image, pdf } = scenarios

export const aiSdkOpenAICompatible = client('ai with @ai-sdk/openai-compatible', 'chat-completions', ({ url, model }) =>
  createOpenAICompatible({ name: 'headgate', baseURL: `${url}/v1`, apiKey: API_KEY, includeUsage: true })(model),
)

export const aiSdkAnthropic = client('ai with @ai-sdk/anthropic', 'messages', ({ url, model }) =>
  createAnthropic({ baseURL: `${url}/v1`, apiKey: API_KEY })(model),
)

function client(name: string, format: FormatId, modelOf: (question: Question) => LanguageModel): Client {
  return {
    name,
    format,
    scenarios: [text, tools, parallelTools, image, pdf],
    async ask(scenario, question) {
      const call = {
        model: modelOf(question),
        messages: messagesOf(scenario),
        tools: toolsOf(scenario),
        maxOutputTokens: 256,
        maxRetries: 0,
      }
      const result = question.stream ? streamText(call) : await generateText(call)
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

function messagesOf({ asked }: Scenario): ModelMessage[] {
  return [{ role: 'user', content: asked.said.map(partOf) }]
}

function partOf(said: Said) {
  if ('media' in said) return { type: 'file' as const, mediaType: said.media, data: said.base64 }
  if ('text' in said) return { type: 'text' as const, text: said.text }
  throw new TypeError('Scenarios of the AI SDK are one turn of a user.')
}

function toolsOf({ asked: { tools = [] } }: Scenario): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description = '', schema = {} }) => [name, tool({ description, inputSchema: jsonSchema(schema) })]),
  )
}

function finishOf(reason: string): AnswerMeaning['finish'] {
  return reason === 'stop' || reason === 'length' || reason === 'tool-calls' ? reason : 'unknown'
}
