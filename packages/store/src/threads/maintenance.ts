/** Recurring work on the store in short steps, so that other work can run in between. */
export interface Maintenance {
  /**
   * Runs the remaining steps, unless they are running. Resolves when they are done, or have failed and wait. Never
   * rejects.
   */
  run(): Promise<void>
  /** Stops after the current step. */
  end(): void
}

export interface MaintenanceOptions {
  /** Resolves with true if more steps remain. */
  step(): Promise<boolean>
  /** Called once when a step fails, until one succeeds. */
  onProblem(error: unknown): void
  /** Interval after the end of a run, in milliseconds; default: a single run. */
  readonly every?: number
}

/** Wait after a failure, in milliseconds. */
const RETRY = 60_000

/** Creates work that starts with `run`, or after `every`. */
export function createMaintenance({ step, onProblem, every }: MaintenanceOptions): Maintenance {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isOver = false
  let isFailing = false

  const schedule = (wait: number | undefined): void => {
    if (isOver || wait === undefined) return
    clearTimeout(timer)
    timer = setTimeout(run, wait).unref()
  }

  const work = async (): Promise<void> => {
    try {
      while (!isOver && (await step())) isFailing = false
      isFailing = false
      schedule(every)
    } catch (error) {
      if (isOver) return
      if (!isFailing) onProblem(error)
      isFailing = true
      schedule(RETRY)
    }
  }

  const run = (): Promise<void> => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }

  schedule(every)
  return {
    run,
    end() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
