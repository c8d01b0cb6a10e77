/**
 * Work on the store that is done in short steps, so that others go between: while there is more, and then again after a
 * while.
 */
export interface Maintenance {
  /**
   * Does what there is now, unless it is being done. Resolves when it is done, or has failed and waits. Never rejects.
   */
  run(): Promise<void>
  /** After the step that is underway no other one begins. */
  end(): void
}

export interface MaintenanceOptions {
  /** Resolves with whether there is more. */
  step(): Promise<boolean>
  /** Told once when a step fails, until one succeeds. */
  onProblem(error: unknown): void
  /** How long after its end it is done again, in milliseconds; default: it is done once. */
  readonly every?: number
}

/** How long after a failure it is tried again, in milliseconds. */
const RETRY = 60_000

/** Work that begins when it is run, or after `every`. */
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
