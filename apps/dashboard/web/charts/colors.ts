/** Number of series with a color. All other series are combined. */
export const MAX_SERIES = 5

/** ID of the combined series. */
export const REST = 'rest'

const places = new Map<string, Map<string, number>>()

/**
 * Color number of an ID. It depends on the ID and not on its rank, so it stays the same until the page is reloaded.
 * @param kind group of IDs, such as models or keys
 * @returns 1 to 5; with more than five IDs, several share a color
 */
export function colorOf(kind: string, id: string): number {
  const known = places.get(kind) ?? new Map<string, number>()
  places.set(kind, known)
  const place = known.get(id) ?? (known.size % MAX_SERIES) + 1
  known.set(id, place)
  return place
}

/** CSS variable of the color of a series. Outcomes have the colors that they have on all pages. */
export function colorName(kind: string, id: string): string {
  if (kind === 'outcome') return `--color-outcome-${id}`
  return id === REST ? '--color-series-rest' : `--color-series-${colorOf(kind, id)}`
}

/** Color of a CSS variable in the current color scheme, for a canvas. */
export function resolvedColor(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
