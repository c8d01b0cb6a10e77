import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import type { ChangeContext, DeclarationChange } from '../declaration/change.ts'
import { type Command, type CommandContext, type Option, stringFlag, usageError } from './command.ts'

const DEFAULT_URL = 'http://127.0.0.1:8787'

const OPTIONS: Readonly<Record<string, Option>> = {
  file: { type: 'string', short: 'f', value: 'file', help: 'declaration, as .yaml, .json or .ts' },
  url: { type: 'string', value: 'url', help: `URL of the gateway (env HEADGATE_URL, default ${DEFAULT_URL})` },
  'key-file': {
    type: 'string',
    value: 'file',
    help: 'file with a management key (default: the variable HEADGATE_ADMIN_KEY)',
  },
  prune: { type: 'boolean', help: 'also remove what the lists of the file do not name' },
}

export const apply: Command = {
  name: 'apply',
  summary: 'changes projects, keys, budgets, members and prices of a running gateway to what a file declares',
  options: OPTIONS,
  async run(context) {
    const { changes, left, carryOut } = await comparison(context)
    for (const change of changes) {
      await carryOut(change)
      context.print(`${lineOf(change)}\n`)
    }
    context.print(summary(changes.length, left, 'made'))
  },
}

export const diff: Command = {
  name: 'diff',
  summary: 'prints what apply would change',
  options: OPTIONS,
  async run(context) {
    const { changes, left } = await comparison(context)
    for (const change of [...changes, ...left]) context.print(`${lineOf(change)}\n`)
    context.print(summary(changes.length, left, 'to make'))
  },
}

interface WantedChanges {
  readonly changes: readonly DeclarationChange[]
  /** Removals, which are left out without `--prune`. */
  readonly left: readonly DeclarationChange[]
  carryOut(change: DeclarationChange): Promise<void>
}

async function comparison(context: CommandContext): Promise<WantedChanges> {
  const given = stringFlag(context, 'file')
  if (given === undefined || context.words.length > 0)
    throw usageError('Name the declaration: --file headgate.declaration.yaml')
  const [{ readDeclaration }, { createManagementClient }, { readState }, { compare }] = await Promise.all([
    import('../declaration/declaration.ts'),
    import('../declaration/management-client.ts'),
    import('../declaration/state.ts'),
    import('../declaration/changes.ts'),
  ])
  const file = resolve(context.folder, given)
  const declaration = await readDeclaration(file)
  const address = { url: urlOf(context), key: keyOf(context) }
  const client = createManagementClient(address)
  const state = await readState(declaration, client)
  const { changes, ids } = compare(declaration, state, { own: address.key, folder: dirname(file) })
  const known: ChangeContext = { client, ids }
  const isIn = ({ sign }: DeclarationChange) => sign !== '-' || context.values['prune'] === true
  return {
    changes: changes.filter(isIn),
    left: changes.filter((change) => !isIn(change)),
    carryOut: (change) => change.carryOut(known),
  }
}

function urlOf(context: CommandContext): string {
  const url = stringFlag(context, 'url') ?? (context.environment['HEADGATE_URL'] || DEFAULT_URL)
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw usageError(`--url: found ${JSON.stringify(url)}; allowed: a URL such as https://headgate.example.com`)
}

function keyOf(context: CommandContext): string {
  const file = stringFlag(context, 'key-file')
  const key = file === undefined ? context.environment['HEADGATE_ADMIN_KEY'] : contentOf(resolve(context.folder, file))
  if (key) return key
  throw new HeadgateError(
    'invalid-request',
    'A management key is missing. Create a key with the scope `admin`, and set HEADGATE_ADMIN_KEY or name its file with --key-file.',
  )
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new HeadgateError('invalid-request', `--key-file: ${file} cannot be read: ${code}`)
  }
}

function lineOf({ sign, what, fields }: DeclarationChange): string {
  return `${sign} ${what}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`
}

function summary(count: number, left: readonly DeclarationChange[], what: string): string {
  const changes = count === 0 ? 'No changes' : `${count} ${count === 1 ? 'change' : 'changes'} ${what}`
  const others = left.length === 0 ? '' : ` ${left.length} not in the file; --prune removes them.`
  return `${changes}.${others}\n`
}
