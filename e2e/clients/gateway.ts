import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUpstream } from '../../packages/conformance/src/upstream.ts'
import { PROVIDERS, type Provider } from '../provider.ts'
import { API_KEY, type Server, startServer } from '../server.ts'
import { CHECKS, type Client, type Outcomes, type Trial } from './client.ts'
import { QUESTION, TASK, TEXTS, type Vendor, vendorOf, verdictOf } from './model.ts'
import { shortened, type Verdicts } from './results.ts'

/** Gateway between clients and a vendor of each format. */
export interface Gateway {
  /** Runs all checks of a client with a model of each vendor in turn. */
  try(client: Client, ask: (trial: Trial) => Promise<Outcomes>): Promise<Verdicts>
  close(): Promise<void>
}

/** Starts a gateway with configured providers, by name. */
export type Start = (folder: string, providers: Readonly<Record<string, object>>) => Promise<Server>

const startProgram: Start = (folder, providers) =>
  startServer(folder, providers, { server: { origins: ['app://obsidian.md'] } })

/** Starts the built program, or another server. */
export async function openGateway(start = startProgram): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-clients-'))
  const upstreams = await Promise.all(PROVIDERS.map(() => startUpstream()))
  const configured = PROVIDERS.map(({ name, base, settings }, index) => {
    return [
      name,
      { apiKey: 'key-of-the-provider', baseUrl: `${upstreams[index]?.origin}${base}`, ...settings },
    ] as const
  })
  const server = await start(folder, Object.fromEntries(configured))
  return {
    async try(client, ask) {
      const verdicts: Record<string, Record<string, string>> = {}
      for (const [index, provider] of PROVIDERS.entries()) {
        const vendor = vendorOf(provider.format)
        upstreams[index]?.answer((request) => vendor.answer(request))
        const outcomes = await ask(trialOf(client, provider, server.url)).catch((error: unknown) => failed(error))
        verdicts[provider.format] = verdictsOf(outcomes, vendor, provider)
      }
      return verdicts
    },
    async close() {
      await server.stop()
      await Promise.all(upstreams.map((upstream) => upstream.close()))
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function trialOf({ packages, format, variant }: Client, { model, embeddingModel }: Provider, url: string): Trial {
  const client = Object.keys(packages)[0] ?? ''
  return {
    url,
    apiKey: API_KEY,
    model,
    embeddingModel,
    client,
    variant,
    format,
    question: QUESTION,
    task: TASK,
    texts: TEXTS,
  }
}

function failed(error: unknown): Outcomes {
  return { answer: { error: String(error) } }
}

function verdictsOf(outcomes: Outcomes, vendor: Vendor, { format }: Provider): Record<string, string> {
  return Object.fromEntries(
    CHECKS.flatMap((check) => {
      const outcome = outcomes[check]
      if (!outcome) return []
      return [
        [check, 'error' in outcome ? shortened(outcome.error) : verdictOf(check, outcome.value, { vendor, format })],
      ]
    }),
  )
}
