import type { AnswerOptions } from '@headgate/core'
import type { Secret, Store } from '@headgate/store'
import type { Settings } from '../config/settings.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a time such as `30m`, `24h`, `7d`. */
function millisecondsOf(text: string): number {
  return Number.parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 0)
}

/** How answers are kept that later requests may name. */
export function answerOptions({ config }: Settings, store: Store, secret: Secret): AnswerOptions {
  const { keep, foreignIds } = config.responses ?? {}
  return {
    store: store.answers,
    sealer: secret.subKeys('answers'),
    ...(keep !== undefined && { keepMs: keep === false ? false : millisecondsOf(keep) }),
    ...(foreignIds && { foreignIds }),
  }
}
