import type { Settings } from '../config/settings.ts'

type Limits = NonNullable<Settings['config']['limits']>

const CONNECTIONS = 10_000

/** What one of so many servers may have of the limits that hold for the program; what is a limit of one request stays whole. */
export function shareOf(limits: Limits = {}, size: number): Limits & Required<Pick<Limits, 'connections'>> {
  const { connections = CONNECTIONS, bodies } = limits
  const part = (whole: number) => Math.max(1, Math.floor(whole / size))
  return { ...limits, connections: part(connections), ...(bodies !== undefined && { bodies: part(bodies) }) }
}
