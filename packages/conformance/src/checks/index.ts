import type { ProviderFacts } from '../facts.ts'
import type { FamilyKit } from '../families/family.ts'
import type { TestScope } from '../scope.ts'
import { type Check, over } from './check.ts'
import { familiesCheck } from './families.ts'
import { hostsCheck } from './hosts.ts'
import { manifest } from './manifest.ts'

export type { Check, CheckTarget } from './check.ts'

/** All checks for an adapter with these facts: common checks first, then the checks of each family. */
export function checksFor(facts: ProviderFacts<unknown>, families: readonly FamilyKit[], scope: TestScope): Check[] {
  const { upstream } = facts
  const hosts = upstream ? [over(hostsCheck(families), (target) => ({ ...target, upstream }))] : []
  return [manifest, familiesCheck(families), ...hosts, ...families.flatMap((family) => family.checks(facts, scope))]
}
