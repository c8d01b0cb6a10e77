import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  idProblem,
  type NewAdapter,
  titleOf,
  urlProblem,
  withoutSlash,
} from '../packages/create-adapter/src/adapter.ts'
import { writeFiles } from '../packages/create-adapter/src/create.ts'
import {
  adapterFiles,
  describedField,
  type NewAdapterKind,
  TEMPLATES,
  type TemplateId,
} from '../packages/create-adapter/src/templates.ts'
import { ALL, DISCOVERY, mendManifest, surroundingsOf } from './structure/derived.ts'
import { readRepository } from './structure/repository.ts'
import { writeManifests } from './structure/write.ts'

const USAGE =
  'usage: pnpm new provider|search|sink <id> --base-url <url> [--codec | --signed] [--title <name>] [--docs <url>]'

/** Parent folders of packages, by kind. */
const PARENTS: Readonly<Record<NewAdapterKind, string>> = {
  provider: 'packages/providers',
  search: 'packages/search',
  sink: 'packages/sinks',
}

/**
 * `pnpm new provider <id> …` and `pnpm new search <id> …`: create the package of an OpenAI-compatible provider or of a
 * search backend that passes every check. `--codec`: a provider with a custom format; `--signed`: with a leased
 * credential. Existing files do not change, except the generated lists of adapters.
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
const refusal = await create(positionals)
if (refusal !== undefined) {
  console.error(refusal)
  process.exitCode = 1
}

/** Returns the reason why nothing was written. */
async function create([kind, id, ...rest]: readonly string[]): Promise<string | undefined> {
  const baseUrl = values['base-url']
  const template = templateOf(kind)
  if (template === undefined || id === undefined || rest.length > 0 || baseUrl === undefined) return USAGE
  const refusal =
    idProblem(id) ?? urlProblem(baseUrl) ?? (values.docs === undefined ? undefined : urlProblem(values.docs))
  if (refusal !== undefined) return refusal
  const own = TEMPLATES[template].kind
  const folder = `${PARENTS[own]}/${id}`
  if (existsSync(join(root, folder))) return `${folder} already exists.`

  const isBoth = own === 'search' && existsSync(join(root, PARENTS.provider, id))
  const name = `@headgate/${own}-${id}`
  await write(folder, template, {
    id,
    title: values.title ?? titleOf(id),
    baseUrl: withoutSlash(baseUrl),
    name,
    docs: values.docs,
    isBoth,
  })
  return undefined
}

function templateOf(kind: string | undefined): TemplateId | undefined {
  const { codec, signed } = values
  if (kind === 'search' || kind === 'sink') return codec || signed ? undefined : kind
  if (kind !== 'provider' || (codec && signed)) return undefined
  return codec ? 'codec' : signed ? 'signed' : 'preset'
}

async function write(folder: string, id: TemplateId, adapter: NewAdapter): Promise<void> {
  const template = TEMPLATES[id]
  const { kind, role } = template
  // The changeset releases it as 0.1.0.
  const headgate = describedField(template, adapter)
  const manifest = {
    name: adapter.name,
    version: '0.0.0',
    description: `${adapter.title} as ${role} of Headgate.`,
    headgate,
  }
  const laid = { folder, kind, id: adapter.id, manifest, sources: [], entries: [] }
  const files = {
    'package.json': mendManifest(laid, surroundingsOf(readRepository(root))),
    ...adapterFiles(template, adapter),
  }
  const print = (text: string) => void process.stdout.write(text)
  writeFiles(
    root,
    {
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text])),
      [`.changeset/${kind}-${adapter.id}.md`]: `---\n'${adapter.name}': minor\n---\n\nAdds ${adapter.title} as ${role}.\n`,
    },
    print,
  )
  await writeManifests(readRepository(root), { folders: [ALL, DISCOVERY] })
  print(
    '\nNext: run `pnpm install`, declare differences from the standard format in src/index.ts, and run `pnpm test`.\n',
  )
}
