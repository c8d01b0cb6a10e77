/** Fenced block of a page. */
export interface Snippet {
  readonly page: string
  /** First line, counted from 1. */
  readonly line: number
  readonly language: string
  /** Words after the language, which select the test. */
  readonly words: readonly string[]
  readonly code: string
}

const GENERATED = /<!-- generated:([a-z-]+) -->[\s\S]*?<!-- \/generated:\1 -->/g
const FENCE = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm

/** Fenced blocks of a page outside generated blocks. */
export function snippetsIn(page: string, text: string): Snippet[] {
  const written = text.replace(GENERATED, (block) => block.replace(/[^\n]/g, ''))
  return [...written.matchAll(FENCE)].map(([, language = '', words = '', code = ''], index, all) => ({
    page,
    line: lineAt(written, all[index]?.index ?? 0),
    language,
    words: words.trim().split(/\s+/).filter(Boolean),
    code,
  }))
}

/** Expected output of a tested block, from `says=512`; default: the output of the demo. */
export function saidBy({ words }: Snippet): string {
  return words.find((word) => word.startsWith('says='))?.slice('says='.length) ?? 'demo'
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** File name of a block, from `file=index.js`. */
export function fileOf({ words }: Snippet): string | undefined {
  return words.find((word) => word.startsWith('file='))?.slice('file='.length)
}
