import { limitsByName } from '@headgate/gateway'
import type { LimitsOf } from '@headgate/gateway/ports'
import type { Settings } from '../config/settings.ts'

/**
 * The limits that hold for a request: of its key, and those that the configuration has for its project and its model.
 */
export function limitsOf({ config: { limits = {} } }: Settings): LimitsOf {
  const { models, projects } = limits
  return limitsByName({ ...(models && { models }), ...(projects && { projects }) })
}
