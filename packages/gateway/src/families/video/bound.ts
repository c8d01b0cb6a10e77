import type { VideoCapabilities } from '@headgate/core/contract'
import { forModel } from '@headgate/core/contract'
import type { CostInput, UsageBound } from '../../cost/bound.ts'
import { readVideoInput } from './input.ts'

/** Maximum duration in seconds: the next longer supported duration, else the longest. Infinity = unknown. */
function secondsOf(asked: number | undefined, { durations }: VideoCapabilities): number {
  if (!durations) return asked !== undefined && asked >= 0 ? asked : Number.POSITIVE_INFINITY
  const [longest, fitting] =
    'min' in durations
      ? [durations.max, Math.max(durations.min, asked ?? -1)]
      : [Math.max(...durations), Math.min(...durations.filter((one) => one >= (asked ?? -1)))]
  return asked === undefined || asked < 0 ? longest : Math.min(fitting, longest)
}

/**
 * Worst-case cost: one video of the requested or the longest duration. Tokens, credits and videos from other videos have
 * no limit.
 * @throws HeadgateError if the body is invalid.
 */
export function boundOfVideo({ body, provider, model = '' }: CostInput): UsageBound | undefined {
  const video = provider?.video
  if (!body || !video) return undefined
  const { duration, videos } = readVideoInput(body.json)
  const can = (video.capabilities && forModel(video.capabilities, model)) ?? {}
  const seconds = videos.length > 0 ? Number.POSITIVE_INFINITY : secondsOf(duration, can)
  const unknown = Number.POSITIVE_INFINITY
  return { input: unknown, output: unknown, units: { videos: 1, seconds: Math.ceil(seconds) }, isOpen: true }
}
