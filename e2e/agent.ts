import type { FormatId } from '../packages/conformance/src/families/chat/meaning.ts'

/** A coding agent as its vendor publishes it. */
export interface Agent {
  readonly name: string
  /** The package of npm, and the one version that is tried. */
  readonly package: { readonly name: string; readonly version: string }
  /** Its command in `node_modules/.bin`. */
  readonly command: string
  /** The format that it speaks. */
  readonly format: FormatId
  /** Its tools that read and write a file. */
  readonly read: string
  readonly write: string
  /** How it is started, and pointed at the gateway. */
  launch(task: Task): Launch
}

export interface Task {
  readonly prompt: string
  /** Address of the gateway. */
  readonly url: string
  readonly apiKey: string
  readonly model: string
}

export interface Launch {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Files of its home folder, written as JSON. */
  readonly home: Readonly<Record<string, object>>
}
