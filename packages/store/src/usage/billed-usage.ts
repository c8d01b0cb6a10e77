import type { Usage } from '@headgate/gateway/ports'
import type { StoredUsage } from './stored.ts'

/** Counts of a stored row that prices apply to. */
type PricedCounts = Pick<
  StoredUsage,
  | 'input'
  | 'output'
  | 'cacheRead'
  | 'cacheWrite'
  | 'cacheWriteLong'
  | 'audioInput'
  | 'audioOutput'
  | 'imageInput'
  | 'imageOutput'
  | 'units'
  | 'variant'
>

/** Usage of a stored row, for its price. Unknown counts are absent. Undefined if the totals are unknown. */
export function billedUsage({ input, output, ...rest }: PricedCounts): Usage | undefined {
  if (input === null || output === null) return undefined
  const { cacheRead, cacheWrite, cacheWriteLong, audioInput, audioOutput, imageInput, imageOutput, units, variant } =
    rest
  return {
    input,
    output,
    ...(cacheRead !== null && { cacheRead }),
    ...(cacheWrite !== null && { cacheWrite }),
    ...(cacheWriteLong !== null && { cacheWriteLong }),
    ...(audioInput !== null && { audioInput }),
    ...(audioOutput !== null && { audioOutput }),
    ...(imageInput !== null && { imageInput }),
    ...(imageOutput !== null && { imageOutput }),
    ...(units !== null && { units }),
    ...(variant !== null && { variant }),
  }
}
