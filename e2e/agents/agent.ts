import type { KitFormat } from '../../packages/conformance/src/families/chat/meaning.ts'
import type { ScriptedTurn } from '../../packages/conformance/src/families/chat/script.ts'
import type { Installation } from '../installation.ts'

/** Coding agent as published by its vendor. */
export interface Agent {
  readonly name: string
  readonly installation: Installation
  /** Command in its installation. */
  readonly command: string
  /** Format of its requests. */
  readonly format: KitFormat
  /** Means by which the model works: tools that read and write a file, or text that the agent writes to a file. */
  readonly works: Tools | Words
  /** Formats in which models sign reasoning or calls and the agent drops the signatures. */
  readonly dropsSignatures?: readonly KitFormat[]
  /** The agent lets its model search the web with a built-in tool. */
  readonly searches?: boolean
  /** Command and environment that start it with the gateway. */
  launch(task: Task): Launch
}

type Call = Omit<NonNullable<ScriptedTurn['call']>, 'id'>

export interface Tools {
  read(path: string): Call
  /** Writes a file. `offered` are the names of the tools in the agent's request. */
  write(path: string, content: string, offered?: readonly string[]): Call
}

/** Agent without tools: it shows files to the model, and applies changes in the model's text. */
export interface Words {
  say(name: string, content: string): string
}

export interface Task {
  readonly prompt: string
  /** Names of the files in its folder to read and to write. */
  readonly question: string
  readonly answer: string
  /** URL of the gateway. */
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
