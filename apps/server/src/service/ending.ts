import type { Log } from './log.ts'
import type { Service } from './service.ts'

/** Ends the process and its service. */
export interface Ending {
  /** In order at the first call, at once with this code at the second. */
  end(code: number): void
  /** At once. */
  endNow(code: number): void
  hasBegun(): boolean
}

/**
 * `lostCode`: what the process ends with where all went well but that usage rows are lost. After a bug it ends with 1.
 */
export function createEnding(service: Service, log: Log, lostCode = 1): Ending {
  let stopping = false
  const endNow = (code: number) => {
    const { ledger } = service.store
    ledger.abandon()
    log.flush()
    process.exit(code === 0 && ledger.lost() > 0 ? lostCode : code)
  }
  const crash = (error: unknown) => {
    log.flush()
    log.logger.fatal(error instanceof Error ? error : new Error(String(error)), 'a bug ended the program')
    endNow(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  return {
    end: (code) => {
      if (stopping) return endNow(code)
      stopping = true
      service.stop().then(() => endNow(0), crash)
    },
    endNow,
    hasBegun: () => stopping,
  }
}
