import { loadSettings } from '../config/settings.ts'
import { findSecret } from '../secret/source.ts'
import { configuredKeyId } from '../service/authentication.ts'
import { callbackSecret } from '../service/tasks.ts'
import { type Command, configOption, dataDirOption, flagsOf, usageError } from './command.ts'
import { withStore } from './store.ts'

/** A key that callbacks may be for. */
interface Named {
  readonly id: string
  readonly name?: string | undefined
  readonly revokedAt?: number
}

export const showCallbackSecret: Command = {
  name: 'keys callback-secret',
  words: '<id or name>',
  summary: 'prints what verifies the callbacks of a key',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0)
      throw usageError('keys callback-secret takes one id or name: `headgate keys list` shows those of stored keys.')
    const settings = await loadSettings(flagsOf(context.values), context)
    const stored = await withStore(context, ({ keys }) => keys.list())
    const all: readonly Named[] = [...settings.keys.map(({ key, name }) => ({ id: configuredKeyId(key), name })), ...stored]
    const [named, another] = all.filter(({ name, revokedAt }) => name === reference && revokedAt === undefined)
    const found = all.find(({ id }) => id === reference) ?? (another ? undefined : named)
    if (!found)
      throw usageError(
        `No key, or more than one, is called ${JSON.stringify(reference)}: \`headgate keys list\` and \`headgate usage\` show ids.`,
      )
    context.print(`${callbackSecret(findSecret(context.environment, settings.dataDir), found.id)}\n`)
  },
}
