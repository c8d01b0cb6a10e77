import { Chip, type Tone } from '../../components/chip.tsx'
import { duration } from '../../formats/durations.ts'
import { count, percent } from '../../formats/numbers.ts'
import type { ProviderStateName, ProviderStatus } from './providers.ts'
import { failedShare } from './providers.ts'

const LOOKS: Readonly<Record<ProviderStateName, readonly [tone: Tone, word: string]>> = {
  healthy: ['good', 'healthy'],
  degraded: ['warn', 'degraded'],
  failing: ['bad', 'failing'],
  cooldown: ['warn', 'cooldown'],
  unknown: ['plain', 'no recent calls'],
  'no-credential': ['plain', 'no API key'],
  off: ['plain', 'off'],
}

export interface ProviderStateProps {
  readonly of: Pick<ProviderStatus, 'state' | 'restsUntil' | 'calls' | 'failed'>
  readonly now: number
}

/** State of a provider, with the share of failed calls or the remaining time of a cooldown. */
export function ProviderState({ of, now }: ProviderStateProps) {
  const { state, restsUntil } = of
  const [tone, word] = LOOKS[state]
  const left = restsUntil === undefined ? 0 : restsUntil - now
  return (
    <Chip tone={tone} title={titleOf(of)}>
      {state === 'cooldown' && left > 0
        ? `${word}, ${duration(left)}`
        : state === 'degraded'
          ? `${word}, ${failedText(of)}`
          : word}
    </Chip>
  )
}

/** Failed calls: `5.0% of 40`. */
function failedText(of: Pick<ProviderStatus, 'calls' | 'failed'>): string {
  return `${percent(failedShare(of))} of ${count(of.calls ?? 0)}`
}

function titleOf(of: ProviderStateProps['of']): string {
  if (of.state === 'cooldown') return 'In cooldown after failures. Other providers are tried first.'
  if (of.state === 'failing' || of.state === 'degraded') return `${failedText(of)} calls of the last 15 minutes failed.`
  return of.state === 'unknown' ? 'No calls in the last 15 minutes.' : ''
}
