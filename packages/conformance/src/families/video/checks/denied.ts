import type { VideoCapabilities, VideoMedia, VideoRequest } from '@headgate/core/provider'
import type { Check } from '../../../checks/check.ts'
import { show } from '../../../show.ts'
import type { VideoMeaning } from '../facts.ts'
import { askFor, said } from '../gateway.ts'
import { abilitiesOf, plainAsk } from '../requests.ts'
import { supportOf, type VideoTarget } from '../target.ts'
import { staged } from './served.ts'

/** Option that the model does not support, with the request for it. */
interface Denied {
  readonly ability: keyof VideoCapabilities
  /** Field of the vendor's request that carries the option. */
  readonly member: keyof VideoMeaning
  readonly given: Partial<VideoRequest>
}

const RATIOS = ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9']
/** Names in the Ark wire format, which callers read in `headgate-lost`. */
const FIELDS: Readonly<Record<keyof VideoMeaning, string>> = {
  text: 'content',
  firstFrame: 'content',
  lastFrame: 'content',
  images: 'content',
  videos: 'content',
  audios: 'content',
  duration: 'duration',
  ratio: 'ratio',
  resolution: 'resolution',
  seed: 'seed',
  audio: 'generate_audio',
  watermark: 'watermark',
  cameraFixed: 'camera_fixed',
  user: 'safety_identifier',
  intent: '',
}

const RESOLUTIONS = ['480p', '720p', '1080p', '4k']

/** Options that `capabilities` denies must be rejected, or declared as lost: they must not reach the vendor. */
export const deniedCheck: Check<VideoTarget> = {
  name: 'does not send options that its model does not support',
  async run(target) {
    const support = supportOf(target)
    if (support.native !== undefined) return []
    const can = abilitiesOf(support, target.video.model)
    const { request } = plainAsk(can, target.video.model)
    return staged(target, async ({ harness, vendor }) => {
      const findings: string[] = []
      for (const { ability, member, given } of deniedBy(can, request)) {
        const before = vendor.asked.length
        const got = await askFor(harness, { ...request, ...given })
        const asked = vendor.asked[before]
        const wanted = show(Object.values(given).at(-1))
        if (got.status === 400) continue
        if (got.status !== 200) {
          findings.push(`\`capabilities.${ability}\` denies ${member} ${wanted}, but callers get ${said(got)}`)
          continue
        }
        const isThere = JSON.stringify(asked?.[member]) === JSON.stringify(dueOf(member, given))
        if (isThere)
          findings.push(
            `\`capabilities.${ability}\` denies ${member} ${wanted}, but it reached the vendor: fix \`capabilities\`, or \`create.request\`.`,
          )
        if (!got.headers['headgate-lost']?.includes(FIELDS[member]))
          findings.push(
            `\`capabilities.${ability}\` denies ${member} ${wanted}, but its loss is not declared to callers.`,
          )
      }
      return findings
    })
  },
}

function dueOf(member: keyof VideoMeaning, given: Partial<VideoRequest>): unknown {
  return given[member as keyof VideoRequest]
}

function deniedBy(can: VideoCapabilities, { firstFrame, text }: VideoRequest): Denied[] {
  const media = (name: string): VideoMedia => ({ url: `https://media.example.com/${name}` })
  const many = (most: number, name: string): VideoMedia[] =>
    Array.from({ length: most + 1 }, (_, nth) => media(`${nth}-${name}`))
  const bare = { firstFrame: undefined, images: [], videos: [], audios: [] } as unknown as Partial<VideoRequest>
  const { durations, frames, images, videos, audios } = can
  const longest = durations && ('min' in durations ? durations.max : Math.max(...durations))
  const other = (known: readonly string[] | undefined, all: readonly string[]) =>
    known && all.find((one) => !known.includes(one))
  const [ratio, resolution] = [other(can.ratios, RATIOS), other(can.resolutions, RESOLUTIONS)]
  const denied: (Denied | false | undefined)[] = [
    can.text === false && { ability: 'text', member: 'text', given: { ...bare, text } },
    frames === 'none' && {
      ability: 'frames',
      member: 'firstFrame',
      given: { ...bare, firstFrame: media('first.png') },
    },
    (frames === 'none' || frames === 'first') && {
      ability: 'frames',
      member: 'lastFrame',
      given: { ...bare, ...(firstFrame && { firstFrame }), lastFrame: media('last.png') },
    },
    images !== undefined &&
      Number.isFinite(images) && {
        ability: 'images',
        member: 'images',
        given: { ...bare, images: many(images, 'i.png') },
      },
    videos !== undefined &&
      Number.isFinite(videos) && {
        ability: 'videos',
        member: 'videos',
        given: { ...bare, videos: many(videos, 'v.mp4') },
      },
    audios !== undefined &&
      Number.isFinite(audios) && {
        ability: 'audios',
        member: 'audios',
        given: { ...bare, audios: many(audios, 'a.mp3') },
      },
    longest !== undefined && { ability: 'durations', member: 'duration', given: { duration: longest + 1 } },
    can.ownDuration === false && { ability: 'ownDuration', member: 'duration', given: { duration: -1 } },
    ratio !== undefined && { ability: 'ratios', member: 'ratio', given: { ratio } },
    resolution !== undefined && { ability: 'resolutions', member: 'resolution', given: { resolution } },
    can.seed === false && { ability: 'seed', member: 'seed', given: { seed: 42 } },
    can.audio === 'never' && { ability: 'audio', member: 'audio', given: { audio: true } },
    can.audio === 'always' && { ability: 'audio', member: 'audio', given: { audio: false } },
    can.watermark === false && { ability: 'watermark', member: 'watermark', given: { watermark: true } },
    can.cameraFixed === false && { ability: 'cameraFixed', member: 'cameraFixed', given: { cameraFixed: true } },
    can.user === false && { ability: 'user', member: 'user', given: { user: 'an-end-user-0417' } },
  ]
  return denied.filter((one) => typeof one === 'object')
}
