import type { ProviderInstance, Times, UsageRow } from '@headgate/gateway'
import { CALLER_KEY, type CallerResponse, type Question } from './caller.ts'
import type { Adapter, ProviderFacts } from './facts.ts'
import { withJob } from './families/chat/job.ts'
import { signatureOf } from './place.ts'
import { observeReader } from './reader.ts'
import { type MakeGateway, serveGateway } from './served.ts'
import type { Steps } from './steps.ts'
import { withStubHosts } from './stub-hosts.ts'
import { harnessTasks } from './tasks.ts'
import { type LoopbackUpstream, type Received, startUpstream, type UpstreamReply } from './upstream.ts'

/** Harness of an adapter: a gateway in front of it, an upstream behind it. */
export interface Harness {
  /** Instance created by the adapter. Its hosts are unchanged; the gateway resolves them to the kit's servers. */
  readonly provider: ProviderInstance
  readonly upstream: LoopbackUpstream
  /** Server that issues leased credentials. */
  readonly issuer: LoopbackUpstream
  /** Usage rows, oldest first. */
  readonly rows: readonly UsageRow[]
  /** All output to callers and operators. The kit searches it for secrets. */
  readonly said: readonly string[]
  /** Advice on how to fix `readError`, including the error that it threw, if any. */
  readerAdvice(): string
  /** Sends a caller's request for the provider's model. */
  ask(question: Question): Promise<CallerResponse>
  /** Resolves with the gateway's warnings once it has read the provider's model list. */
  ready(): Promise<readonly string[]>
  /** Model ids that the gateway lists. */
  models(): Promise<string[]>
  readonly inFlight: () => number
  /** Resolves once no connection is open. */
  close(): Promise<void>
}

/** Short waits, so that retries follow immediately. */
const TIMES: Partial<Times> = { backoff: 0, whole: 20_000 }

/**
 * Starts the adapter.
 *
 * @throws if the adapter rejects its config or ignores its base URL
 */
export async function openHarness<Config>(
  adapter: Adapter<Config>,
  facts: ProviderFacts<Config>,
  steps: Steps,
  make?: MakeGateway,
): Promise<Harness> {
  const [server, issuer] = await Promise.all([startUpstream(), startUpstream()])
  const job = facts.upstream && 'job' in facts.upstream ? facts.upstream.job : undefined
  const upstream = job ? withJob(server, job) : server
  issuer.answer(issueFor(facts))
  const provider = adapter(withUpstream(adapter, facts.config, upstream.origin))
  const home = withStubHosts(provider, { upstream: upstream.origin, issuer: issuer.origin, steps })
  const watched = observeReader(home)
  const served = await serveGateway({ providers: [watched.adapter], times: TIMES, tasks: harnessTasks() }, make)
  const { gateway, url, rows, said, warnings } = served

  return {
    provider,
    upstream,
    issuer,
    rows,
    said,
    readerAdvice: watched.advice,
    ask: (question) => served.ask({ ...question, headers: { vendor: provider.name, ...question.headers } }),
    async ready() {
      await gateway.ready()
      return warnings
    },
    async models() {
      const answer = await gateway.fetch(
        new Request(`${url}/v1/models`, { headers: { authorization: `Bearer ${CALLER_KEY}` } }),
      )
      const { data } = (await answer.json()) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    },
    inFlight: () => gateway.inFlight(),
    async close() {
      await served.close()
      await Promise.all([upstream.close(), issuer.close()])
    },
  }
}

/** Response of the credential issuer according to the facts. Requests that the facts reject get a 400. */
export function issueFor({
  upstream = {},
}: Pick<ProviderFacts<unknown>, 'upstream'>): (request: Received) => UpstreamReply {
  const { issue } = signatureOf(upstream) ?? {}
  return (request) => {
    try {
      const body = issue?.(request)
      if (body !== undefined) return { kind: 'whole', body }
    } catch (error) {
      return { kind: 'whole', status: 400, body: { error: 'invalid_request', error_description: String(error) } }
    }
    return { kind: 'whole', status: 404, body: 'This server issues no credentials.' }
  }
}

/** Config with the upstream's origin in place of the base URL's host. */
export function withUpstream<Config>(
  adapter: Adapter<Config, { readonly baseUrl?: string }>,
  config: Config,
  origin: string,
): Config {
  const { baseUrl } = adapter(config)
  if (baseUrl === undefined) return config
  const { pathname } = new URL(baseUrl)
  return { ...config, baseUrl: `${origin}${pathname === '/' ? '' : pathname}` }
}
