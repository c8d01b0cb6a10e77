import type { Body } from '../../edge/body.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import type { Prospect } from '../../pipeline/dry-run.ts'
import type { Fetcher } from '../../pipeline/media.ts'
import { boundOfVideo } from './bound.ts'
import type { VideoPlan } from './plan.ts'

/** Fetches nothing, and notes the paths of what would be. */
export function notingFetcher(paths: string[]): Fetcher {
  return async (linked) => {
    paths.push(...linked.map(({ path }) => path))
    return new Map()
  }
}

/** What a dry run knows beside the plan of a candidate. */
export interface ProspectGiven {
  readonly context: Context
  readonly body: Body
  /** What the plan's {@link notingFetcher} notes. */
  readonly noted: string[]
  /** Refuses what a caller does not want to be lost. */
  check(plan: VideoPlan): void
}

/**
 * What would go to a candidate, and cost at most. What its adapter loses is known where nothing has to be fetched for
 * it.
 */
export async function prospectOf(
  core: Core,
  plan: VideoPlan,
  { context, body, noted, check }: ProspectGiven,
): Promise<Prospect> {
  const { candidate, losses, create } = plan
  const { instance, model, facts } = candidate
  await plan.input('')
  const fetches = noted.splice(0)
  check(plan)
  return {
    way: 'run' in create ? 'in-process' : 'translated',
    losses,
    fetches,
    price: core.priceOf(candidate, context.startedAt),
    bound: boundOfVideo({ body, provider: instance.provider, model, facts }),
  }
}
