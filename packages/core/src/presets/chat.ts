import { type ChatSupport, forModel, type PerModel } from '../contract/chat.ts'
import { systemRole } from './system-role.ts'
import { type ThoughtChunk, thoughtChunks } from './thought-chunks.ts'

/**
 * How a server deviates from chat completions: data where data is enough. Each member is documented in
 * `contract/chat.ts`.
 */
export type Deviations = Pick<
  ChatSupport,
  | ('drop' | 'accepts' | 'replace' | 'rename' | 'routingFields' | 'patchRequest' | 'patchResponse' | 'patchFrame')
  | ('signer' | 'facts' | 'forward' | 'answer')
>

/** How a server deviates from the responses format: as from chat completions, by itself. */
export type ResponsesDeviations = Deviations & Pick<ChatSupport, 'speaks' | 'keepsAnswers'>

/** What of chat completions is said by the preset's own words. Each member is documented in `ServerOptions`. */
interface ChatOptions {
  readonly path?: PerModel<string>
  readonly systemOnly?: boolean
  readonly thoughtChunks?: ThoughtChunk
}

/** Chat completions; `above` is what stands before the path, by model. */
export function chatSupport(
  above: (model: string) => string,
  query: string,
  headers: Readonly<Record<string, string>>,
  { path, systemOnly, thoughtChunks: chunked, ...given }: Deviations & ChatOptions,
): ChatSupport {
  const deviations = chunked ? { ...given, ...thoughtChunks(chunked, given) } : given
  const { patchRequest } = deviations
  return {
    ...deviations,
    ...(systemOnly && { patchRequest: (body, call) => systemRole(patchRequest?.(body, call) ?? body) }),
    format: 'chat-completions',
    path: ({ model }) => `${above(model)}${forModel(path, model) ?? '/chat/completions'}${query}`,
    headers,
  }
}

/** @see https://platform.openai.com/docs/api-reference/responses/create */
export function responsesSupport(
  path: string,
  headers: Readonly<Record<string, string>>,
  signer: ChatSupport['signer'],
  deviations: ResponsesDeviations,
): ChatSupport {
  return { ...(signer && { signer }), ...deviations, format: 'responses', path: () => path, headers }
}

/** The models of legacy completions: `only` matches models that have no other API. */
export interface CompletionsModels {
  readonly only: RegExp
}

/** The other supports of a provider, without the models that have legacy completions only. */
export function exceptLegacy(
  supports: readonly ChatSupport[],
  completions: boolean | CompletionsModels,
): readonly ChatSupport[] {
  if (typeof completions !== 'object') return supports
  return supports.map((support) => {
    const speaks = (model: string): boolean => !completions.only.test(model) && (support.speaks?.(model) ?? true)
    return { ...support, speaks }
  })
}

/**
 * Legacy completions, for their own callers only. Usage, headers and routing are those of chat completions.
 *
 * @see https://platform.openai.com/docs/api-reference/completions/create
 */
export function completionsSupport(
  path: (model: string) => string,
  headers: Readonly<Record<string, string>>,
  { facts, forward, answer, routingFields }: Deviations,
  completions: boolean | CompletionsModels,
): ChatSupport {
  return {
    ...(facts && { facts }),
    ...(forward && { forward }),
    ...(answer && { answer }),
    ...(routingFields && { routingFields }),
    ...(typeof completions === 'object' && { speaks: (model: string) => completions.only.test(model) }),
    format: 'completions',
    path: ({ model }) => path(model),
    headers,
  }
}

export function messagesSupport(path: string, headers: Readonly<Record<string, string>>): ChatSupport {
  return { format: 'messages', path: () => path, headers, forward: ['anthropic-version', 'anthropic-beta'] }
}
