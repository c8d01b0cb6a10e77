import type { CheckTarget, RemoteTarget } from '../../checks/check.ts'
import type { ChatUpstreamFacts } from './facts.ts'
import { FORMATS } from './meaning.ts'
import type { Vendor } from './vendor.ts'
import { type Wire, wires } from './wire/index.ts'

/** Target with in-process chat. */
export interface InProcessChatTarget extends CheckTarget {
  readonly model: string
}

/** Target whose chat has an upstream. */
export interface ChatTarget extends RemoteTarget {
  readonly upstream: ChatUpstreamFacts
  readonly model: string
  readonly vendor: Vendor
  /** Formats of the callers. */
  readonly callers: readonly Wire[]
}

/** Formats of callers. */
export const callers: readonly Wire[] = FORMATS.map((format) => wires[format])
