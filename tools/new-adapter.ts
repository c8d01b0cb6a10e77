import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type NewProvider, providerFiles } from './adapter-template.ts'
import { readRepository } from './structure/repository.ts'
import { zodRange } from './structure/rules/manifest.ts'

const USAGE = 'usage: pnpm new provider <id> --base-url <url> [--title <name>] [--docs <url>]'

/** `pnpm new provider <id> …`: lays down the package of an OpenAI-compatible provider that passes every check as it is. */
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
  if (kind !== 'provider' || id === undefined || rest.length > 0 || baseUrl === undefined) return USAGE
  if (!/^[a-z][a-z0-9-]*$/.test(id) || id === 'auto')
    return `'${id}' can not be an id: lower case letters, digits and dashes, a letter first, and not 'auto'.`
  for (const url of [baseUrl, values.docs]) if (url !== undefined && !URL.canParse(url)) return `'${url}' is no URL.`
  if (existsSync(join(root, 'packages/providers', id))) return `packages/providers/${id} is there already.`

  write({ id, title: values.title ?? titleOf(id), baseUrl: baseUrl.replace(/\/+$/, ''), docs: values.docs })
  return undefined
}

function write(provider: NewProvider): void {
  for (const [path, text] of Object.entries(providerFiles(provider, zodRange(readRepository(root))))) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(path)
  }
  console.log('\nNext: `pnpm install`, then say in src/index.ts what deviates, and `pnpm test`.')
}

function titleOf(id: string): string {
  return id.replace(/(?:^|-)([a-z0-9])/g, (match, letter: string) => match.replace('-', ' ').replace(letter, letter.toUpperCase()))
}
