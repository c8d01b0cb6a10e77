import { globSync } from 'node:fs'

/** Markdown pages of the repository, relative to its root. Changelogs are written by releases. */
export function pagesOf(root: string): string[] {
  return globSync(['*.md', '{docs,packages,apps,examples,bench,e2e,tools,.changeset,.github}/**/*.md'], {
    cwd: root,
    exclude: (name) => /^(node_modules|dist|CHANGELOG\.md)$/.test(name.split('/').at(-1) ?? name),
  }).toSorted()
}
