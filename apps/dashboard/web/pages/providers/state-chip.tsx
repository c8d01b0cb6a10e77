import { Chip, type Tone } from '../../components/chip.tsx'
import { duration } from '../../formats/durations.ts'
import type { ProviderStateName, ProviderStatus } from './providers.ts'

const LOOKS: Readonly<Record<ProviderStateName, readonly [tone: Tone, word: string]>> = {
  up: ['good', 'up'],
  resting: ['warn', 'failing'],
  'no-credential': ['plain', 'no API key'],
  off: ['plain', 'off'],
}

export interface ProviderStateProps {
  readonly of: Pick<ProviderStatus, 'state' | 'restsUntil'>
  readonly now: number
}

/** State of a provider, with the remaining time of a cooldown. */
export function ProviderState({ of: { state, restsUntil }, now }: ProviderStateProps) {
  const [tone, word] = LOOKS[state]
  const left = restsUntil === undefined ? 0 : restsUntil - now
  return (
    <Chip
      tone={tone}
      title={state === 'resting' ? 'In cooldown after repeated failures. Other providers are tried first.' : ''}
    >
      {left > 0 ? `${word}, ${duration(left)}` : word}
    </Chip>
  )
}
