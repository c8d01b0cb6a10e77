const WIDTH = 30

export interface StateBar {
  /** `progress` from 0 to 1; undefined = unknown. */
  show(state: string, progress: number | undefined): void
  /** Ends the line of the bar. */
  end(): void
}

/** Progress of a task: a bar redrawn in place on a terminal, otherwise one line per state. */
export function stateBar(write: (text: string) => void, isTerminal: boolean, now: () => number = Date.now): StateBar {
  const since = now()
  let said = ''
  let drawn = ''
  return {
    show(state, progress) {
      if (!isTerminal) {
        if (state !== said) write(`${state}\n`)
        said = state
        return
      }
      const full = Math.round(WIDTH * Math.min(1, Math.max(0, progress ?? 0)))
      const line = `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${state}  ${Math.round((now() - since) / 1_000)} s`
      write(`\r${line.padEnd(drawn.length)}`)
      drawn = line
    },
    end() {
      if (drawn !== '') write('\n')
      drawn = ''
    },
  }
}
