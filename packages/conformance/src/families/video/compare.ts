import type { Loss } from '@headgate/gateway'
import { show } from '../../show.ts'
import type { VideoMeaning } from './facts.ts'

const MEDIA = [
  'firstFrame',
  'lastFrame',
  'images',
  'videos',
  'audios',
] as const satisfies readonly (keyof VideoMeaning)[]

/** Options that the vendor read differently although no loss was declared, and media that were not in the request. */
export function askedDifferences(
  due: VideoMeaning,
  found: VideoMeaning,
  losses: readonly Pick<Loss, 'path'>[],
): string[] {
  const missing = (Object.keys(due) as (keyof VideoMeaning)[])
    .filter((member) => due[member] !== undefined && plain(due[member]) !== plain(found[member]))
    .filter((member) => !losses.some(({ path }) => path === member || path.startsWith(`${member}[`)))
    .map(
      (member) =>
        `of \`${member}\` ${show(due[member])} the vendor read ${show(found[member])}, and it is not declared as lost with \`call.lose('${member}', …)\` does`,
    )
  const surplus = MEDIA.filter((member) => due[member] === undefined && plain(found[member]) !== plain(undefined)).map(
    (member) => `the vendor read \`${member}\` ${show(found[member])}, which was not in the request`,
  )
  return [...missing, ...surplus]
}

/** Comparable form of a value: base64 without the media type, and an empty list as absent. */
function plain(value: VideoMeaning[keyof VideoMeaning]): string {
  if (Array.isArray(value))
    return value.length === 0 ? plain(undefined) : JSON.stringify(value.map((one) => plain(one)))
  if (typeof value === 'string') return JSON.stringify(value.trim().replace(/^data:[^,]*;base64,/, ''))
  return JSON.stringify(value ?? null)
}
