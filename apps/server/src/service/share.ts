import type { Settings } from '../config/settings.ts'

type Limits = NonNullable<Settings['config']['limits']>

const CONNECTIONS = 10_000

/** Limits of one of `size` servers: its part of the program's limits, and the limits of one request unchanged. */
export function shareOf(limits: Limits = {}, size: number): Limits & Required<Pick<Limits, 'connections'>> {
  const { connections = CONNECTIONS, memory, keyMemory, waiting } = limits
  const part = (whole: number) => Math.max(1, Math.floor(whole / size))
  return {
    ...limits,
    connections: part(connections),
    ...(memory !== undefined && { memory: part(memory) }),
    ...(keyMemory !== undefined && { keyMemory: part(keyMemory) }),
    ...(waiting !== undefined && { waiting: part(waiting) }),
  }
}
