const formats = new Map<string, Intl.DateTimeFormat>()

/** Date and time of day in a time zone: `2026-11-26T14:03`. */
export function wallTime(at: number, zone: string): string {
  // Formats are slow to create, and most stores are in UTC.
  if (zone === 'UTC') return new Date(at).toISOString().slice(0, 16)
  const parts = formatOf(zone).formatToParts(at)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

/** Instant of a date and time of day in a time zone. A time that a zone skips becomes the instant after the gap. */
export function instantOf(wall: string, zone: string): number | undefined {
  const asUtc = Date.parse(`${wall}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const offsetAt = (at: number): number => Date.parse(`${wallTime(at, zone)}Z`) - Math.floor(at / MINUTE) * MINUTE
  const first = asUtc - offsetAt(asUtc)
  const second = asUtc - offsetAt(first)
  if (wallTime(second, zone) === wall) return second
  return wallTime(first, zone) === wall ? first : Math.max(first, second)
}

const MINUTE = 60_000

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone: zone,
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(zone, format)
  return format
}
