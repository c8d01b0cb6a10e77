import { KEY_RIGHT_NAMES, type KeyRights } from '@headgate/gateway/ports'
import { byName, type ChangeContext, type DeclarationChange, declarationError, differences, keyName } from './change.ts'
import type { DeclaredKey } from './declaration.ts'
import { createSecretFile } from './secret-file.ts'
import type { ManagedKey, ManagedProject } from './state.ts'

const DEFAULTS = { class: 'normal', weight: 1, tracing: 'parent' } as const

export interface KeyListing {
  readonly keys: readonly ManagedKey[]
  readonly projects: readonly ManagedProject[]
  /** Secret of the management key in use, which is never removed. */
  readonly own: string
  /** Folder that `secretFile` begins at. */
  readonly folder: string
}

/** Changes of keys. Keys that are not declared are revoked, other than the management key in use. */
export function keyChanges(
  declared: readonly DeclaredKey[],
  { keys, projects, own, folder }: KeyListing,
): DeclarationChange[] {
  const projectNames = new Map(projects.map(({ id, name }) => [id, name]))
  const nameOf = ({ project, environment, name }: ManagedKey) =>
    name === undefined ? undefined : keyName(projectNames.get(project) ?? project, environment, name)
  const names = new Set(declared.map(nameOfDeclared))
  const managed = keys.filter((key) => names.has(nameOf(key) ?? ''))
  const known = byName('key', managed, nameOf)
  return [
    ...declared.flatMap((key) => changesOf(key, known.get(nameOfDeclared(key)), folder)),
    ...keys.filter((key) => !managed.includes(key) && !isOwn(key, own)).map(revoke),
  ]
}

/** {@link keyName} of a declared key. */
export function nameOfDeclared({ project = 'default', environment = 'production', name }: DeclaredKey): string {
  return keyName(project, environment, name)
}

/** True if a secret begins and ends with the characters in the prefix of a key. */
function isOwn({ prefix }: ManagedKey, own: string): boolean {
  const [first = '', last = ''] = prefix.split('…')
  return own.startsWith(first) && own.endsWith(last)
}

function changesOf(declared: DeclaredKey, stored: ManagedKey | undefined, folder: string): DeclarationChange[] {
  const terms = termsOf(declared)
  if (!stored) return [create(declared, folder)]
  if (declared.service !== undefined && declared.service !== (stored.service === true))
    throw declarationError(
      `key ${declared.name}: \`service\` of an existing key cannot change. Revoke it, and apply the file again.`,
    )
  const fields = differences(termsOf(stored), terms)
  if (fields.length === 0) return []
  const { id, version } = stored
  const body = Object.fromEntries(Object.entries(bodyOf(terms)).map(([field, value]) => [field, value ?? null]))
  return [
    {
      sign: '~',
      what: `key ${declared.name}`,
      fields,
      carryOut: ({ client }) => client.request(`/keys/${id}`, { method: 'PATCH', body, version }),
    },
  ]
}

/** Terms of a key that can change. Defaults are absent, and lists are sorted. */
function termsOf(key: KeyRights & Pick<DeclaredKey | ManagedKey, 'limits' | 'expiresAt'>) {
  const lists = KEY_RIGHT_NAMES.map((name) => [name, key[name]?.toSorted()] as const)
  const { expiresAt, limits } = key
  const setting = (name: keyof typeof DEFAULTS) => (key[name] === DEFAULTS[name] ? undefined : key[name])
  return {
    ...Object.fromEntries(lists),
    class: setting('class'),
    weight: setting('weight'),
    tracing: setting('tracing'),
    limits,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
  }
}

function bodyOf({ expiresAt, ...terms }: ReturnType<typeof termsOf>) {
  return { ...terms, expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt) }
}

function create(declared: DeclaredKey, folder: string): DeclarationChange {
  const { name, project = 'default', environment = 'production', service = true, secretFile } = declared
  if (secretFile === undefined)
    throw declarationError(`key ${name}: name a new file for its secret in \`secretFile\`, since the key is created.`)
  const terms = termsOf(declared)
  return {
    sign: '+',
    what: `key ${name}`,
    fields: [`project: ${project}`, `environment: ${environment}`, ...differences({}, terms), `secret: ${secretFile}`],
    async carryOut({ client, ids }: ChangeContext) {
      const file = createSecretFile(secretFile, folder)
      const body = { ...bodyOf(terms), name, environment, service, project: ids.projects.get(project) ?? project }
      const made = await file.keep(async () => {
        const answer = await client.request<{ key: string; stored: { id: string } }>('/keys', { method: 'POST', body })
        return { secret: answer.key, result: answer.stored }
      })
      ids.keys.set(nameOfDeclared(declared), made.id)
    },
  }
}

function revoke({ id, name, prefix, version }: ManagedKey): DeclarationChange {
  return {
    sign: '-',
    what: `key ${name ?? prefix}`,
    fields: ['is revoked'],
    carryOut: ({ client }) => client.request(`/keys/${id}/revoke`, { method: 'POST', body: {}, version }),
  }
}
