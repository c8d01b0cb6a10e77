/** A fenced block of a page. */
export interface Snippet {
  readonly page: string
  /** Where it starts; counts from 1. */
  readonly line: number
  readonly language: string
  /** What stands behind the language: how the block is tested. */
  readonly words: readonly string[]
  readonly code: string
}

const GENERATED = /<!-- generated:([a-z-]+) -->[\s\S]*?<!-- \/generated:\1 -->/g
const FENCE = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm

/** The fenced blocks of a page that somebody wrote; those of generated blocks are left out. */
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

/** What a tested block prints: `says=512`; default the words of the demo. */
export function saidBy({ words }: Snippet): string {
  return words.find((word) => word.startsWith('says='))?.slice('says='.length) ?? 'demo'
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** The name that a block is a file of: `file=index.js`. */
export function fileOf({ words }: Snippet): string | undefined {
  return words.find((word) => word.startsWith('file='))?.slice('file='.length)
}
