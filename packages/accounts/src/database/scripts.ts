/** Recommended scripts. @see https://www.unicode.org/reports/tr31/#Table_Recommended_Scripts */
const SCRIPTS = [
  ...[
    'Arabic',
    'Armenian',
    'Bengali',
    'Bopomofo',
    'Cyrillic',
    'Devanagari',
    'Ethiopic',
    'Georgian',
    'Greek',
    'Gujarati',
    'Gurmukhi',
  ],
  ...[
    'Hangul',
    'Han',
    'Hebrew',
    'Hiragana',
    'Kannada',
    'Katakana',
    'Khmer',
    'Lao',
    'Latin',
    'Malayalam',
    'Myanmar',
    'Oriya',
    'Sinhala',
  ],
  ...['Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }))

/** Allowed combinations of scripts: Chinese, Japanese and Korean, with Latin letters. */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]
const COMMON = /[\p{Script=Common}\p{Script=Inherited}]/gu

/**
 * True if all letters are of one script ("highly restrictive"): a Cyrillic letter among Latin ones looks like another
 * string. @see https://www.unicode.org/reports/tr39/#Restriction_Level_Detection
 */
export function isOneScript(text: string): boolean {
  const letters = text.replace(COMMON, '')
  const found = SCRIPTS.filter(({ pattern }) => pattern.test(letters)).map(({ name }) => name)
  const isKnown = [...letters].every((letter) => SCRIPTS.some(({ pattern }) => pattern.test(letter)))
  return isKnown && (found.length < 2 || TOGETHER.some((group) => found.every((name) => group.includes(name))))
}
