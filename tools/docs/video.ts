import { generateKeyPairSync } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { forModel } from '../../packages/core/src/contract/chat.ts'
import type { EnvironmentSource, ProviderAdapter, ProviderInstance } from '../../packages/core/src/contract/provider.ts'
import type { VideoAbilities } from '../../packages/core/src/contract/video.ts'
import { fieldsOf, isProvider, loadAdapter, ROOT } from './adapters.ts'
import { code, table } from './markdown.ts'

const FOLDER = 'packages/providers'
const HEADINGS = [
  ...['provider', 'models', 'text', 'first frame', 'last frame', 'references', 'seconds', 'ratios', 'resolutions'],
  ...['seed', 'audio', 'cancel', 'find', 'charged by'],
]
/** What is not known of a model: whatever is asked goes up. */
const UNKNOWN = '?'

/** What each model of each provider of this repository can make videos of, and how. */
export async function videoTable(): Promise<string> {
  const folders = readdirSync(resolve(ROOT, FOLDER)).sort()
  const adapters = await Promise.all(folders.map((id) => loadAdapter(`${FOLDER}/${id}`, isProvider)))
  return table(HEADINGS, adapters.map(instanceOf).flatMap(videoRows))
}

/** Rows of one provider: models that can do the same share one. */
export function videoRows({ name, video, known = [] }: Pick<ProviderInstance, 'name' | 'video' | 'known'>): string[][] {
  if (!video) return []
  const models = known.filter(({ families }) => families?.includes('video'))
  const rows = (models.length > 0 ? models : [undefined]).map((model) => {
    const can = (video.can && forModel(video.can, model?.id ?? '')) ?? {}
    const cells = [
      ...abilityCells(can),
      yesNo(video.cancel !== undefined),
      yesNo(video.find !== undefined),
      chargedBy(model?.price),
    ]
    return { model: model ? code(model.id) : 'those that are named', cells }
  })
  const groups = Map.groupBy(rows, ({ cells }) => cells.join('|'))
  return [...groups.values()].map((same, index) => [
    index === 0 ? code(name) : '',
    same.map(({ model }) => model).join(', '),
    ...(same[0]?.cells ?? []),
  ])
}

function abilityCells(can: VideoAbilities): string[] {
  const { text, frames, durations, ownDuration, ratios, resolutions, seed, audio } = can
  return [
    yesNo(text),
    yesNo(frames && frames !== 'none'),
    lastFrame(frames),
    references(can),
    [durations && secondsOf(durations), ownDuration && 'its own'].filter(Boolean).join(', ') || UNKNOWN,
    ratios ? ratios.join(', ') || '–' : UNKNOWN,
    resolutions ? resolutions.join(', ') || '–' : UNKNOWN,
    yesNo(seed),
    audio === 'asked' ? 'yes' : audio === 'never' ? '–' : (audio ?? UNKNOWN),
  ]
}

function yesNo(can: boolean | undefined): string {
  return can === undefined ? UNKNOWN : can ? 'yes' : '–'
}

function lastFrame(frames: VideoAbilities['frames']): string {
  if (frames === undefined) return UNKNOWN
  if (frames === 'first-or-last') return 'yes'
  return frames === 'first-and-last' ? 'with a first' : '–'
}

function references({ images, videos, audios }: VideoAbilities): string {
  const kinds = { images, videos, audios }
  if (Object.values(kinds).every((most) => most === undefined)) return UNKNOWN
  const taken = Object.entries(kinds).flatMap(([kind, most = 0]) =>
    most > 0 ? [Number.isFinite(most) ? `${most} ${kind}` : kind] : [],
  )
  return taken.join(', ') || '–'
}

function secondsOf(durations: NonNullable<VideoAbilities['durations']>): string {
  return 'min' in durations ? `${durations.min} to ${durations.max}` : durations.join(', ')
}

type Price = NonNullable<ProviderInstance['known']>[number]['price']

function chargedBy(price: Price): string {
  if (!price) return UNKNOWN
  return [...((price.output ?? 0) > 0 ? ['tokens'] : []), ...Object.keys(price.units ?? {})].join(', ') || UNKNOWN
}

/** A provider with a config that says as little as it may: nothing is asked of it. */
function instanceOf(adapter: ProviderAdapter): ProviderInstance {
  const { properties, required } = fieldsOf(adapter)
  const texts = Object.keys(properties).filter((field) => properties[field]?.type === 'string')
  const examples = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, exampleOf(adapter, name)]))
  const config = [examples(required), taken(adapter, examples(texts)), examples([...required, 'apiKey'])].find(
    (one) => adapter.config.safeParse(one).success,
  )
  if (!config) throw new Error(`${adapter.id} takes no config of example values, which the table of videos needs.`)
  return adapter(config)
}

/** The fields of a config whose values are taken. */
function taken({ config }: ProviderAdapter, given: Record<string, string>): Record<string, string> {
  const refused = new Set(config.safeParse(given).error?.issues.map(({ path }) => path[0]))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !refused.has(name)))
}

function exampleOf({ env }: Pick<ProviderAdapter, 'env'>, field: string): string {
  const sources: readonly EnvironmentSource[] =
    (env as Record<string, readonly EnvironmentSource[] | undefined>)[field] ?? []
  if (sources.some((source) => typeof source === 'object')) return keyFile()
  return /url$/i.test(field) ? 'https://api.example.com' : 'example'
}

/** The key file of a service account of nobody: what is read from a file is such a one. */
function keyFile(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return JSON.stringify({
    type: 'service_account',
    client_email: 'nobody@example.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: 'https://oauth2.googleapis.com/token',
  })
}
