import { type ChatSupport, forModel, type PerModel } from '../contract/chat.ts'
import { systemRole } from './system-role.ts'
import { type ThoughtChunk, thoughtChunks } from './thought-chunks.ts'

/** Differences between a server and the chat completions format. `contract/chat.ts` documents each member. */
export type ProviderOverrides = Pick<
  ChatSupport,
  | ('drop' | 'accepts' | 'replace' | 'rename' | 'routingFields' | 'patchRequest' | 'patchResponse' | 'patchFrame')
  | ('signer' | 'facts' | 'forward' | 'responseHeaders' | 'routes')
>

/** Differences between a server and the responses format, with the same members. */
export type ResponsesOverrides = ProviderOverrides & Pick<ChatSupport, 'speaks' | 'storesResponses'>

/** Differences that are specific to this preset. `ServerOptions` documents each member. */
interface ChatOptions {
  readonly path?: PerModel<string>
  readonly systemOnly?: boolean
  readonly thoughtChunks?: ThoughtChunk
}

/**
 * Support for chat completions.
 * @param above prefix of the path, by model.
 */
export function chatSupport(
  above: (model: string) => string,
  query: string,
  headers: Readonly<Record<string, string>>,
  { path, systemOnly, thoughtChunks: chunked, ...given }: ProviderOverrides & ChatOptions,
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

/**
 * Support for the responses format.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function responsesSupport(
  path: string,
  headers: Readonly<Record<string, string>>,
  signer: ChatSupport['signer'],
  deviations: ResponsesOverrides,
): ChatSupport {
  return { ...(signer && { signer }), ...deviations, format: 'responses', path: () => path, headers }
}

/** Models that have only legacy completions, as matched by `only`. */
export interface CompletionsModels {
  readonly only: RegExp
}

/** Supports of other formats, without the models that have only legacy completions. */
export function exceptCompletionsOnly(
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
 * Support for legacy completions, only for callers of that format. Usage, headers and routing are the same as for chat
 * completions.
 * @see https://platform.openai.com/docs/api-reference/completions/create
 */
export function completionsSupport(
  path: (model: string) => string,
  headers: Readonly<Record<string, string>>,
  { facts, forward, responseHeaders, routingFields, routes }: ProviderOverrides,
  completions: boolean | CompletionsModels,
): ChatSupport {
  return {
    ...(facts && { facts }),
    ...(forward && { forward }),
    ...(responseHeaders && { responseHeaders }),
    ...(routingFields && { routingFields }),
    ...(routes && { routes }),
    ...(typeof completions === 'object' && { speaks: (model: string) => completions.only.test(model) }),
    format: 'completions',
    path: ({ model }) => path(model),
    headers,
  }
}

/** Support for the messages format. */
export function messagesSupport(path: string, headers: Readonly<Record<string, string>>): ChatSupport {
  return { format: 'messages', path: () => path, headers, forward: ['anthropic-version', 'anthropic-beta'] }
}
