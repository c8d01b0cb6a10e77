/** What whoever moves in has to know of something in LiteLLM's file. */
export interface Remark {
  /** `otherwise`: it is carried, and works differently; `left`: it has no equal. */
  readonly kind: 'otherwise' | 'left'
  /** Where it stands in LiteLLM's file. */
  readonly path: string
  readonly text: string
}

const HEADINGS = { otherwise: 'Works otherwise:', left: 'Has no equal:' } as const
/** Places that one line names. */
const MOST_PLACES = 3

/** Remarks of the two kinds, each text once with the places that it is said of. */
export function remarksText(remarks: readonly Remark[]): string {
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
