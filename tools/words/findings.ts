import type { SourceFile } from '../structure/source.ts'
import { DOCBLOCK_FORMS, FORMS, WIRE_NAMES } from './forms.ts'
import { type Passage, passagesOf, passagesOfPage } from './passages.ts'

/** Passage with a form that makes it hard to read. */
export interface Finding extends Passage {
  readonly path: string
  readonly found: string
  readonly use: string
}

/** Passages of sources and pages with a forbidden form, one finding each. Tests and generated models are left out. */
export function findForms(
  files: readonly SourceFile[],
  pages: readonly { readonly path: string; readonly text: string }[],
): Finding[] {
  const passages = [
    ...files
      .filter(({ path }) => !/(^|\/)(test|stage)\//.test(path) && !path.startsWith('tools/words/'))
      .flatMap((file) => passagesOf(file).map((passage) => ({ ...passage, path: file.path }))),
    ...pages.flatMap(({ path, text }) => passagesOfPage(text).map((passage) => ({ ...passage, path }))),
  ]
  return passages.flatMap((passage) => {
    const text = passage.text.replaceAll(WIRE_NAMES, 'x')
    for (const { pattern, use } of passage.kind === 'docblock' ? [...DOCBLOCK_FORMS, ...FORMS] : FORMS) {
      const found = pattern.exec(text)?.[0]
      if (found !== undefined) return [{ ...passage, found, use }]
    }
    return []
  })
}
