import type { SourceFile } from '../structure/source.ts'

/** Prose of one place: a comment, a visible string, a paragraph or cell of a page. */
export interface Passage {
  readonly kind: 'docblock' | 'comment' | 'message' | 'page'
  readonly text: string
  /** First line in the file, from 1. */
  readonly line: number
}

/** Strings of fewer words are names, keys and formats. */
const WORDS = 3

/** Comments of a source file, and its strings that are sentences. */
export function passagesOf({ comments, strings }: SourceFile): Passage[] {
  return [
    ...comments.map(({ value, line }): Passage => {
      const isDocblock = value.startsWith('*')
      return { kind: isDocblock ? 'docblock' : 'comment', text: prose(value.replace(/^\s*\*+ ?/gm, '')), line }
    }),
    ...strings
      .filter(
        ({ value }) =>
          value
            .trim()
            .split(/\s+/)
            .filter((word) => /^[A-Za-z][a-z’']*[.,;:]?$/.test(word)).length >= WORDS,
      )
      .map(({ value, line }): Passage => ({ kind: 'message', text: prose(value), line })),
  ]
}

/** Paragraphs, list items and table cells of a Markdown page. Code is left out. */
export function passagesOfPage(page: string): Passage[] {
  const passages: Passage[] = []
  let paragraph: { lines: string[]; line: number } | undefined
  const end = (): void => {
    if (paragraph) passages.push({ kind: 'page', text: prose(paragraph.lines.join(' ')), line: paragraph.line })
    paragraph = undefined
  }
  let isCode = false
  for (const [index, raw] of page.split('\n').entries()) {
    const text = raw.trim()
    if (/^(```|~~~)/.test(text)) isCode = !isCode
    if (isCode || text === '' || /^(```|~~~|<!--)/.test(text)) {
      end()
      continue
    }
    if (text.startsWith('|')) {
      end()
      for (const cell of text.split('|'))
        if (cell.trim()) passages.push({ kind: 'page', text: prose(cell.trim()), line: index + 1 })
      continue
    }
    if (/^([-*] |\d+\. |#+ |> )/.test(text)) end()
    paragraph ??= { lines: [], line: index + 1 }
    paragraph.lines.push(text.replace(/^([-*]|\d+\.|#+|>) /, ''))
    if (/^#+ /.test(text)) end()
  }
  end()
  return passages
}

/** Text without code, links and white space of the source. */
function prose(text: string): string {
  return text
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/`[^`]*`/g, '`x`')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'URL')
    .replace(/\s+/g, ' ')
    .trim()
}
