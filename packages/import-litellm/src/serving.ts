import type { EnvironmentSource, ProviderAdapter } from '@headgate/core/provider'
import { isPublished, type LoadedAdapter } from '@headgate/discovery'
import { z } from 'zod'
import { isSection } from './file.ts'
import type { LiteLLMVendor } from './vendors.ts'

/** Id of the adapter for any server that supports chat completions. */
export const ANY_SERVER = 'openai-compatible'

export type ProviderLoaded = LoadedAdapter<ProviderAdapter>

const TALK = ['chat', 'embeddings', 'rerank'] as const

/** Required families of an adapter by `mode` in LiteLLM's `model_info`. */
const FAMILIES: Readonly<Record<string, readonly (typeof TALK)[number][]>> = {
  chat: ['chat'],
  completion: ['chat'],
  responses: ['chat'],
  embedding: ['embeddings'],
  rerank: ['rerank'],
}

/** True if Headgate has a path for models with this `mode`; an absent mode means chat, embeddings or reranking. */
export function hasPath(mode: unknown): boolean {
  return mode === undefined || mode === null || (typeof mode === 'string' && Object.hasOwn(FAMILIES, mode))
}

export interface WantedAdapter {
  readonly word: string
  readonly vendor: LiteLLMVendor | undefined
  /** True if the base URL belongs to another server than the vendor's. */
  readonly isElsewhere: boolean
  readonly hasBase: boolean
  readonly mode: unknown
}

/**
 * Adapter for a vendor: by its id, by a variable from which LiteLLM takes the vendor's key, or by its base URL.
 * Otherwise the adapter for any server, if the vendor supports chat completions.
 */
export function adapterOf(wanted: WantedAdapter, adapters: readonly ProviderLoaded[]): ProviderLoaded | undefined {
  const { word, vendor, isElsewhere, hasBase, mode } = wanted
  const own = isElsewhere || vendor?.isAnyServer ? [] : adapters.filter(({ id }) => id !== ANY_SERVER)
  const ids = idsOf(word, vendor)
  const keys = vendor ? (vendor.keys ?? []) : [`${word.toUpperCase()}_API_KEY`]
  const reads = (one: ProviderLoaded): boolean =>
    Object.values(sourcesOf(one))
      .flat()
      .some((source) => keys.includes(typeof source === 'string' ? source : source.file))
  const isAt = (one: ProviderLoaded): boolean => vendor?.baseUrl !== undefined && usualBase(one) === vendor.baseUrl
  const serves = (is: (one: ProviderLoaded) => boolean) => own.find((one) => is(one) && talks(one, mode))
  const found =
    ids.map((id) => serves((one) => one.id === id)).find((one) => one !== undefined) ?? serves(reads) ?? serves(isAt)
  if (found) return found
  const speaksChat = isElsewhere || (vendor !== undefined && !vendor.hasOwnFormat)
  const isPlaced = vendor?.baseUrl !== undefined || hasBase
  return speaksChat && isPlaced ? adapters.find((one) => one.id === ANY_SERVER && talks(one, mode)) : undefined
}

/** Advice for a vendor without an installed adapter. */
export function adviceFor({ word, vendor }: WantedAdapter, adapters: readonly ProviderLoaded[]): string {
  const name = idsOf(word, vendor)
    .map((id) => `@headgate/provider-${id}`)
    .find(isPublished)
  const isThere = adapters.some((one) => one.package.name === name)
  return name && !isThere ? `Install its adapter (\`npm install ${name}\`) and import again.` : ELSEWHERE
}

const ELSEWHERE =
  'Keep your previous gateway for it, and connect that as a provider (docs/coming-from.md), or write an adapter (docs/adapters.md)'

/**
 * Adapter ids that LiteLLM's word may mean: the word, and for a known vendor its parts (`hosted_vllm`, `ollama_chat`).
 */
function idsOf(word: string, vendor: LiteLLMVendor | undefined): string[] {
  const id = slug(word)
  return vendor ? [id, id.replaceAll('-', ''), ...id.split('-')] : [id]
}

/** Sample values with which nearly every adapter can be created, to learn its families. */
const SAMPLES: Readonly<Record<string, string>> = {
  apiKey: 'a-key',
  region: 'us-east-1',
  accessKeyId: 'an-id',
  secretAccessKey: 'a-secret',
  project: 'a-project',
  projectId: 'a-project',
  location: 'global',
  account: 'an-account',
  accountId: 'an-account',
  resource: 'a-resource',
}

/** Sample configuration, before and after parsing; undefined if the adapter needs more fields. */
function sampleOf({ factory }: ProviderLoaded): { readonly given: object; readonly parsed: object } | undefined {
  const fields = Object.fromEntries(Object.entries(SAMPLES).filter(([field]) => takesField(factory, field)))
  for (const given of [fields, { ...fields, baseUrl: 'https://a-host.example' }]) {
    const { data } = factory.config.safeParse(given)
    if (isSection(data)) return { given, parsed: data }
  }
  return undefined
}

/** True if the adapter serves a mode, or cannot be created from a sample. */
function talks(one: ProviderLoaded, mode: unknown): boolean {
  const sample = sampleOf(one)
  if (!sample || Object.keys(sample.parsed).length === 0) return true
  const made = one.factory({ ...sample.given })
  const families = (typeof mode === 'string' && FAMILIES[mode]) || TALK
  return families.some((family) => made[family] !== undefined)
}

/** Default base URL of an adapter; undefined if it depends on the configuration. */
export function usualBase(one: ProviderLoaded): string | undefined {
  const baseUrl: unknown = Reflect.get(sampleOf(one)?.parsed ?? {}, 'baseUrl')
  const isUsual = (url: string) =>
    !['https://a-host.example', ...Object.values(SAMPLES)].some((one) => url.includes(one))
  return typeof baseUrl === 'string' && isUsual(baseUrl) ? baseUrl : undefined
}

/** Variables by field. */
export function sourcesOf({ factory }: ProviderLoaded): Readonly<Record<string, readonly EnvironmentSource[]>> {
  return factory.env
}

/** True if an adapter's configuration has the field. */
export function takes({ factory }: ProviderLoaded, field: string): boolean {
  return takesField(factory, field)
}

/** True if the schema has the field. The object may be inside a transform. */
function takesField({ config }: ProviderAdapter, field: string): boolean {
  let schema: unknown = config
  while (schema instanceof z.ZodPipe) schema = schema.in
  return schema instanceof z.ZodObject && field in schema.shape
}

/** Valid name of an entry in `providers`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
