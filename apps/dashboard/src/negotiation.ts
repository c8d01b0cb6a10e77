import type { Encoding, Representation, Representations, Theme } from './representation.ts'
import { THEMES } from './representation.ts'

/** Maximum length of a header that is parsed, in characters. */
const LONGEST = 8_192
/** Cookie with the chosen theme: `light` or `dark`. */
const THEME_COOKIE = 'headgate-theme'

/** Best representation that a browser accepts. */
export function accepted(all: Representations, header = ''): Representation {
  const weights = weightsOf(header)
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'identity' ? 0 : (weights.get('*') ?? 0))
  const [br, gzip] = [weightOf('br'), weightOf('gzip')]
  if (all.br && br > 0 && br >= gzip) return all.br
  if (all.gzip && gzip > 0) return all.gzip
  return all.identity
}

/** True if the browser has these bytes already. */
export function isKnown({ etag }: Representation, header: string | undefined): boolean {
  if (header === undefined || header.length > LONGEST) return false
  return header.split(',').some((one) => {
    const tag = one.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}

/** Theme of the cookie. Undefined: the theme of the browser. */
export function themeOf(cookies = ''): Theme | undefined {
  if (cookies.length > LONGEST || !cookies.includes(THEME_COOKIE)) return undefined
  const pair = cookies.split(';').find((one) => one.trim().startsWith(`${THEME_COOKIE}=`))
  const value = pair?.slice(pair.indexOf('=') + 1).trim()
  return THEMES.find((theme) => theme === value)
}

/** True for a browser that opens a page, false for a program that reads an API. */
export function takesPages(accept = ''): boolean {
  return accept.length <= LONGEST && weightsOf(accept).has('text/html')
}

/** Entries of a header with their weights. 0 means not accepted. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  if (header.length > LONGEST) return weights
  for (const one of header.split(',')) {
    const [name = '', ...parameters] = one.split(';')
    const weight = parameters
      .map((text) => /^\s*q=([\d.]{1,5})\s*$/i.exec(text)?.[1])
      .find((text) => text !== undefined)
    weights.set(name.trim().toLowerCase(), weight === undefined ? 1 : Number(weight) || 0)
  }
  return weights
}
