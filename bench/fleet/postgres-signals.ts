import type { PostgresServer } from '../../tools/postgres.ts'
import { childrenOf } from '../process.ts'

/** Suspends all processes of a server, or lets them continue: as a machine that stops responding. */
export function signalPostgres({ pid }: PostgresServer, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const postmaster = pid()
  // New connections begin in the first process, so that it stops first and continues last.
  const all = [postmaster, ...childrenOf(postmaster)]
  for (const one of signal === 'SIGSTOP' ? all : all.toReversed()) {
    try {
      process.kill(one, signal)
    } catch {
      // It has ended.
    }
  }
}
