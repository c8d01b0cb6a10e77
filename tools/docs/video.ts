import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { forModel } from '../../packages/core/src/contract/chat.ts'
import type { ProviderInstance } from '../../packages/core/src/contract/provider.ts'
import type { VideoCapabilities } from '../../packages/core/src/contract/video.ts'
import { isProvider, loadAdapter, ROOT } from './adapters.ts'
import { exampleInstance } from './example-instance.ts'
import { code, table } from './markdown.ts'

const FOLDER = 'packages/providers'
const HEADINGS = [
  ...['provider', 'models', 'text', 'first frame', 'last frame', 'references', 'seconds', 'ratios', 'resolutions'],
  ...['seed', 'audio', 'cancel', 'find', 'charged by'],
]
/** Unknown ability. */
const UNKNOWN = '?'

/** Abilities of each video model of each provider of this repository. */
export async function videoTable(): Promise<string> {
  const folders = readdirSync(resolve(ROOT, FOLDER)).sort()
  const adapters = await Promise.all(folders.map((id) => loadAdapter(`${FOLDER}/${id}`, isProvider)))
  return table(HEADINGS, adapters.map(exampleInstance).flatMap(videoRows))
}

/** Rows of one provider. Models with equal abilities share a row. */
export function videoRows({ name, video, known = [] }: Pick<ProviderInstance, 'name' | 'video' | 'known'>): string[][] {
  if (!video) return []
  const models = known.filter(({ families }) => families?.includes('video'))
  const rows = (models.length > 0 ? models : [undefined]).map((model) => {
    const can = (video.capabilities && forModel(video.capabilities, model?.id ?? '')) ?? {}
    const cells = [
      ...abilityCells(can),
      yesNo(video.cancel !== undefined),
      yesNo(video.find !== undefined),
      chargedBy(model?.price),
    ]
    return { model: model ? code(model.id) : 'any named model', cells }
  })
  const groups = Map.groupBy(rows, ({ cells }) => cells.join('|'))
  return [...groups.values()].map((same, index) => [
    index === 0 ? code(name) : '',
    same.map(({ model }) => model).join(', '),
    ...(same[0]?.cells ?? []),
  ])
}

function abilityCells(can: VideoCapabilities): string[] {
  const { text, frames, durations, ownDuration, ratios, resolutions, seed, audio } = can
  return [
    yesNo(text),
    yesNo(frames && frames !== 'none'),
    lastFrame(frames),
    references(can),
    [durations && secondsOf(durations), ownDuration && 'chosen by the model'].filter(Boolean).join(', ') || UNKNOWN,
    ratios ? ratios.join(', ') || '–' : UNKNOWN,
    resolutions ? resolutions.join(', ') || '–' : UNKNOWN,
    yesNo(seed),
    audio === 'asked' ? 'yes' : audio === 'never' ? '–' : (audio ?? UNKNOWN),
  ]
}

function yesNo(can: boolean | undefined): string {
  return can === undefined ? UNKNOWN : can ? 'yes' : '–'
}

function lastFrame(frames: VideoCapabilities['frames']): string {
  if (frames === undefined) return UNKNOWN
  if (frames === 'first-or-last') return 'yes'
  return frames === 'first-and-last' ? 'with a first frame' : '–'
}

function references({ images, videos, audios }: VideoCapabilities): string {
  const kinds = { images, videos, audios }
  if (Object.values(kinds).every((most) => most === undefined)) return UNKNOWN
  const taken = Object.entries(kinds).flatMap(([kind, most = 0]) =>
    most > 0 ? [Number.isFinite(most) ? `${most} ${kind}` : kind] : [],
  )
  return taken.join(', ') || '–'
}

function secondsOf(durations: NonNullable<VideoCapabilities['durations']>): string {
  return 'min' in durations ? `${durations.min} to ${durations.max}` : durations.join(', ')
}

/** Units of videos. A model with several families also has prices of other units. */
const VIDEO_UNITS: readonly string[] = ['seconds', 'videos', 'credits']

type Price = NonNullable<ProviderInstance['known']>[number]['price']

function chargedBy(price: Price): string {
  if (!price) return UNKNOWN
  const units = Object.keys(price.units ?? {}).filter((unit) => VIDEO_UNITS.includes(unit))
  return [...((price.output ?? 0) > 0 ? ['tokens'] : []), ...units].join(', ') || UNKNOWN
}
