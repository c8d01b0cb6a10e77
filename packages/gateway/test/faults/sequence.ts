import { type Fault, fits } from './fault.ts'
import { CALLER_FAULTS, type CallerFault, GOOD_CALLER } from './kinds/callers.ts'
import { GOOD } from './kinds/good.ts'
import { FAULTS } from './kinds/index.ts'
import { createRandom, type Random } from './random.ts'
import { type Delivery, WAYS } from './request.ts'
import { describeRouting, type RoutingScene, routingOf } from './routing.ts'
import { type Flavour, FORMAT_IDS, type FormatId } from './scene.ts'

/** A candidate, and what it does to the calls that it gets; the last for all further ones. */
export interface Scripted {
  readonly format: FormatId
  readonly faults: readonly Fault[]
}

/** One request and all that goes wrong with it. */
export interface Sequence {
  readonly seed: number
  readonly format: FormatId
  readonly delivery: Delivery
  readonly flavour: Flavour
  /** Whether a chat caller asks for the usage of a stream. */
  readonly usage: boolean
  readonly candidates: readonly Scripted[]
  readonly caller: CallerFault
  /** Endpoints, policies and limits; undefined = one endpoint per candidate, and no options. */
  readonly routing: RoutingScene | undefined
}

/** What a good answer consists of, as often as it is here. */
const LIKELY: readonly Flavour[] = [
  'text',
  'text',
  'text',
  'text',
  'text',
  'thought',
  'thought',
  'call',
  'call',
  'long',
]

function faultFor(random: Random, delivery: Delivery, format: FormatId): Fault {
  return random.pick(FAULTS.filter((fault) => fits(fault, format, delivery !== 'whole')))
}

/** What happens under a seed. Seeds in a row go through all faults of upstreams. */
export function sequenceOf(seed: number): Sequence {
  const random = createRandom(seed)
  const first = FAULTS[seed % FAULTS.length] ?? GOOD
  const format = random.pick(first.formats ?? FORMAT_IDS)
  const ways = WAYS.filter(([, delivery]) => fits(first, format, delivery !== 'whole'))
  const [callerFormat, delivery] = random.pick(ways)
  const candidates = Array.from({ length: 1 + random.below(4) }, (_, index): Scripted => {
    const spoken = index === 0 ? format : random.pick(FORMAT_IDS)
    const faults = Array.from({ length: 1 + random.below(3) }, () =>
      random.chance(15) ? GOOD : faultFor(random, delivery, spoken),
    )
    return { format: spoken, faults: index === 0 ? [first, ...faults.slice(1)] : faults }
  })
  const last = candidates[candidates.length - 1]
  if (last && candidates.length > 1 && random.chance(40))
    candidates[candidates.length - 1] = { ...last, faults: [GOOD] }
  return {
    seed,
    format: callerFormat,
    delivery,
    flavour: random.pick(LIKELY),
    usage: random.chance(50),
    candidates,
    caller: random.chance(30) ? random.pick(CALLER_FAULTS) : GOOD_CALLER,
    routing: routingOf(
      seed,
      candidates.map(({ faults }) => faults),
    ),
  }
}

/**
 * Whether something in a sequence ends by a limit of time, so that all its limits are short: on a busy machine any call
 * may then end by one.
 */
export function isTimed({ candidates }: Sequence): boolean {
  return candidates.some(({ faults }) => faults.some(({ stalls }) => stalls))
}

/** A sequence in one line. */
export function describeSequence(sequence: Sequence): string {
  const { seed, format, delivery, flavour, candidates, caller, routing } = sequence
  const served = candidates.map((one) => `${one.format}: ${one.faults.map(({ name }) => name).join(', then ')}`)
  const called = caller.name === 'none' ? '' : `; the caller ${caller.name}`
  const routed = routing ? `; ${describeRouting(routing)}` : ''
  return `seed ${seed}: ${format} (${delivery}, ${flavour}) from ${served.join(' | ')}${called}${routed}`
}
