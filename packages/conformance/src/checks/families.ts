import type { FamilyKit } from '../families/family.ts'
import type { Check, CheckTarget } from './check.ts'

/** Compares the families in the facts with the provider's. A family without facts would never be tested. */
export const familiesCheck = (families: readonly FamilyKit[]): Check<CheckTarget> => ({
  name: 'has exactly the families that the facts of its test describe',
  async run({ harness: { provider }, facts }) {
    return families.flatMap(({ id, fact }) => {
      if (!fact || fact.has(provider) === fact.isGiven(facts)) return []
      return fact.has(provider)
        ? [`The provider has \`${id}\`, but the facts of the test do not describe it: add \`${fact.name}\`.`]
        : [`The facts of the test have \`${fact.name}\`, but the provider has no \`${id}\`.`]
    })
  },
})
