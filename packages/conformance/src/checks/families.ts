import type { FamilyKit } from '../families/family.ts'
import type { Check, Subject } from './check.ts'

/** What the facts say of families, against what the provider has: a family that nobody speaks of is never looked at. */
export const familiesCheck = (families: readonly FamilyKit[]): Check<Subject> => ({
  name: 'has the families that the facts of its test speak of',
  async run({ bench: { provider }, facts }) {
    return families.flatMap(({ id, fact }) => {
      if (!fact || fact.has(provider) === fact.isGiven(facts)) return []
      return fact.has(provider)
        ? [`The provider has \`${id}\`, and the facts of the test say nothing of it: add \`${fact.name}\`.`]
        : [`The facts of the test have \`${fact.name}\`, and the provider has no \`${id}\`.`]
    })
  },
})
