import type { Fault } from '../fault.ts'
import { connectionFaults } from './connection.ts'
import { framingFaults } from './framing.ts'
import { httpFaults } from './http.ts'
import { statusFaults } from './status.ts'
import { streamFaults } from './stream.ts'
import { usageFaults } from './usage.ts'
import { wholeFaults } from './whole.ts'

/** Everything that an upstream may do wrong. */
export const FAULTS: readonly Fault[] = [
  ...connectionFaults,
  ...statusFaults,
  ...wholeFaults,
  ...usageFaults,
  ...streamFaults,
  ...framingFaults,
  ...httpFaults,
]
