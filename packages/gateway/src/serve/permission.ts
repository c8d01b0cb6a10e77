import { fits } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { isWithin } from '../edge/addresses.ts'
import { isRestricted } from '../ports/key-rights.ts'
import type { Principal } from '../ports/ledger.ts'
import type { ConfiguredInstance } from '../routing/catalog.ts'

const NOTHING: readonly string[] = []

/**
 * True if one of the patterns, with `*` as a wildcard, matches a name. Without patterns, every name is allowed.
 *
 * @example
 * ```ts
 * mayUse(['gpt-*'], 'gpt-5') // true
 * mayUse(undefined, 'gpt-5') // true
 * mayUse([], 'gpt-5') // false
 * ```
 */
export function mayUse(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns === undefined || patterns.some((pattern) => fits(pattern, name))
}

/**
 * Patterns that limit a caller; undefined = no limit. A key with any exclusive list can use only what its lists name.
 */
function patternsOf(principal: Principal, own: readonly string[] | undefined): readonly string[] | undefined {
  if (own === undefined) return isRestricted(principal) ? NOTHING : undefined
  return own.includes('*') ? undefined : own
}

/** Patterns of the models that a caller can use; undefined = all. */
export function modelsOf(principal: Principal): readonly string[] | undefined {
  return patternsOf(principal, principal.models)
}

/** Patterns of the search engines and backends that a caller can use; undefined = all. */
export function searchesOf(principal: Principal): readonly string[] | undefined {
  return patternsOf(principal, principal.search)
}

/**
 * Rejects a caller whose address its key does not allow.
 *
 * @throws HeadgateError `forbidden`
 * @example
 * ```ts
 * checkAddress({ id: 'alice', addresses: ['10.0.0.0/8'] }, '10.1.2.3')
 * ```
 */
export function checkAddress({ addresses }: Principal, address: string | undefined): void {
  if (addresses === undefined || (address !== undefined && isWithin(addresses, address))) return
  const where = address === undefined ? 'a caller without an address' : `the address ${address}`
  throw new HeadgateError(
    'forbidden',
    `This key cannot be used from ${where}. Use it from one of its allowed addresses, or use another key.`,
  )
}

/**
 * Rejects a family that the caller's key does not allow.
 * @throws HeadgateError `forbidden`
 */
export function checkFamily({ families }: Principal, family: string): void {
  if (families === undefined || families.includes(family)) return
  throw new HeadgateError('forbidden', `This key cannot use ${family}. ${permitted(families)}`)
}

/** Providers that can serve a caller. */
export function instancesFor<I extends Pick<ConfiguredInstance, 'name'>>(
  { providers }: Principal,
  instances: readonly I[],
): readonly I[] {
  return providers === undefined ? instances : instances.filter(({ name }) => mayUse(providers, name))
}

/** Sentence about permitted names, for messages. */
export function permitted(patterns: readonly string[] | undefined): string {
  return patterns && patterns.length > 0 ? `It can use: ${patterns.join(', ')}.` : 'It cannot use any.'
}
