import type { Loss } from '@headgate/gateway'
import { show } from '../../show.ts'
import type { AskedVideo } from './facts.ts'

const MEDIA = ['firstFrame', 'lastFrame', 'images', 'videos', 'audios'] as const satisfies readonly (keyof AskedVideo)[]

/**
 * Members of what was asked that the vendor understood otherwise, and that nobody declared; and media that nobody gave.
 */
export function askedDifferences(due: AskedVideo, found: AskedVideo, losses: readonly Pick<Loss, 'path'>[]): string[] {
  const missing = (Object.keys(due) as (keyof AskedVideo)[])
    .filter((member) => due[member] !== undefined && plain(due[member]) !== plain(found[member]))
    .filter((member) => !losses.some(({ path }) => path === member || path.startsWith(`${member}[`)))
    .map(
      (member) =>
        `of \`${member}\` ${show(due[member])} the vendor understood ${show(found[member])}, and no loss names it, as \`call.lose('${member}', …)\` does`,
    )
  const surplus = MEDIA.filter((member) => due[member] === undefined && plain(found[member]) !== plain(undefined)).map(
    (member) => `the vendor understood \`${member}\` ${show(found[member])}, which nobody gave`,
  )
  return [...missing, ...surplus]
}

/** A value to be compared by: base64 without the media type before it, and an empty list as none. */
function plain(value: AskedVideo[keyof AskedVideo]): string {
  if (Array.isArray(value))
    return value.length === 0 ? plain(undefined) : JSON.stringify(value.map((one) => plain(one)))
  if (typeof value === 'string') return JSON.stringify(value.trim().replace(/^data:[^,]*;base64,/, ''))
  return JSON.stringify(value ?? null)
}
