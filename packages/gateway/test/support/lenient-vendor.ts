import { CHAT, chatAnswer, MESSAGES, messagesAnswer } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, messagesProvider } from './gateway.ts'
import { GENERATE, generateAnswer, generateProvider } from './linked-media.ts'
import { RESPONSES, responsesAnswer, responsesProvider } from './responses.ts'
import { startUpstream, type Upstream, type UpstreamCall } from './upstream.ts'

/** A format as its callers use it, and a provider that speaks it. */
export interface Wire {
  readonly path: string
  /** A request, with fields that are added where the format has limits. */
  request(limits?: Record<string, unknown>): Record<string, unknown>
  /** Name of the limit there. */
  readonly limit: string
  /** Path of the limit in losses. */
  readonly lost: string
  /** Other spellings of the limit, and other limits, that lenient servers read. */
  readonly others: readonly string[]
  provider(url: string, changes?: Partial<ProviderInstance>): ProviderInstance
}

const messages = [{ role: 'user', content: 'Hello' }]

export const WIRES: Readonly<Record<string, Wire>> = {
  'chat completions': {
    path: CHAT,
    request: (limits) => ({ model: 'small', messages, ...limits }),
    limit: 'max_tokens',
    lost: 'max_tokens',
    others: [
      'Max_Tokens',
      'max-tokens',
      'maxTokens',
      'MAX_COMPLETION_TOKENS',
      'max_output_tokens',
      'n_predict',
      'max_to\u212aens',
    ],
    provider: chatProvider,
  },
  messages: {
    path: MESSAGES,
    request: (limits) => ({ model: 'small', messages, ...limits }),
    limit: 'max_tokens',
    lost: 'max_tokens',
    others: ['maxTokens', 'MAX_TOKENS', 'max_completion_tokens'],
    provider: messagesProvider,
  },
  generateContent: {
    path: GENERATE,
    request: (limits) => ({
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      ...(limits && { generationConfig: limits }),
    }),
    limit: 'maxOutputTokens',
    lost: 'generationConfig.maxOutputTokens',
    others: ['max-output-tokens', 'MaxOutputTokens', 'max_tokens'],
    provider: (url, changes) => generateProvider(url, {}, changes),
  },
  responses: {
    path: RESPONSES,
    request: (limits) => ({ model: 'small', input: 'Hello', store: false, ...limits }),
    limit: 'max_output_tokens',
    lost: 'max_output_tokens',
    others: ['maxOutputTokens', 'Max_Output_Tokens', 'max_tokens'],
    provider: responsesProvider,
  },
}

const fold = (name: string): string => name.toUpperCase().toLowerCase().replace(/[_-]/g, '')
const LIMITS: ReadonlySet<string> = new Set(['maxtokens', 'maxcompletiontokens', 'maxoutputtokens', 'npredict'])
const COUNTS: ReadonlySet<string> = new Set(['n', 'bestof', 'candidatecount'])

function numbersIn(body: Record<string, unknown>, names: ReadonlySet<string>): unknown[] {
  return Object.entries(body).flatMap(([key, value]) => {
    if (names.has(fold(key))) return [value]
    const isConfig = typeof value === 'object' && value !== null && /^(?:generationconfig|extrabody)$/.test(fold(key))
    return isConfig ? numbersIn(value as Record<string, unknown>, names) : []
  })
}

export interface LenientVendor extends Upstream {
  /** Output tokens that it produced, and charges for. */
  produced(): number
}

/**
 * A vendor that reads limits in every spelling, writes as much as the largest one allows, and charges for it. `most`:
 * of its model.
 */
export async function startLenientVendor(most: number, beyond = 1): Promise<LenientVendor> {
  let produced = 0
  const upstream = await startUpstream((call) => {
    const body = call.json()
    const limits = numbersIn(body, LIMITS).map((value) =>
      typeof value === 'number' && value > 0 ? Math.min(value, most) : most,
    )
    const answers = Math.max(1, ...numbersIn(body, COUNTS).map(Number))
    const output = Math.round((limits.length > 0 ? Math.max(...limits) : most) * answers * beyond)
    produced += output
    call.answer(200, answerOf(call, output))
  })
  return Object.assign(upstream, { produced: () => produced })
}

function answerOf({ path }: UpstreamCall, output: number): unknown {
  if (path.endsWith('/messages')) return { ...messagesAnswer(), usage: { input_tokens: 11, output_tokens: output } }
  if (path.endsWith('/responses'))
    return responsesAnswer('Hi', { usage: { input_tokens: 11, output_tokens: output, total_tokens: 11 + output } })
  if (path.endsWith('/generate'))
    return {
      ...generateAnswer,
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: output, totalTokenCount: 11 + output },
    }
  return chatAnswer('Hi', { usage: { prompt_tokens: 11, completion_tokens: output, total_tokens: 11 + output } })
}
