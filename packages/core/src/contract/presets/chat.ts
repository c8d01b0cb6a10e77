import { type ChatSupport, forModel, type PerModel } from '../chat.ts'
import { systemRole } from './system-role.ts'
import { type ThoughtChunk, thoughtChunks } from './thought-chunks.ts'

/** How a server deviates from chat completions: data where data is enough. Each member is documented in `contract/chat.ts`. */
export type Deviations = Pick<
  ChatSupport,
  'drop' | 'rename' | 'routingFields' | 'patchRequest' | 'patchResponse' | 'patchFrame' | 'signer' | 'facts' | 'forward' | 'answer'
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

/** How a server deviates from legacy completions. Each member is documented in `contract/chat.ts`. */
export type CompletionsDeviations = Pick<ChatSupport, 'speaks' | 'drop'>

/**
 * Legacy completions, for their own callers only; what holds for usage, headers and routing in chat completions holds here.
 *
 * @see https://platform.openai.com/docs/api-reference/completions/create
 */
export function completionsSupport(
  path: (model: string) => string,
  headers: Readonly<Record<string, string>>,
  { facts, forward, answer, routingFields }: Deviations,
  deviations: CompletionsDeviations,
): ChatSupport {
  return {
    ...(facts && { facts }),
    ...(forward && { forward }),
    ...(answer && { answer }),
    ...(routingFields && { routingFields }),
    ...deviations,
    format: 'completions',
    path: ({ model }) => path(model),
    headers,
  }
}

export function messagesSupport(path: string, headers: Readonly<Record<string, string>>): ChatSupport {
  return { format: 'messages', path: () => path, headers, forward: ['anthropic-version', 'anthropic-beta'] }
}
