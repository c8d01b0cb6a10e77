import type { FormatId } from '../../packages/conformance/src/families/chat/meaning.ts'
import type { Turn } from '../../packages/conformance/src/families/chat/script.ts'
import type { Installation } from '../installation.ts'

/** A coding agent as its vendor publishes it. */
export interface Agent {
  readonly name: string
  readonly installation: Installation
  /** Its command in what is installed. */
  readonly command: string
  /** The format that it speaks. */
  readonly format: FormatId
  /** By what the model has it work: calls of its tools that read and write a file, or words that write one. */
  readonly works: Tools | Words
  /** Behind these formats models sign thoughts or calls, and it drops that: they go on without. */
  readonly dropsSignatures?: readonly FormatId[]
  /** It has its model search the web by a tool of the provider. */
  readonly searches?: boolean
  /** How it is started, and pointed at the gateway. */
  launch(task: Task): Launch
}

type Call = Omit<NonNullable<Turn['call']>, 'id'>

export interface Tools {
  read(path: string): Call
  /** `offered` are the names of the tools that the agent offers the model. */
  write(path: string, content: string, offered?: readonly string[]): Call
}

/** An agent that shows the model the files that it may see, and does what the model says in text. */
export interface Words {
  say(name: string, content: string): string
}

export interface Task {
  readonly prompt: string
  /** Names of the files in its folder that it reads, and that it writes. */
  readonly question: string
  readonly answer: string
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
