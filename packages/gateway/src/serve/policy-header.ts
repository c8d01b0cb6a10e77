import { type HeadgateError, invalid } from '@headgate/core/errors'
import { isLabelName, LABEL_VALUE } from '../ports/key-rights.ts'
import { type MaxPrice, POLICIES, type RoutingBounds, type RoutingPolicy } from '../ports/routing.ts'

/** Header that selects a policy, and conditions for endpoints. */
export const POLICY_HEADER = 'headgate-policy'

/** Policy and conditions that a caller requests in the header. */
export interface PolicyHeader {
  readonly policy?: RoutingPolicy | undefined
  readonly bounds: RoutingBounds
}

const MAX_PARAMETERS = 16
/** Maximum characters of a quotation in a message. */
const MAX_QUOTED = 64
const DOLLARS = String.raw`\d{1,6}(?:\.\d{1,9})?`
const PRICE = new RegExp(`^(${DOLLARS})?/(${DOLLARS})?$`)
const TOKENS = /^[1-9]\d{0,11}$/
const NANOS = 1_000_000_000

const ALLOWED = `Send a policy (${POLICIES.join(', ')}), max-price=<input>/<output> in US dollars per million tokens, min-context=<tokens> and labels such as region=eu, separated by semicolons.`

function mistake(what: string): HeadgateError {
  return invalid(POLICY_HEADER, `The header ${POLICY_HEADER} ${what}. ${ALLOWED}`)
}

function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)
}

/**
 * True for the name of a policy.
 *
 * @example
 * ```ts
 * isPolicy('cheapest') // true
 * isPolicy('best') // false
 * ```
 */
export function isPolicy(name: string): name is RoutingPolicy {
  return (POLICIES as readonly string[]).includes(name)
}

/**
 * Integer nano-dollars of an amount in US dollars.
 *
 * @example
 * ```ts
 * inNanos(0.25) // 250_000_000
 * ```
 */
export function inNanos(dollars: number): number {
  return Math.round(dollars * NANOS)
}

/**
 * Policy and conditions of the header `headgate-policy`. The policy comes first and is optional. A repeated label
 * permits any of its values.
 *
 * @throws HeadgateError `invalid-request` that lists the permitted parameters
 * @example
 * ```ts
 * readPolicyHeader('cheapest; max-price=3/15; min-context=200000; region=eu; zdr=true')
 * // { policy: 'cheapest', bounds: { maxPrice: { input: 3e9, output: 15e9 }, minContext: 200_000,
 * //   labels: { region: ['eu'], zdr: ['true'] } } }
 * ```
 */
export function readPolicyHeader(value: string): PolicyHeader {
  const cached = known.get(value)
  if (cached) return cached
  const read = parsed(value)
  if (known.size >= MAX_KNOWN) known.clear()
  if (value.length <= MAX_KNOWN_LENGTH) known.set(value, read)
  return read
}

/** Headers that were read, since most requests of a caller have the same. */
const known = new Map<string, PolicyHeader>()
/** Maximum number of remembered headers, and their maximum length in characters. */
const MAX_KNOWN = 256
const MAX_KNOWN_LENGTH = 512

function parsed(value: string): PolicyHeader {
  const [first = '', ...others] = value.split(';').map((part) => part.trim())
  const hasPolicy = first !== '' && !first.includes('=')
  const parameters = (hasPolicy ? others : [first, ...others]).filter((part) => part !== '')
  if (parameters.length > MAX_PARAMETERS) throw mistake(`has more than ${MAX_PARAMETERS} parameters`)
  return { policy: hasPolicy ? policyOf(first) : undefined, bounds: boundsOf(parameters.map(parameterOf)) }
}

function policyOf(text: string): RoutingPolicy {
  const name = text.toLowerCase()
  if (!isPolicy(name)) throw mistake(`names the unknown policy ${quoted(text)}`)
  return name
}

function parameterOf(part: string): readonly [string, string] {
  const at = part.indexOf('=')
  const name = part.slice(0, Math.max(at, 0)).trim()
  const value = part.slice(at + 1).trim()
  if (at < 0)
    throw mistake(`contains ${quoted(part)}, which is not <name>=<value>; only the first entry can be a policy`)
  return [name, value]
}

function boundsOf(parameters: readonly (readonly [string, string])[]): RoutingBounds {
  const labels = new Map<string, readonly string[]>()
  let maxPrice: MaxPrice | undefined
  let minContext: number | undefined
  for (const [name, value] of parameters) {
    if (name === 'max-price') {
      if (maxPrice) throw mistake('contains max-price twice')
      maxPrice = priceOf(value)
    } else if (name === 'min-context') {
      if (minContext !== undefined) throw mistake('contains min-context twice')
      if (!TOKENS.test(value)) throw mistake(`contains min-context=${quoted(value)}, which is not a number of tokens`)
      minContext = Number(value)
    } else {
      if (!isLabelName(name)) throw mistake(`contains the name ${quoted(name)}, which is not lower-case a-z, 0-9 and -`)
      if (!LABEL_VALUE.test(value))
        throw mistake(`contains ${name}=${quoted(value)}; a value has 1 to 64 letters, digits and . _ : / -`)
      labels.set(name, [...(labels.get(name) ?? []), value])
    }
  }
  return {
    ...(maxPrice && { maxPrice }),
    ...(minContext !== undefined && { minContext }),
    ...(labels.size > 0 && { labels: Object.fromEntries(labels) }),
  }
}

function priceOf(value: string): MaxPrice {
  const [, input, output] = PRICE.exec(value) ?? []
  if (input === undefined && output === undefined)
    throw mistake(`contains max-price=${quoted(value)}, which is not <input>/<output>, such as 3/15, 3/ or /15`)
  return {
    ...(input !== undefined && { input: inNanos(Number(input)) }),
    ...(output !== undefined && { output: inNanos(Number(output)) }),
  }
}
