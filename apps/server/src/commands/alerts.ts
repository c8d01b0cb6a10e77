import { HeadgateError } from '@headgate/gateway/ports'
import { findSecret } from '@headgate/store'
import { recordCommand } from './accounts.ts'
import { type Command, configOption, dataDirOption } from './command.ts'
import { settingsOf } from './key-reference.ts'

export const showAlertSecret: Command = {
  name: 'budgets alert-secret',
  summary: 'prints what verifies alerts of budgets',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const { alertSecret } = await import('@headgate/store/alerts')
    const settings = await settingsOf(context)
    await recordCommand(context, { action: 'alert.secret' })
    const { secret } = settings.config.budgets?.alerts ?? {}
    context.print(`${secret ?? alertSecret(findSecret(context.environment, settings.dataDir))}\n`)
  },
}

export const testAlert: Command = {
  name: 'budgets test-alert',
  summary: 'sends an alert that says that it is a test to where alerts of budgets go',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const { alertTarget, postAlert, sampleAlert } = await import('@headgate/store/alerts')
    const settings = await settingsOf(context)
    const { alerts } = settings.config.budgets ?? {}
    if (!alerts)
      throw new HeadgateError(
        'invalid-request',
        'The configuration names nobody who is told: set budgets.alerts.url. The log has alerts all the same.',
      )
    const target = alertTarget(alerts, () => findSecret(context.environment, settings.dataDir))
    try {
      await postAlert(target, sampleAlert(Date.now()), AbortSignal.timeout(60_000))
    } catch (error) {
      if (!HeadgateError.is(error)) throw error
      throw new HeadgateError('invalid-request', `budgets.alerts.url could not be told: ${error.message}.`)
    }
    await recordCommand(context, { action: 'alert.test' })
    context.note('The test was sent, and was answered with 2xx.\n')
  },
}
