import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'vitepress'
import { readPages, writePages } from './pages.ts'

/** `pnpm build:site`: the documentation as a website in `dist/site`, with every page as Markdown, and `llms.txt`. */
const here = resolve(import.meta.dirname, '..')
const root = resolve(here, '../..')
const pages = readPages(root)
const source = join(here, 'dist/pages')
writePages(pages, root, source)
await build(here)

const site = join(here, 'dist/site')
for (const { path } of pages) {
  const file = join(site, `${path}.md`)
  mkdirSync(dirname(file), { recursive: true })
  cpSync(join(source, `${path}.md`), file)
}
const lines = pages.map(({ path, title, summary }) => `- [${title}](${path}.md): ${summary}`)
writeFileSync(
  join(site, 'llms.txt'),
  `# Headgate\n\n> A gateway in front of every model: one key, any model, in the format that your SDK speaks.\n\n## Pages\n\n${lines.join('\n')}\n`,
)
