import { createAnthropic as createAnthropic2 } from '@ai-sdk/anthropic-2'
import { createAnthropic as createAnthropic3 } from '@ai-sdk/anthropic-3'
import { createOpenAICompatible as createOpenAICompatible1 } from '@ai-sdk/openai-compatible-1'
import { createOpenAICompatible as createOpenAICompatible2 } from '@ai-sdk/openai-compatible-2'
import Anthropic0 from '@anthropic-ai/sdk-0'
import { GoogleGenAI as GoogleGenAI1 } from '@google/genai-1'
import { GoogleGenAI as GoogleGenAI2 } from '@google/genai-2'
import { type Scenario, scenarios } from '@headgate/conformance'
import * as ai5 from 'ai-5'
import * as ai6 from 'ai-6'
import OpenAI5 from 'openai-5'
import OpenAI6 from 'openai-6'
import { type AiSdk, aiAnthropic, aiOpenAICompatible } from './ai.ts'
import { anthropicClient } from './anthropic.ts'
import type { Client, VendorClient } from './client.ts'
import { googleClient } from './google.ts'
import { openaiClient, openaiResponsesClient } from './openai.ts'

/** What is used of a major version here has the types of the latest one, as far as it has been tried. */
function asLatest<Latest>(sdk: unknown): Latest {
  return sdk as Latest
}

const { text, tools, parallelTools, image, toolResult } = scenarios

/** What the majors ask alike. */
const ASKED: ReadonlySet<Scenario> = new Set([text, tools, parallelTools, image, toolResult])

/** The vendors' own, of earlier major versions that still have users. */
export const EARLIER_VENDOR_CLIENTS: readonly VendorClient[] = [
  openaiClient('openai 5', asLatest(OpenAI5)),
  openaiClient('openai 6', asLatest(OpenAI6)),
  openaiResponsesClient('openai 5', asLatest(OpenAI5)),
  openaiResponsesClient('openai 6', asLatest(OpenAI6)),
  anthropicClient('@anthropic-ai/sdk 0', asLatest(Anthropic0)),
  googleClient('@google/genai 1', asLatest(GoogleGenAI1)),
  googleClient('@google/genai 2', asLatest(GoogleGenAI2)),
]

/** Earlier major versions that still have users, each with the providers of its time. */
export const EARLIER_CLIENTS: readonly Client[] = [
  ...EARLIER_VENDOR_CLIENTS,
  aiOpenAICompatible('ai 5 with @ai-sdk/openai-compatible 1', asLatest<AiSdk>(ai5), asLatest(createOpenAICompatible1)),
  aiOpenAICompatible('ai 6 with @ai-sdk/openai-compatible 2', asLatest<AiSdk>(ai6), asLatest(createOpenAICompatible2)),
  aiAnthropic('ai 5 with @ai-sdk/anthropic 2', asLatest<AiSdk>(ai5), asLatest(createAnthropic2)),
  aiAnthropic('ai 6 with @ai-sdk/anthropic 3', asLatest<AiSdk>(ai6), asLatest(createAnthropic3)),
].map((client) => ({ ...client, scenarios: client.scenarios.filter((scenario) => ASKED.has(scenario)) }))
