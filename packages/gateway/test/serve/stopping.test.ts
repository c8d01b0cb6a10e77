import { describe, expect, it, vi } from 'vitest'
import { HeadgateError } from '../../../core/src/errors.ts'
import { offStop, onStop, signalOf, stopContext } from '../../src/edge/stop.ts'
import type { Context } from '../../src/serve/context.ts'

const LEFT = new HeadgateError('canceled', 'The caller has left.')
const LATE = new HeadgateError('timeout', 'The request exceeded its time limit.')

/** The part of a context that these functions use. */
function request(): Context {
  const context: Partial<Context> = { stopListeners: [], stopped: undefined, abort: undefined }
  return context as Context
}

describe('A request that is stopped', () => {
  it('aborts its one signal with the first reason, and tells its listeners of each', () => {
    const context = request()
    const [stays, leaves] = [vi.fn(), vi.fn()]
    onStop(context, stays)
    onStop(context, leaves)
    offStop(context, leaves)
    const signal = signalOf(context)
    stopContext(context, LEFT)
    stopContext(context, LATE)
    expect(signalOf(context)).toBe(signal)
    expect([signal.aborted, signal.reason, context.stopped]).toEqual([true, LEFT, LEFT])
    expect([stays.mock.calls, leaves.mock.calls]).toEqual([[[LEFT], [LATE]], []])
  })

  it('has no signal until one is needed, which is then aborted already', () => {
    const context = request()
    stopContext(context, LEFT)
    expect(context.abort).toBeUndefined()
    expect(signalOf(context).reason).toBe(LEFT)
  })
})
