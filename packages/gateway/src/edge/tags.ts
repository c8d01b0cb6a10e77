import { invalid } from '@headgate/core/errors'
import type { Incoming } from './sink.ts'

/** What a caller says of a request, by name: usage is summed up by it. */
export type Tags = Readonly<Record<string, string>>

const HEADER = 'headgate-tags'
const MOST = 8
const NAME = /^[a-z0-9_.-]{1,32}$/
/** No blank, no control character, nothing that takes no room. */
const VALUE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]{1,64}$/u
/** What may stand in the header as it is; all else is percent-encoded. */
const WRITTEN = /^[\x21-\x7e]*$/

/**
 * The tags of a request: `team=a,job=nightly`; undefined where there are none. @throws HeadgateError for what is none,
 * or too many.
 */
export function tagsOf({ headers }: Pick<Incoming, 'headers'>): Tags | undefined {
  const said = headers[HEADER]
  if (said === undefined) return undefined
  const text = (typeof said === 'string' ? said : said.join()).trim()
  if (text === '') return undefined
  const pairs = text.split(',', MOST + 1)
  if (pairs.length > MOST) throw refusal(`it has more than ${MOST}`)
  const tags = new Map<string, string>()
  for (const [index, pair] of pairs.entries()) {
    const mark = pair.indexOf('=')
    if (mark < 0) throw refusal(`tag ${index + 1} has no =`)
    const name = pair.slice(0, mark).trim()
    if (!NAME.test(name)) throw refusal(`tag ${index + 1} has another name`)
    if (tags.has(name)) throw refusal(`${name} is there twice`)
    const value = decoded(pair.slice(mark + 1).trim())
    if (value === undefined || !VALUE.test(value)) throw refusal(`${name} has another value`)
    tags.set(name, value)
  }
  return Object.fromEntries(tags)
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
    `The header ${HEADER} must be at most ${MOST} tags as name=value with commas between them, each name once and of 1 to 32 of a-z 0-9 _ . -, each value of 1 to 64 visible characters, percent-encoded where it is not ASCII or holds a comma: ${why}.`,
  )
}
