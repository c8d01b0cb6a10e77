import { fits } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { isWithin } from '../edge/addresses.ts'
import { isRestricted } from '../ports/key-rights.ts'
import type { Principal } from '../ports/ledger.ts'
import type { Instance } from '../routing/catalog.ts'

const NOTHING: readonly string[] = []

/** Whether patterns, in which `*` stands for any text, allow a name. Without patterns every name is. */
export function mayUse(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns === undefined || patterns.some((pattern) => fits(pattern, name))
}

/**
 * Patterns of what a caller may use, where it may not use everything: whoever is told anything that it may do may do
 * nothing else.
 */
function patternsOf(principal: Principal, own: readonly string[] | undefined): readonly string[] | undefined {
  if (own === undefined) return isRestricted(principal) ? NOTHING : undefined
  return own.includes('*') ? undefined : own
}

/** The models that a caller may use; undefined = all. */
export function modelsOf(principal: Principal): readonly string[] | undefined {
  return patternsOf(principal, principal.models)
}

/** The search engines and backends that a caller may use; undefined = all. */
export function searchesOf(principal: Principal): readonly string[] | undefined {
  return patternsOf(principal, principal.search)
}

/** Refuses a caller where its key may not be used from. @throws HeadgateError `forbidden`. */
export function checkAddress({ addresses }: Principal, address: string | undefined): void {
  if (addresses === undefined || (address !== undefined && isWithin(addresses, address))) return
  const where = address === undefined ? 'a caller without an address' : `the address ${address}`
  throw new HeadgateError(
    'forbidden',
    `This key may not be used from ${where}. Use it from where it is meant for, or another key here.`,
  )
}

/** Refuses a family that the caller's key may not use. @throws HeadgateError `forbidden`. */
export function checkFamily({ families }: Principal, family: string): void {
  if (families === undefined || families.includes(family)) return
  throw new HeadgateError('forbidden', `This key may not use ${family}. ${permitted(families)}`)
}

/** The providers that may serve a caller. */
export function instancesFor<I extends Pick<Instance, 'name'>>(
  { providers }: Principal,
  instances: readonly I[],
): readonly I[] {
  return providers === undefined ? instances : instances.filter(({ name }) => mayUse(providers, name))
}

/** What may be used, for a message. */
export function permitted(patterns: readonly string[] | undefined): string {
  return patterns && patterns.length > 0 ? `It may use: ${patterns.join(', ')}.` : 'It may use none.'
}
