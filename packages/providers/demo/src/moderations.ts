import type { ModerationPart, ModerationResult, ModerationsSupport } from '@headgate/core/provider'

/** Patterns of the terms of each category. */
const WORDS: Readonly<Record<string, RegExp>> = {
  harassment: /\b(idiot|moron|loser)s?\b/i,
  hate: /\b(hate|despise)s?\b/i,
  illicit: /\b(cocaine|heroin|counterfeit)s?\b/i,
  'self-harm': /\bsuicide\b/i,
  sexual: /\b(porn|pornography|nude)s?\b/i,
  violence: /\b(kill|murder|stab|shoot|bomb)(s|ed|ing)?\b/i,
}

/** Scores of a category with and without one of its words. */
const FOUND = 0.99
const ABSENT = 0.01

/** Classification by a small list of words. The score of a category is the same for all its words. */
export const moderations: ModerationsSupport = {
  run: async ({ inputs }) => ({
    results: inputs.map(classify),
    usage: { input: 0, output: 0, units: { moderations: inputs.length } },
  }),
}

function classify(parts: readonly ModerationPart[]): ModerationResult {
  const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const found = Object.entries(WORDS).map(([category, words]) => [category, words.test(said)] as const)
  return {
    flagged: found.some(([, isFound]) => isFound),
    categories: Object.fromEntries(found),
    scores: Object.fromEntries(found.map(([category, isFound]) => [category, isFound ? FOUND : ABSENT])),
  }
}
