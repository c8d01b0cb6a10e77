import type { Usage } from '@headgate/core/canonical'
import type { UsageBound } from '../../cost/bound.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { type RelayedStream, relayEvents } from '../../serve/event-relay.ts'
import type { RelayedCall } from '../../serve/unary.ts'
import { type NativeTranscriptionPlan, type TranscriptionCall, usageOf, withSurcharges } from './plan.ts'

/** Sends on the events of a transcript. */
export function relayTranscript(
  asked: TranscriptionCall,
  plan: NativeTranscriptionPlan,
  bound: UsageBound,
  asking: RelayedCall,
): Promise<AttemptOutcome> {
  return relayEvents(asking, plan.request, bound, streamOf(asked, plan, asking))
}

function streamOf(
  { milliseconds }: TranscriptionCall,
  { surcharges }: NativeTranscriptionPlan,
  { core, context, candidate }: RelayedCall,
): RelayedStream {
  const isTimed = core.priceOf(candidate, context.startedAt)?.units?.['milliseconds'] !== undefined
  let isDone = false
  let counted: Usage | undefined
  return {
    content: 'the transcript',
    note(event) {
      if (event['type'] !== 'transcript.text.done') return
      isDone = true
      counted = withSurcharges(usageOf(event, milliseconds), surcharges)
    },
    isComplete: () => isDone,
    mayEnd: () => isDone,
    usage() {
      if (counted) return { usage: counted, isEstimated: false }
      // A recording that is billed by time is billed whole.
      const usage = isTimed ? withSurcharges(usageOf({}, milliseconds), surcharges) : undefined
      return usage && { usage, isEstimated: true }
    },
  }
}
