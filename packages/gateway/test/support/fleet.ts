import type { ChatSupport } from '../../../core/src/provider.ts'
import { chatAnswer, chatFrames } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderInstance } from '../../src/index.ts'
import { chatProvider, type RunningGateway, type SinkName, startGateway } from './gateway.ts'
import { startUpstream, type Upstream, type UpstreamCall } from './upstream.ts'

/** What an upstream does with a call. */
export type Handler = (call: UpstreamCall) => unknown

/** Answers in the chat completions format, whole or as a stream. */
export const good: Handler = (call) =>
  call.json()['stream'] ? call.stream(chatFrames()) : call.answer(200, chatAnswer())

/** Answers with a failure. */
export function failing(
  status: number,
  body: unknown = { error: { message: 'It hurts', type: 'x', code: null } },
  headers: Record<string, string> = {},
): Handler {
  return (call) => call.answer(status, body, headers)
}

/** Begins a stream and leaves it open. */
export function pausing(text: string): Handler {
  return (call) => {
    call.head(200, { 'content-type': 'text/event-stream' })
    return call.write(text)
  }
}

/**
 * A gateway in front of providers alpha, beta, gamma, which all have the model `small`, each with an upstream of its
 * own.
 */
export async function startFleet(
  sink: SinkName,
  handlers: readonly Handler[],
  options: Partial<GatewayOptions> = {},
): Promise<RunningGateway & { upstreams: Upstream[] }> {
  const upstreams = await Promise.all(handlers.map((handler) => startUpstream(handler)))
  const names = ['alpha', 'beta', 'gamma']
  const providers = upstreams.map((upstream, index) =>
    chatProvider(upstream.url, { name: names[index] ?? `provider-${index}` }),
  )
  return { ...(await startGateway(sink, { providers, ...options })), upstreams }
}

/** A gateway in front of one provider that differs from a plain one. */
export async function startOne(
  sink: SinkName,
  changes: (url: string) => Partial<ProviderInstance>,
  handler: Handler = good,
): Promise<RunningGateway & { upstream: Upstream }> {
  const upstream = await startUpstream(handler)
  const served = await startGateway(sink, { providers: [chatProvider(upstream.url, changes(upstream.url))] })
  return { ...served, upstream }
}

/** The same, where only its support of chat differs. */
export function startSupport(
  sink: SinkName,
  changes: Partial<ChatSupport>,
  handler: Handler = good,
): Promise<RunningGateway & { upstream: Upstream }> {
  return startOne(
    sink,
    () => ({ chat: [{ format: 'chat-completions', path: () => '/chat/completions', ...changes }] }),
    handler,
  )
}
