import { invalid } from '@headgate/core/errors'
import type { Incoming } from './sink.ts'

/** Tags of a request by name. Usage can be summed up by them. */
export type UsageTags = Readonly<Record<string, string>>

const HEADER = 'headgate-tags'
/** Header of other gateways with a list of names, or of `name=value` and `name:value`. */
export const LIST_HEADER = 'x-litellm-tags'
/** Prefix of headers of other gateways: the rest is the name of a tag. */
export const PREFIX_HEADER = 'helicone-property-'
const MAX_TAGS = 8
const NAME = /^[a-z0-9_.-]{1,32}$/
/** No spaces, no control characters, no invisible characters. */
const VALUE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]{1,64}$/u
/** Characters that need no percent-encoding in the header. */
const WRITTEN = /^[\x21-\x7e]*$/

/**
 * Tags of a request, such as `team=a,job=nightly`; undefined without tags.
 * @throws HeadgateError for invalid tags, or more than 8
 */
export function tagsOf({ headers }: Pick<Incoming, 'headers'>): UsageTags | undefined {
  const header = headers[HEADER]
  if (header === undefined) return foreignTags(headers)
  const text = (typeof header === 'string' ? header : header.join()).trim()
  if (text === '') return undefined
  const pairs = text.split(',', MAX_TAGS + 1)
  if (pairs.length > MAX_TAGS) throw refusal(`it has more than ${MAX_TAGS}`)
  const tags = new Map<string, string>()
  for (const [index, pair] of pairs.entries()) {
    const mark = pair.indexOf('=')
    if (mark < 0) throw refusal(`tag ${index + 1} has no =`)
    const name = pair.slice(0, mark).trim()
    if (!NAME.test(name)) throw refusal(`the name of tag ${index + 1} is not valid`)
    if (tags.has(name)) throw refusal(`${name} occurs twice`)
    const value = decoded(pair.slice(mark + 1).trim())
    if (value === undefined || !VALUE.test(value)) throw refusal(`the value of ${name} is not valid`)
    tags.set(name, value)
  }
  return Object.fromEntries(tags)
}

/**
 * Tags in the headers of other gateways, which apply without `headgate-tags`. A name without a value has the value
 * `true`. Anything that is not a valid tag is left out, and so are further tags after the eighth.
 */
function foreignTags(headers: Incoming['headers']): UsageTags | undefined {
  let tags: [name: string, value: string][] | undefined
  const add = (name: string, value: string): void => {
    if (!NAME.test(name) || !VALUE.test(value) || (tags && tags.length >= MAX_TAGS)) return
    tags ??= []
    if (!tags.some(([known]) => known === name)) tags.push([name, value])
  }
  const list = headers[LIST_HEADER]
  if (typeof list === 'string')
    for (const part of list.split(',', MAX_TAGS)) {
      const [, name = '', value = 'true'] = /^\s*([^=:]*?)\s*(?:[=:]\s*(.*?)\s*)?$/.exec(part) ?? []
      add(name.toLowerCase(), value)
    }
  for (const header in headers) {
    const value = headers[header]
    if (header.startsWith(PREFIX_HEADER) && typeof value === 'string')
      add(header.slice(PREFIX_HEADER.length).toLowerCase(), value.trim())
  }
  return tags && Object.fromEntries(tags)
}

function decoded(text: string): string | undefined {
  if (!WRITTEN.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function refusal(why: string) {
  return invalid(
    HEADER,
    `The header ${HEADER} is not valid: ${why}. Send at most ${MAX_TAGS} tags as name=value, separated by commas. Each name must be unique and have 1 to 32 characters of a-z 0-9 _ . -; each value must have 1 to 64 visible characters, with commas and non-ASCII characters percent-encoded.`,
  )
}
