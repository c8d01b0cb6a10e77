import { messagesAnswer, messagesFrames } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, Principal, ProviderInstance } from '../../src/index.ts'
import { messagesProvider, type SinkName, startGateway } from './gateway.ts'
import { RESPONSES, responsesAnswer, responsesFrames, responsesRequest } from './responses.ts'
import { startUpstream, type UpstreamCall } from './upstream.ts'

export type Answer = { id: string; output: { id: string; content: { text: string }[] }[] } & Record<string, unknown>

const IN = { project: 'prj-1' }
/** Two keys of a person, and those to whom nothing of the person belongs. */
export const KEYS: Readonly<Record<string, Principal>> = {
  one: { id: 'key-1', owners: { ...IN, member: 'per-1' } },
  other: { id: 'key-2', owners: { ...IN, member: 'per-1' } },
  colleague: { id: 'key-5', owners: { ...IN, member: 'per-2' } },
  service: { id: 'key-6', owners: IN, service: true },
  'service-2': { id: 'key-7', owners: IN, service: true },
  operator: { id: 'key-8', owners: IN },
  sharing: { id: 'key-9', owners: { ...IN, member: 'per-2' }, sharesResponses: true },
  foreign: { id: 'key-3', owners: { project: 'prj-2', member: 'per-1' } },
  'foreign-sharing': { id: 'key-10', owners: { project: 'prj-2', member: 'per-1' }, sharesResponses: true },
  alone: { id: 'key-4' },
}
/** Those that may not name what `one` has made. */
export const STRANGERS = ['colleague', 'service', 'operator', 'foreign', 'foreign-sharing', 'alone']

/** A gateway of these keys over one provider. */
export async function startKeeping(
  sink: SinkName,
  handler: (call: UpstreamCall) => unknown,
  make: (url: string) => ProviderInstance = messagesProvider,
  options: Partial<GatewayOptions> = {},
) {
  const upstream = await startUpstream(handler)
  const gateway = await startGateway(sink, {
    providers: [make(upstream.url)],
    authenticate: (credential) => KEYS[credential],
    ...options,
  })
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
  const ask = (body: object, key = 'one') => gateway.post(RESPONSES, { ...responsesRequest, ...body }, as(key))
  return {
    ...gateway,
    upstream,
    ask,
    answer: async (body: object, key = 'one') => (await (await ask(body, key)).json()) as Answer,
    at: (rest: string, method = 'GET', key = 'one') => gateway.call(`${RESPONSES}/${rest}`, { method, ...as(key) }),
  }
}

/** Answers with how many turns it was asked. */
export const counting = (call: UpstreamCall) => {
  const turns = (call.json()['messages'] as unknown[]).length
  return call.json()['stream']
    ? call.stream(messagesFrames([`turn ${turns}`]))
    : call.answer(200, messagesAnswer(`turn ${turns}`))
}

/** Answers as a provider does that keeps answers. */
export const native = (call: UpstreamCall) => {
  if (call.method !== 'POST')
    return call.answer(200, call.method === 'GET' ? responsesAnswer() : { id: 'resp_1', deleted: true })
  return call.json()['stream'] ? call.stream(responsesFrames()) : call.answer(200, responsesAnswer())
}
