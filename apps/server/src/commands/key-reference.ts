import type { CommandStore } from '@headgate/store'
import { configuredKeyId } from '@headgate/store'
import { loadSettings, type Settings } from '../config/settings.ts'
import { type CommandContext, flagsOf, usageError } from './command.ts'

export interface NamedKey {
  readonly id: string
  readonly name?: string | undefined
  readonly revokedAt?: number
}

/** Configured and stored keys. */
export async function allKeys(
  settings: Pick<Settings, 'keys'>,
  { keys }: Pick<CommandStore, 'keys'>,
): Promise<readonly NamedKey[]> {
  return [...settings.keys.map(({ key, name }) => ({ id: configuredKeyId(key), name })), ...(await keys.list())]
}

/**
 * Key with this id, revoked keys included, or else this name. @throws HeadgateError if no key, or more than one,
 * matches.
 */
export function findKey(keys: readonly NamedKey[], reference: string): NamedKey {
  const [named, another] = keys.filter(({ name, revokedAt }) => name === reference && revokedAt === undefined)
  const found = keys.find(({ id }) => id === reference) ?? (another ? undefined : named)
  if (found) return found
  throw usageError(
    `No key, or more than one, is named ${JSON.stringify(reference)}. Use an id: \`headgate keys list\` and \`headgate usage\` show them.`,
  )
}

export function settingsOf(context: CommandContext): Promise<Settings> {
  return loadSettings(flagsOf(context.values), context)
}
