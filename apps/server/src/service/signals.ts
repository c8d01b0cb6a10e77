import { closeSync, openSync } from 'node:fs'

/** What the signals of a process mean to the program. */
export interface SignalHandlers {
  /**
   * SIGTERM, SIGINT, and SIGHUP from a terminal that is gone; `code` is the exit code of a process that ends at once.
   */
  onEnd(signal: string, code: number): void
  /** SIGHUP otherwise. */
  onReload(): void
}

export function handleSignals({ onEnd, onReload }: SignalHandlers): void {
  const hasTerminal = process.stdin.isTTY
  process.on('SIGTERM', () => onEnd('SIGTERM', 128 + 15))
  process.on('SIGINT', () => onEnd('SIGINT', 128 + 2))
  process.on('SIGHUP', () => (hasTerminal && !terminalIsThere() ? onEnd('SIGHUP', 128 + 1) : onReload()))
}

/** The system sends SIGHUP by itself when a terminal is closed. */
function terminalIsThere(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
