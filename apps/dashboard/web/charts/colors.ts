/** Number of colors of series. All series beyond them are combined. */
export const MAX_SERIES = 10

/** ID of the combined series. */
export const REST = 'rest'

/** Colors of IDs whose own color another ID of their chart has, by kind and ID. */
const moved = new Map<string, number>()

/**
 * Color number of an ID, 1 to 10. It depends on the kind and the ID only, so it is the same in every chart, range and
 * session, unless {@link separateColors} had to change it.
 * @param kind group of IDs, such as models or keys
 */
export function colorOf(kind: string, id: string): number {
  return moved.get(keyOf(kind, id)) ?? ownColor(kind, id)
}

/**
 * Gives IDs of one chart different colors, as far as there are enough: of two with one color, the later one gets
 * another. It keeps this color until the page is reloaded.
 */
export function separateColors(kind: string, ids: readonly string[]): void {
  const taken = new Set<number>()
  for (const id of ids.filter((one) => one !== REST).slice(0, MAX_SERIES)) {
    let color = colorOf(kind, id)
    while (taken.has(color)) color = (color % MAX_SERIES) + 1
    taken.add(color)
    if (color === ownColor(kind, id)) moved.delete(keyOf(kind, id))
    else moved.set(keyOf(kind, id), color)
  }
}

/** FNV-1a hash of the kind and the ID, as a color number. */
function ownColor(kind: string, id: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(keyOf(kind, id))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return (hash % MAX_SERIES) + 1
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`
}

/** CSS variable of the color of a series. Outcomes have the colors that they have on all pages. */
export function colorName(kind: string, id: string): string {
  if (kind === 'outcome') return `--color-outcome-${id}`
  return id === REST ? '--color-series-rest' : `--color-series-${colorOf(kind, id)}`
}

/** Resolved colors by color scheme and name: each one costs a calculation of styles. */
const resolved = new Map<string, string>()

/**
 * Color of a CSS variable in the current color scheme, for a canvas.
 * @param scheme string that differs between schemes; undefined = not cached
 */
export function resolvedColor(name: string, scheme?: string): string {
  const key = scheme && `${scheme} ${name}`
  const known = key && resolved.get(key)
  if (known) return known
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  if (key) resolved.set(key, color)
  return color
}
