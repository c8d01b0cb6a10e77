import { type KitFormat, type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import { gatewayFolder } from './gateway.ts'
import { openGateway } from './local-gateway.ts'

/** A provider of the program, played by an upstream of this machine. */
export interface StagedProvider {
  readonly name: string
  readonly format: KitFormat
  /** One that the provider's package knows. */
  readonly model: string
  /** Where its paths start: base URLs follow each vendor's SDK. */
  readonly base: string
  /** Of its configuration, beside key and address. */
  readonly config?: object
}

/** One of each format, with a model that sees, calls tools and thinks. */
export const PROVIDERS: readonly StagedProvider[] = [
  { name: 'openai', format: 'chat-completions', model: 'gpt-5.4', base: '/v1', config: { responses: false } },
  { name: 'anthropic', format: 'messages', model: 'claude-sonnet-4-6', base: '' },
  { name: 'google', format: 'generate-content', model: 'gemini-3.5-flash', base: '' },
  {
    name: 'openai-responses',
    format: 'responses',
    model: 'gpt-5.4-pro',
    base: '/v1',
    config: { adapter: 'openai', models: ['gpt-5.4-pro'] },
  },
]

/** A running gateway between callers and upstreams. */
export interface Stage {
  readonly url: string
  upstream(provider: StagedProvider): LoopbackUpstream
  close(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const upstreams = new Map<string, LoopbackUpstream>()
  for (const { name } of PROVIDERS) upstreams.set(name, await startUpstream())
  const upstream = ({ name }: StagedProvider): LoopbackUpstream => {
    const found = upstreams.get(name)
    if (!found) throw new TypeError(`There is no provider ${name} on this stage.`)
    return found
  }
  const configured = PROVIDERS.map((provider) => {
    const baseUrl = `${upstream(provider).origin}${provider.base}`
    return [provider.name, { apiKey: 'key-of-the-provider', baseUrl, ...provider.config }] as const
  })
  const folder = gatewayFolder(Object.fromEntries(configured))
  const gateway = await openGateway(folder.path)
  return {
    url: gateway.url,
    upstream,
    async close() {
      await gateway.end()
      folder.remove()
      for (const one of upstreams.values()) await one.close()
    },
  }
}
