/** A file that goes with what somebody says: its bytes as base64. */
export interface Attachment {
  readonly name: string
  /** `image/png`, `application/pdf`. */
  readonly type: string
  readonly data: string
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
  /** What has to go back with it as it came: signatures. */
  readonly extra?: unknown
}

export interface UserTurn {
  readonly role: 'user'
  readonly text: string
  readonly files: readonly Attachment[]
}

export interface AssistantTurn {
  readonly role: 'assistant'
  readonly text: string
  readonly reasoning: string
  /** Signed thoughts, which go back as they came: to chat completions. */
  readonly thoughts: readonly unknown[]
  /** The same of the responses format. */
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly calls: readonly ToolCall[]
}

export interface ResultsTurn {
  readonly role: 'results'
  readonly results: readonly { readonly id: string; readonly name: string; readonly text: string }[]
}

export type Turn = UserTurn | AssistantTurn | ResultsTurn

export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  /** JSON schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high'

/** What is asked for beside the conversation; undefined = as the model has it. */
export interface Parameters {
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly seed?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly effort?: Effort | undefined
  /** `auto`, `none`, `required`, or the name of a tool after `tool:`. */
  readonly toolChoice?: string | undefined
}

/** A format in which the page asks. */
export type AskedFormat = 'chat-completions' | 'responses'

/** What all models are asked alike. */
export interface Settings {
  readonly format: AskedFormat
  readonly system: string
  readonly tools: readonly Tool[]
  /** JSON schema of the answer. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly parameters: Parameters
  readonly streams: boolean
  /** Whether a loss is refused. */
  readonly isStrict: boolean
}

/** A request, in no format. */
export interface ChatRequest extends Settings {
  readonly model: string
  readonly turns: readonly Turn[]
}

/** What a schema is called where it needs a name. */
export const SCHEMA_NAME = 'answer'

export function isImage({ type }: Attachment): boolean {
  return type.startsWith('image/')
}

export function dataUrl({ type, data }: Attachment): string {
  return `data:${type};base64,${data}`
}
