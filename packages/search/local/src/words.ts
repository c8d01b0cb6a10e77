/** Letters of scripts that put no spaces between words, and of Korean, which glues particles to them. */
const UNSPACED =
  '[[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]&&[\\p{L}\\p{M}]]+'
const anyUnspaced = new RegExp(UNSPACED, 'v')
const runs = new RegExp(UNSPACED, 'gv')

/** What the tokenizer of the index takes for parts of words: letters, numbers and marks. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** What a search looks for: one word, or several that stand side by side, as the index holds them. */
export interface Term {
  readonly words: readonly string[]
  /** Words that begin with the last one count as well. */
  readonly prefix: boolean
}

/** Text as it goes into the index: scripts without spaces as pairs of letters, of which the tokenizer makes words. */
export function indexable(text: string): string {
  const composed = text.normalize('NFC')
  return anyUnspaced.test(composed) ? composed.replace(runs, (run) => ` ${pairs(run).join(' ')} `) : composed
}

/** `中文搜` → `中文`, `文搜`, `搜`: the last letter stands alone so that it is found alone. */
function pairs(run: string): string[] {
  const letters = [...run]
  return letters.map((letter, index) => letter + (letters[index + 1] ?? ''))
}

/** The words of a text, each a term. Where there are no spaces, words are what a dictionary says. */
export function termsOf(text: string): Term[] {
  return pieces(text).flatMap(({ piece, unspaced }) =>
    unspaced ? dictionaryWords(piece).map(unspacedTerm) : [term([piece])],
  )
}

/** The words of a text side by side, as one term; undefined where there are none. */
export function phraseOf(text: string): Term | undefined {
  const parts = pieces(text).map(({ piece, unspaced }) => (unspaced ? unspacedTerm(piece) : term([piece])))
  if (parts.length === 0) return undefined
  return { words: parts.flatMap(({ words }) => words), prefix: parts.at(-1)?.prefix ?? false }
}

/** The term in smaller parts, of which one is enough where not all can be had. */
export function partsOf({ words, prefix }: Term): Term[] {
  return words.map((word, index) => ({ words: [word], prefix: prefix && index === words.length - 1 }))
}

/** Lower case without accents: two spellings that the index takes for one are equal. */
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
