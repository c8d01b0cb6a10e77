import type { Site } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'

/** Sites that results must be on, and those that they must not be on. */
export interface Sites {
  readonly include: readonly Site[]
  readonly exclude: readonly Site[]
}

/**
 * Reads `example.com`, `*.example.com/docs/`, `https://example.com/docs`; `param` is the field that it stands in.
 * @throws HeadgateError when there is no host in it.
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

/** A full stop at the end leads to the same host. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '')
}

/** `%c3` and `%C3` are the same. */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase())
}

/** As an operator wants it. */
export function siteText({ host, path }: Site): string {
  return `${host}${path}`
}

function isOn(url: URL, { host, path }: Site): boolean {
  const [hostname, pathname] = [hostOf(url), pathOf(url)]
  if (hostname !== host && !hostname.endsWith(`.${host}`)) return false
  return path === '' || pathname === path || pathname.startsWith(`${path}/`)
}

/** Whether a result may be shown. */
export function isWithin(url: URL, { include, exclude }: Sites): boolean {
  if (include.length > 0 && !include.some((site) => isOn(url, site))) return false
  return !exclude.some((site) => isOn(url, site))
}
