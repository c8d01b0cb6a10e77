import type { Accounts } from '@headgate/accounts'
import { type AnswerOptions, HeadgateError } from '@headgate/gateway'
import type { Secret, Store } from '@headgate/store'
import { DEFAULT_ORGANISATION } from '@headgate/store'
import type { Settings } from '../config/settings.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a time such as `30m`, `24h`, `7d`. */
function millisecondsOf(text: string): number {
  return Number.parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 0)
}

/** Records in the audit log which key uses a response that belongs to somebody else in its project. */
export function auditShared(
  accounts: () => Pick<Accounts, 'recordAct'> | undefined,
): NonNullable<AnswerOptions['audit']> {
  return async ({ principal: { id, owners }, answer, use, requestId, address }) => {
    const opened = accounts()
    if (!opened) throw new HeadgateError('internal', 'The audit log is not open yet. Try again.')
    const organisation = owners?.organisation ?? DEFAULT_ORGANISATION
    const caller = { kind: 'key', id, organisation, role: 'viewer', address, requestId } as const
    await opened.recordAct(caller, {
      action: `response.${use}`,
      target: answer.id,
      organisation,
      after: { key: answer.key },
    })
  }
}

/** How answers are kept that later requests may name. */
export function answerOptions(
  { config }: Settings,
  store: Store,
  secret: Secret,
  audit: AnswerOptions['audit'],
): AnswerOptions {
  const { keep, foreignIds } = config.responses ?? {}
  return {
    store: store.answers,
    sealer: secret.subKeys('answers'),
    ...(audit && { audit }),
    ...(keep !== undefined && { keepMs: keep === false ? false : millisecondsOf(keep) }),
    ...(foreignIds && { foreignIds }),
  }
}
