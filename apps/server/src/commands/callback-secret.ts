import { callbackSecret, findSecret } from '@headgate/store'
import { recordCommand } from './accounts.ts'
import { type Command, configOption, dataDirOption, usageError } from './command.ts'
import { allKeys, findKey, settingsOf } from './key-reference.ts'
import { withStore } from './store.ts'

export const showCallbackSecret: Command = {
  name: 'keys callback-secret',
  words: '<id or name>',
  summary: 'prints the secret that verifies callback signatures of a key',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0)
      throw usageError('keys callback-secret takes one id or name. List the stored keys with `headgate keys list`.')
    const settings = await settingsOf(context)
    const found = findKey(await withStore(context, (store) => allKeys(settings, store)), reference)
    await recordCommand(context, { action: 'key.callback-secret', target: found.id })
    context.print(`${callbackSecret(findSecret(context.environment, settings.dataDir), found.id)}\n`)
  },
}
