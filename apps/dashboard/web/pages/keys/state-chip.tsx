import { Chip, type Tone } from '../../components/chip.tsx'
import type { KeyState } from './state.ts'

const LOOKS: Readonly<Record<KeyState, readonly [Tone, string]>> = {
  active: ['good', 'active'],
  ending: ['warn', 'ends soon'],
  ended: ['bad', 'ended'],
  revoked: ['bad', 'revoked'],
  stopped: ['bad', 'stopped'],
}

export function StateChip({ state }: { readonly state: KeyState }) {
  const [tone, text] = LOOKS[state]
  return <Chip tone={tone}>{text}</Chip>
}
