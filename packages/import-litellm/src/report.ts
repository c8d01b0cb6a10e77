import { basename } from 'node:path'
import type { Needed } from './variables.ts'

/** Difference between the two configurations. */
export interface Remark {
  /** Kind. `otherwise`: carried over, but works differently; `left`: no equivalent. */
  readonly kind: 'otherwise' | 'left'
  /** Path in the imported file. */
  readonly path: string
  readonly text: string
}

const HEADINGS = { otherwise: 'Works differently:', left: 'Has no equivalent:' } as const
/** Maximum number of paths in a line. */
const MOST_PLACES = 3

/** Report of an import: variables to set, what works differently, and what has no equivalent. */
export function reportOf({ needed, remarks }: Reported, path: string): string {
  return `${neededText(needed, basename(path))}${remarksText(remarks)}`
}

interface Reported {
  readonly needed: readonly Needed[]
  readonly remarks: readonly Remark[]
}

function neededText(needed: readonly Needed[], file: string): string {
  if (needed.length === 0) return ''
  const lines = needed.map(({ name, at, file: key }) => {
    if (key !== undefined) return `  ${name}: content of the file that ${key} names\n`
    return `  ${name}${at === undefined ? '' : `: its value is in ${file}, at ${at}`}\n`
  })
  return `\nSet in the environment:\n${lines.join('')}`
}

/** Remarks of both kinds. Each text appears once with its paths. */
function remarksText(remarks: readonly Remark[]): string {
  return (['otherwise', 'left'] as const)
    .map((kind) => {
      const places = new Map<string, string[]>()
      for (const { path, text } of remarks.filter((remark) => remark.kind === kind))
        places.set(text, [...(places.get(text) ?? []), path])
      const lines = [...places].map(([text, paths]) => `  ${placesText(paths)}: ${text}\n`)
      return lines.length > 0 ? `\n${HEADINGS[kind]}\n${lines.join('')}` : ''
    })
    .join('')
}

function placesText(paths: readonly string[]): string {
  const distinct = [...new Set(paths)]
  const more = distinct.length - MOST_PLACES
  return distinct.slice(0, MOST_PLACES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
