import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMaintenance } from '../../src/threads/maintenance.ts'

function open(step: () => Promise<boolean>) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const onProblem = vi.fn<(error: unknown) => void>()
  return { onProblem, maintenance: createMaintenance({ step, onProblem, every: 3_600_000 }) }
}

describe('Work on the store in steps', () => {
  it('goes on while there is more, and begins again after a while', async () => {
    const step = vi.fn(async () => step.mock.calls.length % 3 !== 0)
    const { maintenance } = open(step)
    await vi.advanceTimersByTimeAsync(3_599_999)
    expect(step).toHaveBeenCalledTimes(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(step).toHaveBeenCalledTimes(3)
    await maintenance.run()
    expect(step).toHaveBeenCalledTimes(6)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(step).toHaveBeenCalledTimes(9)
  })

  it('that failed is tried again in a minute, and said once', async () => {
    const step = vi.fn(async () => {
      if (step.mock.calls.length < 3) throw new Error('away')
      return false
    })
    const { maintenance, onProblem } = open(step)
    await maintenance.run()
    await vi.advanceTimersByTimeAsync(60_000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(step).toHaveBeenCalledTimes(3)
    expect(onProblem).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(3_599_000)
    expect(step).toHaveBeenCalledTimes(3)
  })

  it('ends behind the step that is underway', async () => {
    const underway = Promise.withResolvers<boolean>()
    const step = vi.fn(() => underway.promise)
    const { maintenance } = open(step)
    const done = maintenance.run()
    maintenance.end()
    underway.resolve(true)
    await done
    await vi.advanceTimersByTimeAsync(7_200_000)
    expect(step).toHaveBeenCalledOnce()
  })
})
