import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type {
  Adapter,
  ImagesFacts,
  ModerationsFacts,
  Received,
  SpeechFacts,
  TranscriptionFacts,
  UpstreamReply,
} from '@headgate/conformance'
import { startUpstream } from '@headgate/conformance'
import type { ProviderAdapter } from '@headgate/core/provider'
import type { ProviderInstance } from '@headgate/gateway'
import { withUpstream } from '../../../../packages/conformance/src/harness.ts'
import { serveGateway } from '../../../../packages/conformance/src/served.ts'
import { createSteps } from '../../../../packages/conformance/src/steps.ts'
import { withStubHosts } from '../../../../packages/conformance/src/stub-hosts.ts'

const PROVIDERS = join(import.meta.dirname, '../../../../packages/providers')

/** Families whose vendors are described in `test/<family>-vendor.ts` of a provider's package. */
export const MEDIA_FAMILIES = ['images', 'speech', 'transcription', 'moderations'] as const

export type MediaFamily = (typeof MEDIA_FAMILIES)[number]

/** Facts about a vendor, from its documentation. */
export interface MediaFacts {
  readonly images?: ImagesFacts
  readonly speech?: SpeechFacts
  readonly transcription?: TranscriptionFacts
  readonly moderations?: ModerationsFacts
}

/** Configs of providers that need more than a key. */
const CONFIGS: Readonly<Record<string, object>> = {
  azure: { apiKey: 'test-key', baseUrl: 'https://herd.openai.azure.com' },
  'azure-content-safety': { apiKey: 'test-key', baseUrl: 'https://safe.cognitiveservices.azure.com' },
}

function fileOf(id: string, family: MediaFamily): string {
  return join(PROVIDERS, id, 'test', `${family}-vendor.ts`)
}

/** Ids of all providers. */
export const PROVIDER_IDS: readonly string[] = readdirSync(PROVIDERS)

/** Providers with the description of a vendor of any of these families. */
export const MEDIA_PROVIDERS: readonly string[] = PROVIDER_IDS.filter((id) =>
  MEDIA_FAMILIES.some((family) => existsSync(fileOf(id, family))),
)

/** True if the vendor of a family is described. */
export const hasVendor = (id: string, family: MediaFamily): boolean => existsSync(fileOf(id, family))

export async function factsOf(id: string): Promise<MediaFacts> {
  const found = await Promise.all(
    MEDIA_FAMILIES.filter((family) => hasVendor(id, family)).map(async (family) => {
      const file = (await import(fileOf(id, family))) as Record<string, unknown>
      return [family, file[family]] as const
    }),
  )
  return Object.fromEntries(found)
}

/** Adapter of a provider. */
export async function adapterOf(id: string): Promise<ProviderAdapter> {
  const exported = Object.values((await import(join(PROVIDERS, id, 'src/index.ts'))) as object)
  const adapter = exported.find((one) => typeof one === 'function' && 'id' in one && one.id === id)
  if (!adapter) throw new Error(`The package of ${id} exports no adapter.`)
  return adapter
}

/** Gateway with one provider in front of its loopback vendor. */
export interface MediaStage {
  readonly url: string
  readonly facts: MediaFacts
  /** Sets the vendor. It has no list of models. */
  answer(vendor: (request: Received) => UpstreamReply): void
  /** Name of a model that selects the provider. */
  model(id: string): string
  close(): Promise<void>
}

export async function openMediaStage(id: string): Promise<MediaStage> {
  const [adapter, facts, upstream] = await Promise.all([adapterOf(id), factsOf(id), startUpstream()])
  const config = CONFIGS[id] ?? { apiKey: 'test-key' }
  const { origin } = upstream
  const provider = adapter(withUpstream(adapter as Adapter<object, ProviderInstance>, config, origin))
  const home = withStubHosts(provider, { upstream: origin, issuer: origin, steps: createSteps() })
  const served = await serveGateway({ providers: [home], times: { backoff: 0 } })
  return {
    url: served.url,
    facts,
    answer(vendor) {
      let isBegun = false
      upstream.answer((request) => {
        isBegun ||= request.method === 'POST'
        return isBegun ? vendor(request) : { kind: 'whole', status: 404, body: {} }
      })
    },
    model: (model) => `${id}/${model}`,
    async close() {
      await served.close()
      await upstream.close()
    },
  }
}
