/** Letters of scripts without spaces between words, and of Korean, which attaches particles to words. */
const UNSPACED =
  '[[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]&&[\\p{L}\\p{M}]]+'
const anyUnspaced = new RegExp(UNSPACED, 'v')
const runs = new RegExp(UNSPACED, 'gv')

/** Characters of words for the index's tokenizer: letters, numbers and marks. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Search term: one word, or several adjacent words, as in the index. */
export interface Term {
  readonly words: readonly string[]
  /** Also matches words that begin with the last word. */
  readonly prefix: boolean
}

/** Text for the index: scripts without spaces become pairs of letters, which the tokenizer treats as words. */
export function indexable(text: string): string {
  const composed = text.normalize('NFC')
  return anyUnspaced.test(composed) ? composed.replace(runs, (run) => ` ${pairs(run).join(' ')} `) : composed
}

/** Pairs of letters: `中文搜` → `中文`, `文搜`, `搜`. The last letter is also a word, so that a search for it matches. */
function pairs(run: string): string[] {
  const letters = [...run]
  return letters.map((letter, index) => letter + (letters[index + 1] ?? ''))
}

/** Terms of a string. Scripts without spaces are segmented with a dictionary. */
export function termsOf(text: string): Term[] {
  return pieces(text).flatMap(({ piece, unspaced }) =>
    unspaced ? dictionaryWords(piece).map(unspacedTerm) : [term([piece])],
  )
}

/** String as one term of adjacent words. Undefined without words. */
export function phraseOf(text: string): Term | undefined {
  const parts = pieces(text).map(({ piece, unspaced }) => (unspaced ? unspacedTerm(piece) : term([piece])))
  if (parts.length === 0) return undefined
  return { words: parts.flatMap(({ words }) => words), prefix: parts.at(-1)?.prefix ?? false }
}

/** Smaller parts of a term, for a search that accepts any of them. */
export function partsOf({ words, prefix }: Term): Term[] {
  return words.map((word, index) => ({ words: [word], prefix: prefix && index === words.length - 1 }))
}

/** Folds case and accents, as the index does. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (!NOT_ASCII.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
}

const NOT_ASCII = /\P{ASCII}/u

function term(words: readonly string[]): Term {
  return { words, prefix: false }
}

function unspacedTerm(run: string): Term {
  const letters = pairs(run)
  return letters.length === 1 ? { words: letters, prefix: true } : term(letters.slice(0, -1))
}

function dictionaryWords(run: string): string[] {
  return [...segmenter.segment(run)].map(({ segment }) => segment)
}

function pieces(text: string): { piece: string; unspaced: boolean }[] {
  return (text.normalize('NFC').match(WORD) ?? []).flatMap((word) => {
    if (!anyUnspaced.test(word)) return { piece: word, unspaced: false }
    return word
      .replace(runs, ' $& ')
      .split(' ')
      .filter((piece) => piece !== '')
      .map((piece) => ({ piece, unspaced: anyUnspaced.test(piece) }))
  })
}
