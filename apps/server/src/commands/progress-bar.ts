import type { IndexProgress } from '@headgate/core/search'

const WIDTH = 30
/** Milliseconds between two lines if the output is not a terminal. */
const PAUSE = 5_000

export interface ProgressBar {
  show(progress: IndexProgress): void
  /** Ends the line of the bar. */
  end(): void
}

/** Progress bar: redrawn in place on a terminal, otherwise one line every few seconds. */
export function progressBar(
  write: (text: string) => void,
  isTerminal: boolean,
  now: () => number = Date.now,
): ProgressBar {
  const since = now()
  let saidAt = since
  let drawn = ''

  return {
    show({ done, total }) {
      const seconds = Math.round((now() - since) / 1_000)
      const text = `${done.toLocaleString('en')}/${total.toLocaleString('en')} documents  ${seconds} s`
      if (!isTerminal) {
        if (now() - saidAt < PAUSE) return
        saidAt = now()
        return write(`${text}\n`)
      }
      const full = Math.round((WIDTH * done) / Math.max(total, 1))
      const line = `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${text}`
      write(`\r${line.padEnd(drawn.length)}`)
      drawn = line
    },
    end() {
      if (drawn !== '') write('\n')
    },
  }
}
