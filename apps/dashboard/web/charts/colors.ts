/** How many series are told apart by color; what is beyond is one, the rest. */
export const MOST_SERIES = 5

/** What stands for the rest, in series and in colors. */
export const REST = 'rest'

const places = new Map<string, Map<string, number>>()

/**
 * Which of the colors something has: by what it is, and not by its rank, so that it stays the same while the page
 * lives. @param kind what is told apart, as models or keys. @returns 1 to 5; where there are more than five, two share
 * one.
 */
export function colorOf(kind: string, id: string): number {
  const known = places.get(kind) ?? new Map<string, number>()
  places.set(kind, known)
  const place = known.get(id) ?? (known.size % MOST_SERIES) + 1
  known.set(id, place)
  return place
}

/** The name of a color in the style. */
export function colorName(kind: string, id: string): string {
  return id === REST ? '--color-series-rest' : `--color-series-${colorOf(kind, id)}`
}

/** A color as a canvas takes it: in the scheme that holds now. */
export function resolvedColor(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
