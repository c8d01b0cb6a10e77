import type { Site } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'

/** Sites that results must match, and sites that they must not match. */
export interface Sites {
  readonly include: readonly Site[]
  readonly exclude: readonly Site[]
}

/**
 * Reads `example.com`, `*.example.com/docs/` or `https://example.com/docs`. `param` names the field in errors.
 * @throws HeadgateError if the value has no host.
 */
export function readSite(value: string, param: string): Site {
  const bare = value
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^(?:\*?\.)+/, '')
  const url = /^[^\s/?#@]+(?:\/|$)/.test(bare) ? URL.parse(`http://${bare}`) : null
  if (!url) throw invalid(param, `${param} must be a site such as "example.com" or "example.com/docs".`)
  return { host: hostOf(url), path: pathOf(url).replace(/[/*]+$/, '') }
}

/** The host without a trailing dot, which does not change where it leads. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '')
}

/** The path with uppercase percent escapes: `%c3` and `%C3` are equal. */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase())
}

/** A site as the value of a `site:` operator. */
export function siteText({ host, path }: Site): string {
  return `${host}${path}`
}

function isOn(url: URL, { host, path }: Site): boolean {
  const [hostname, pathname] = [hostOf(url), pathOf(url)]
  if (hostname !== host && !hostname.endsWith(`.${host}`)) return false
  return path === '' || pathname === path || pathname.startsWith(`${path}/`)
}

/** True if a result is on an included site and not on an excluded one. */
export function isWithin(url: URL, { include, exclude }: Sites): boolean {
  if (include.length > 0 && !include.some((site) => isOn(url, site))) return false
  return !exclude.some((site) => isOn(url, site))
}
