/** File of a message, as base64. */
export interface Attachment {
  readonly name: string
  /** `image/png`, `application/pdf`. */
  readonly type: string
  readonly data: string
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON string from the model. */
  readonly arguments: string
  /** Signatures, which are sent back unchanged. */
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
  /** Signed reasoning blocks of chat completions, which are sent back unchanged. */
  readonly thoughts: readonly unknown[]
  /** Reasoning items of the responses format, which are sent back unchanged. */
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly calls: readonly ToolCall[]
  /** Facts about the request; absent while the response is received. */
  readonly facts?: AnswerFacts | undefined
}

/** Facts about the request of a response. */
export interface AnswerFacts {
  readonly requestId: string
  readonly provider: string
  /** Milliseconds until the first event and until the end of the response. */
  readonly firstMs: number | undefined
  readonly allMs: number
  readonly isEstimated: boolean
  /** Token counts, if the response has them. */
  readonly usage: { readonly input: number; readonly output: number } | undefined
}

export interface ResultsTurn {
  readonly role: 'results'
  readonly results: readonly { readonly id: string; readonly name: string; readonly text: string }[]
}

export type ChatTurn = UserTurn | AssistantTurn | ResultsTurn

export interface ToolDefinition {
  readonly name: string
  readonly description?: string | undefined
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high'

/** Parameters of a request; undefined = the model's default. */
export interface ChatParameters {
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly seed?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly effort?: ReasoningEffort | undefined
  /** `auto`, `none`, `required`, or the name of a tool after `tool:`. */
  readonly toolChoice?: string | undefined
}

/** Format in which the page sends requests. */
export type SentFormat = 'chat-completions' | 'responses' | 'messages' | 'generate-content'

/** Settings that apply to all models. */
export interface ChatSettings {
  readonly format: SentFormat
  readonly system: string
  readonly tools: readonly ToolDefinition[]
  /** JSON schema of the response. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly parameters: ChatParameters
  readonly streams: boolean
  /** True if a request that loses something in translation is refused. */
  readonly isStrict: boolean
}

/** Chat request, independent of the format. */
export interface PlaygroundRequest extends ChatSettings {
  readonly model: string
  readonly turns: readonly ChatTurn[]
}

/** Name of a schema in formats that require one. */
export const SCHEMA_NAME = 'answer'

export function isImage({ type }: Attachment): boolean {
  return type.startsWith('image/')
}

export function dataUrl({ type, data }: Attachment): string {
  return `data:${type};base64,${data}`
}

/** Turns of a request that can be sent: they end with the user's message or with tool results. */
export function sentTurns(turns: readonly ChatTurn[]): readonly ChatTurn[] {
  return turns.slice(0, turns.findLastIndex(({ role }) => role !== 'assistant') + 1)
}
