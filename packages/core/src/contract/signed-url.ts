const NAMED = /^x-[a-z]+-(date|expires)$/
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/**
 * Expiration of a signed URL: `Expires`, or `X-…-Date` and `X-…-Expires` of object stores.
 * @returns Unix time in milliseconds; undefined if the URL has none.
 * @example expiryOf('https://cdn.example.com/a.mp4?Expires=1767225600') // 1767225600000
 */
export function expiryOf(url: string): number | undefined {
  if (!URL.canParse(url)) return undefined
  const said = new Map<string, string>()
  for (const [name, value] of new URL(url).searchParams) {
    const lower = name.toLowerCase()
    const part = NAMED.exec(lower)?.[1] ?? (lower === 'expires' ? 'until' : undefined)
    if (part !== undefined) said.set(part, value)
  }
  const until = seconds(said.get('until'))
  if (until !== undefined) return until * 1000
  const from = Date.parse((said.get('date') ?? '').replace(BASIC, '$1-$2-$3T$4:$5:$6Z'))
  const lasts = seconds(said.get('expires'))
  return Number.isNaN(from) || lasts === undefined ? undefined : from + lasts * 1000
}

function seconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : undefined
}
