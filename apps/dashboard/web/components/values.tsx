import { duration } from '../formats/durations.ts'
import { exactMoney, money, type Nanos, UNKNOWN } from '../formats/money.ts'
import { count, shortCount } from '../formats/numbers.ts'
import { dateTime, day, fullTime, shortTime } from '../formats/times.ts'
import { LABELS } from '../labels.ts'
import { useNow } from './now.ts'

export interface MoneyProps {
  readonly nanos: Nanos | bigint | null
  /** Text for an unknown amount. Default: `unknown`. */
  readonly unknown?: string | undefined
}

/** Rounded amount, with the exact one in the tooltip and in `value`. */
export function Money({ nanos, unknown = UNKNOWN }: MoneyProps) {
  if (nanos === null) return <span className="text-muted">{unknown}</span>
  const [shown, exact] = [money(nanos), exactMoney(nanos)]
  return (
    <data value={String(nanos)} title={exact === shown ? undefined : exact}>
      {shown}
    </data>
  )
}

/** Short count, with the exact one in the tooltip. */
export function Tokens({ value }: { readonly value: number | null }) {
  if (value === null) return <span className="text-muted">{LABELS.unknown}</span>
  const [shown, exact] = [shortCount(value), count(value)]
  return (
    <data value={value} title={exact === shown ? undefined : exact}>
      {shown}
    </data>
  )
}

export function Duration({ ms }: { readonly ms: number | null }) {
  if (ms === null) return <span className="text-muted">{LABELS.unknown}</span>
  return (
    <data value={ms} title={`${count(ms)} ms`}>
      {duration(ms)}
    </data>
  )
}

/** Maximum lag of the shared clock, in milliseconds. */
const CLOCK = 60_000

/** Relative time, with the full time in the tooltip. */
export function Time({ at }: { readonly at: number }) {
  const now = useNow()
  const text = shortTime(at, at - now < CLOCK ? Math.max(at, now) : now)
  const date = day(at)
  return (
    <time dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {text === dateTime(at) ? (
        <>
          <span className="max-sm:hidden">{text}</span>
          <span className="sm:hidden">{date}</span>
        </>
      ) : (
        text
      )}
    </time>
  )
}

export function FullTime({ at }: { readonly at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{fullTime(at)}</time>
}
