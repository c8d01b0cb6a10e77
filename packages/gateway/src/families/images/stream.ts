import { addedUsage, type Json, text, type Usage } from '@headgate/core/canonical'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { type RelayedStream, relayEvents } from '../../serve/event-relay.ts'
import type { RelayedCall } from '../../serve/unary.ts'
import { sizeIn } from './input.ts'
import type { ImagesCall, NativeImagesPlan } from './plan.ts'
import { boundOf, countedUsage, madeIn, tokensIn } from './usage.ts'

/** Sends on a stream of images. */
export function relayImages(asked: ImagesCall, plan: NativeImagesPlan, asking: RelayedCall): Promise<AttemptOutcome> {
  const [call] = plan.calls
  const bound = call && boundOf(asked.input, plan.can, call)
  return relayEvents(asking, plan.request, bound, streamOf(asked, asking))
}

function streamOf({ input }: ImagesCall, { core, context, candidate }: RelayedCall): RelayedStream {
  let completed = 0
  let usage: Usage | undefined
  let isUncounted = false
  const usageOf = (event: Json): Usage | undefined => {
    if (event['usage'] !== undefined) return tokensIn(event)
    return countedUsage(madeIn(event, 1, sizeIn), input.images.length, core.priceOf(candidate, context.startedAt))
  }
  return {
    content: 'images',
    note(event) {
      if (!text(event['type'])?.endsWith('.completed')) return
      completed++
      const own = usageOf(event)
      isUncounted ||= own === undefined
      usage = usage && own ? addedUsage(usage, own) : (own ?? usage)
    },
    isComplete: () => completed >= input.n,
    mayEnd: () => completed > 0,
    usage: () => (usage && !isUncounted ? { usage, isEstimated: false } : undefined),
  }
}
