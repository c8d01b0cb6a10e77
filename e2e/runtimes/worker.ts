import { createGateway, type FetchContext, type Gateway } from '../../packages/gateway/src/index.ts'
import { anthropic } from '../../packages/providers/anthropic/src/index.ts'
import { google } from '../../packages/providers/google/src/index.ts'
import { openai } from '../../packages/providers/openai/src/index.ts'

interface Settings {
  /** Configurations of providers by name, as JSON. */
  readonly PROVIDERS: string
  readonly API_KEY: string
}

interface Configured {
  readonly apiKey: string
  readonly baseUrl: string
  readonly responses?: boolean
}

let gateway: Gateway | undefined

function open({ PROVIDERS, API_KEY }: Settings): Gateway {
  const {
    openai: first,
    anthropic: second,
    google: third,
  }: Record<'openai' | 'anthropic' | 'google', Configured> = JSON.parse(PROVIDERS)
  return createGateway({
    providers: [openai(first), anthropic(second), google(third)],
    authenticate: (credential) => (credential === API_KEY ? { id: 'e2e' } : undefined),
  })
}

/** Worker that embeds the gateway with a provider of each format. */
export default {
  fetch(request: Request, env: Settings, context: FetchContext): Promise<Response> {
    gateway ??= open(env)
    return gateway.fetch(request, context)
  },
}
