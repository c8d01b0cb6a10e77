import type { RemoteSubject, Subject } from '../../checks/check.ts'
import type { ChatUpstreamFacts } from './facts.ts'
import { FORMATS } from './meaning.ts'
import type { Vendor } from './vendor.ts'
import { type Wire, wires } from './wire/index.ts'

/** A provider of chat in this process. */
export interface OwnChatSubject extends Subject {
  readonly model: string
}

/** A provider of chat with an upstream. */
export interface ChatSubject extends RemoteSubject {
  readonly upstream: ChatUpstreamFacts
  readonly model: string
  readonly vendor: Vendor
  /** The formats of those who ask. */
  readonly callers: readonly Wire[]
}

/** The formats that callers speak. */
export const callers: readonly Wire[] = FORMATS.map((format) => wires[format])
