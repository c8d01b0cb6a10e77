import {
  type ChatSupport,
  type Credential,
  type Exchange,
  type HttpRequest,
  isNext,
  next,
  type PerModel,
  type TranscriptionSupport,
  targetOf,
  type Upstream,
} from '@headgate/core/provider'
import type { ProviderInstance } from '@headgate/gateway'
import { isObject } from './json.ts'
import { MAX_LEASE_STEPS, type Steps } from './steps.ts'
import { PACE } from './tasks.ts'

/** Origins of the kit's servers that replace a provider's hosts. */
export interface StubHosts {
  /** Origin for the provider's hosts. */
  readonly upstream: string
  /** Origin for the hosts that issue credentials. */
  readonly issuer: string
  readonly steps: Steps
}

type Hosts = Pick<Upstream, 'baseUrl' | 'hosts'>
type Redirect = (url: string) => string

/**
 * Provider with the kit's servers in place of every declared host, so that nothing leaves this machine. Requests to
 * other hosts are unchanged, so that core rejects them.
 */
export function withStubHosts(provider: ProviderInstance, { upstream, issuer, steps }: StubHosts): ProviderInstance {
  const { chat, credential, transcription, video } = provider
  if (provider.baseUrl === undefined) return video ? { ...provider, video: { ...video, pollRate: PACE } } : provider
  const home = redirect(provider, upstream)
  return {
    ...provider,
    ...exchangesAtHome(provider, home, steps),
    credential: credentialAtHome(credential, issuer, steps),
    ...(transcription && {
      transcription: {
        ...transcription,
        ...exchangeAtHome(transcription, home, steps, 'transcription.response'),
        native: nativeAtHome(transcription, home),
      },
    }),
    ...(video && { video: { ...video, ...exchangesAtHome(video, home, steps, 'video.'), pollRate: PACE } }),
    ...(chat && { chat: chat.map((support) => ('run' in support ? support : chatAtHome(support, home, steps))) }),
  }
}

function chatAtHome(support: ChatSupport, home: Redirect, steps: Steps): ChatSupport {
  const { poll } = support
  return {
    ...support,
    path: (call) => home(support.path(call)),
    ...(poll && {
      poll: (answer, call, earlier) =>
        steps.taken('poll', answerAtHome(poll(answer, call, earlier), home), earlier.length),
    }),
  }
}

function nativeAtHome({ native }: TranscriptionSupport, home: Redirect): TranscriptionSupport['native'] {
  const redirected =
    (path: PerModel<string>) =>
    (model: string): string =>
      home(typeof path === 'function' ? path(model) : path)
  return (
    native && {
      ...native,
      transcriptions: redirected(native.transcriptions),
      translations: native.translations && redirected(native.translations),
    }
  )
}

function redirect(hosts: Hosts, origin: string): Redirect {
  return (url) => {
    if (!/^https?:/.test(url) || url.startsWith(origin) || !isAllowed(hosts, url)) return url
    const { pathname, search } = new URL(url)
    return origin + pathname + search
  }
}

function isAllowed(hosts: Hosts, url: string): boolean {
  try {
    targetOf(hosts, url)
    return true
  } catch {
    return false
  }
}

function requestAtHome(request: HttpRequest, home: Redirect): HttpRequest {
  return { ...request, url: home(request.url) }
}

function answerAtHome<T>(answer: T, home: Redirect): T {
  if (!isNext(answer)) return answer
  // The type of a further request is the type of the union.
  return next(requestAtHome(answer.request, home), answer.afterMs) as T
}

/** Members that are exchanges. `prefix` precedes their names in messages. */
function exchangesAtHome(members: object, home: Redirect, steps: Steps, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) =>
      isExchange(member)
        ? [[name, { ...member, ...exchangeAtHome(member, home, steps, `${prefix}${name}.response`) }]]
        : [],
    ),
  )
}

/** Tells if a member of a provider is an exchange, in any family. */
function isExchange(member: unknown): member is Exchange<unknown, unknown> {
  return isObject(member) && typeof member['request'] === 'function' && typeof member['response'] === 'function'
}

function exchangeAtHome<In, Out>(
  exchange: Exchange<In, Out>,
  home: Redirect,
  steps: Steps,
  member: string,
): Exchange<In, Out> {
  return {
    request: (input, call) => requestAtHome(exchange.request(input, call), home),
    response: (answer, input, earlier) =>
      steps.taken(member, answerAtHome(exchange.response(answer, input, earlier), home), earlier.length),
  }
}

function credentialAtHome(credential: Credential, origin: string, steps: Steps): Credential {
  if (credential.kind !== 'signed' || !credential.lease) return credential
  const { lease } = credential
  const home = redirect(lease, origin)
  return {
    ...credential,
    lease: {
      ...lease,
      hosts: [origin],
      obtain: {
        request: (given) => requestAtHome(lease.obtain.request(given), home),
        response: (answer, earlier, given) =>
          steps.taken(
            'lease.obtain.response',
            answerAtHome(lease.obtain.response(answer, earlier, given), home),
            earlier.length,
            MAX_LEASE_STEPS,
          ),
      },
    },
  }
}
