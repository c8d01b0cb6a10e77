import type { Check, Subject } from './check.ts'

/** What the facts say of families, against what the provider has: a family that nobody speaks of is never looked at. */
export const familiesCheck: Check<Subject> = {
  name: 'has the families that the facts of its test speak of',
  async run({ bench: { provider }, facts }) {
    const pairs = [
      ['chat', provider.chat !== undefined && provider.chat.length > 0, facts.model !== undefined, 'model'],
      ['embeddings', provider.embeddings !== undefined, facts.embeddings !== undefined, 'embeddings'],
    ] as const
    return pairs.flatMap(([family, has, isTold, fact]) => {
      if (has === isTold) return []
      return has
        ? [`The provider has \`${family}\`, and the facts of the test say nothing of it: add \`${fact}\`.`]
        : [`The facts of the test have \`${fact}\`, and the provider has no \`${family}\`.`]
    })
  },
}
