import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pagesOf } from '../docs/pages.ts'
import { type Snippet, snippetsIn } from '../docs/snippets.ts'

export const ROOT = resolve(import.meta.dirname, '../..')

/** The pages of this repository, with their text. */
export const PAGES: readonly { readonly page: string; readonly text: string }[] = pagesOf(ROOT).map((page) => ({
  page,
  text: readFileSync(join(ROOT, page), 'utf8'),
}))

/** Every fenced block that somebody wrote. */
export const SNIPPETS: readonly Snippet[] = PAGES.flatMap(({ page, text }) => snippetsIn(page, text))
