import { Chip, type Tone } from '../../components/chip.tsx'
import { duration } from '../../formats/durations.ts'
import type { Provider, State } from './providers.ts'

const LOOKS: Readonly<Record<State, readonly [tone: Tone, word: string]>> = {
  up: ['good', 'up'],
  resting: ['warn', 'resting'],
  'no-credential': ['plain', 'no key'],
  off: ['plain', 'off'],
}

export interface ProviderStateProps {
  readonly of: Pick<Provider, 'state' | 'restsUntil'>
  readonly now: number
}

/** How a provider is: a rest says how long it lasts. */
export function ProviderState({ of: { state, restsUntil }, now }: ProviderStateProps) {
  const [tone, word] = LOOKS[state]
  const left = restsUntil === undefined ? 0 : restsUntil - now
  return (
    <Chip
      tone={tone}
      title={state === 'resting' ? 'It failed several times in turn: others are asked first until then.' : ''}
    >
      {left > 0 ? `${word}, ${duration(left)}` : word}
    </Chip>
  )
}
