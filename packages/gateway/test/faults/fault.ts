import type { FormatId, Scene } from './scene.ts'
import type { Step } from './step.ts'

/**
 * What has to come of one attempt, where that is certain: `served` whole, `cut` after it had begun, or `failed` before;
 * of a failure `final` says that it is the request's. Absent = either.
 */
export type Fate = 'served' | 'cut' | 'failed' | 'final'

/** Something that an upstream does to a call. */
export interface Fault {
  readonly name: string
  /** Absent = for whole answers and for streams. */
  readonly only?: 'whole' | 'stream'
  /** Absent = in every format. */
  readonly formats?: readonly FormatId[]
  readonly fate?: Fate | ((scene: Scene) => Fate | undefined)
  /** What the answer says may differ from what a good one says. */
  readonly alters?: true
  /** It ends by a limit of time. */
  readonly stalls?: true
  /** It sends frames that nobody could read, whole: where bytes pass, they pass. */
  readonly junk?: true
  /** The connection ends before a byte of the answer, so that a call over a used one may be sent anew. */
  readonly mute?: true
  /** Nobody listens. */
  readonly refused?: true
  readonly steps: (scene: Scene) => readonly Step[]
}

/** Whether a fault can befall an answer in this format, whole or streamed. */
export function fits({ only, formats }: Fault, format: FormatId, stream: boolean): boolean {
  return (only === undefined || (only === 'stream') === stream) && (formats?.includes(format) ?? true)
}
