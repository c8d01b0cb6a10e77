import { HeadgateError } from '@headgate/gateway/ports'
import { findSecret } from '@headgate/store'
import { recordCommand } from './accounts.ts'
import { type Command, configOption, dataDirOption } from './command.ts'
import { settingsOf } from './key-reference.ts'

export const showAlertSecret: Command = {
  name: 'budgets alert-secret',
  summary: 'prints the secret that verifies the signatures of budget alerts',
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
  summary: 'sends a test alert to the alert URL of budgets',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const { alertTarget, postAlert, sampleAlert } = await import('@headgate/store/alerts')
    const settings = await settingsOf(context)
    const { alerts } = settings.config.budgets ?? {}
    if (!alerts)
      throw new HeadgateError(
        'invalid-request',
        'No alert URL is configured: set budgets.alerts.url. Alerts are written to the log in any case.',
      )
    const target = alertTarget(alerts, () => findSecret(context.environment, settings.dataDir))
    try {
      await postAlert(target, sampleAlert(Date.now()), AbortSignal.timeout(60_000))
    } catch (error) {
      if (!HeadgateError.is(error)) throw error
      throw new HeadgateError('invalid-request', `The test alert did not reach budgets.alerts.url: ${error.message}.`)
    }
    await recordCommand(context, { action: 'alert.test' })
    context.note('Sent a test alert. The server answered with 2xx.\n')
  },
}
