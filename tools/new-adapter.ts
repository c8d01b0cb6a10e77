import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { adapterFiles, type NewAdapter, TEMPLATES, type TemplateId } from './adapter-template.ts'
import { readRepository } from './structure/repository.ts'
import { zodRange } from './structure/rules/manifest.ts'

const USAGE = 'usage: pnpm new provider|search <id> --base-url <url> [--codec | --signed] [--title <name>] [--docs <url>]'

/**
 * `pnpm new provider <id> …` and `pnpm new search <id> …`: lay down the package of an OpenAI-compatible provider or of a search
 * backend that passes every check as it is. `--codec`: a provider with a format of its own; `--signed`: one whose credential is leased.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    codec: { type: 'boolean' },
    signed: { type: 'boolean' },
    'base-url': { type: 'string' },
    title: { type: 'string' },
    docs: { type: 'string' },
    root: { type: 'string' },
  },
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
  const template = templateOf(kind)
  if (template === undefined || id === undefined || rest.length > 0 || baseUrl === undefined) return USAGE
  if (!/^[a-z][a-z0-9-]*$/.test(id) || id === 'auto')
    return `'${id}' can not be an id: lower case letters, digits and dashes, a letter first, and not 'auto'.`
  for (const url of [baseUrl, values.docs]) if (url !== undefined && !URL.canParse(url)) return `'${url}' is no URL.`
  const folder = `${TEMPLATES[template].parent}/${id}`
  if (existsSync(join(root, folder))) return `${folder} is there already.`

  const isBoth = kind === 'search' && existsSync(join(root, TEMPLATES.provider.parent, id))
  write(template, { id, title: values.title ?? titleOf(id), baseUrl: baseUrl.replace(/\/+$/, ''), docs: values.docs, isBoth })
  return undefined
}

function templateOf(kind: string | undefined): TemplateId | undefined {
  const { codec, signed } = values
  if (kind === 'search') return codec || signed ? undefined : 'search'
  if (kind !== 'provider' || (codec && signed)) return undefined
  return codec ? 'codec' : signed ? 'signed' : 'provider'
}

function write(template: TemplateId, adapter: NewAdapter): void {
  for (const [path, text] of Object.entries(adapterFiles(TEMPLATES[template], adapter, zodRange(readRepository(root))))) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(path)
  }
  console.log('\nNext: `pnpm install`, then say in src/index.ts what deviates, and `pnpm test`.')
}

function titleOf(id: string): string {
  return id.replace(/(?:^|-)([a-z0-9])/g, (match, letter: string) => match.replace('-', ' ').replace(letter, letter.toUpperCase()))
}
