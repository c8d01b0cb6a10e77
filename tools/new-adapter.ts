import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type AdapterKind, adapterFiles, type NewAdapter, TEMPLATES } from './adapter-template.ts'
import { readRepository } from './structure/repository.ts'
import { zodRange } from './structure/rules/manifest.ts'

const USAGE = 'usage: pnpm new provider|search <id> --base-url <url> [--title <name>] [--docs <url>]'

/**
 * `pnpm new provider <id> …` and `pnpm new search <id> …`: lay down the package of an OpenAI-compatible provider or of a search
 * backend that passes every check as it is.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'base-url': { type: 'string' }, title: { type: 'string' }, docs: { type: 'string' }, root: { type: 'string' } },
})
const root = values.root ?? resolve(import.meta.dirname, '..')
const refusal = create(positionals)
if (refusal !== undefined) {
  console.error(refusal)
  process.exitCode = 1
}

/** Returns why nothing was written. */
function create([kind, id, ...rest]: readonly string[]): string | undefined {
  const baseUrl = values['base-url']
  if (!isKind(kind) || id === undefined || rest.length > 0 || baseUrl === undefined) return USAGE
  if (!/^[a-z][a-z0-9-]*$/.test(id) || id === 'auto')
    return `'${id}' can not be an id: lower case letters, digits and dashes, a letter first, and not 'auto'.`
  for (const url of [baseUrl, values.docs]) if (url !== undefined && !URL.canParse(url)) return `'${url}' is no URL.`
  const folder = `${TEMPLATES[kind].parent}/${id}`
  if (existsSync(join(root, folder))) return `${folder} is there already.`

  const isBoth = kind === 'search' && existsSync(join(root, TEMPLATES.provider.parent, id))
  write(kind, { id, title: values.title ?? titleOf(id), baseUrl: baseUrl.replace(/\/+$/, ''), docs: values.docs, isBoth })
  return undefined
}

function isKind(word: string | undefined): word is AdapterKind {
  return word !== undefined && Object.hasOwn(TEMPLATES, word)
}

function write(kind: AdapterKind, adapter: NewAdapter): void {
  for (const [path, text] of Object.entries(adapterFiles(kind, adapter, zodRange(readRepository(root))))) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(path)
  }
  console.log('\nNext: `pnpm install`, then say in src/index.ts what deviates, and `pnpm test`.')
}

function titleOf(id: string): string {
  return id.replace(/(?:^|-)([a-z0-9])/g, (match, letter: string) => match.replace('-', ' ').replace(letter, letter.toUpperCase()))
}
