import type { Loss } from '../../packages/core/src/canonical/loss.ts'
import { lostHeader } from '../../packages/gateway/src/edge/lost.ts'
import { fence } from './markdown.ts'

const LOSSES: readonly Loss[] = [
  { path: 'temperature', kind: 'dropped', reason: 'the model does not support it' },
  { path: 'messages[0].content[1].cache_control', kind: 'dropped', reason: 'the format has no cache marks' },
  { path: 'messages[3].content[0].cache_control', kind: 'dropped', reason: 'the format has no cache marks' },
  { path: 'reasoning_effort', kind: 'changed', reason: 'the nearest effort that the model supports' },
]

/** Header with losses. */
export function lostExample(): string {
  return fence('text', `headgate-lost: ${lostHeader(LOSSES)}`)
}
