import type { AttemptRow, UsageRow } from '@headgate/gateway/ports'

/** Facts of a call to a provider, from which each dialect makes its attributes. Absent = unknown. */
export interface ModelCallFacts {
  readonly family: string
  /** Operation, as the conventions name it. */
  readonly operation: string
  readonly provider: string
  readonly host: string | undefined
  readonly port: number | undefined
  readonly model: string
  readonly isStream: boolean
  /** Type of the output, if it is known by the family. */
  readonly output: 'image' | 'speech' | 'video' | undefined
  /** Usage, of the call that was served. */
  readonly usage: UsageRow['usage']
  readonly finish: string | undefined
  /** Seconds from the start of the call to the first byte of its response. */
  readonly firstChunk: number | undefined
  /** Status, code or kind of the failure; absent if the call succeeded. */
  readonly error: string | undefined
  /** Cost in nano-dollars; undefined = unknown. */
  readonly cost: number | undefined
  /** Id of the caller's conversation. */
  readonly session: string | undefined
  readonly user: string | undefined
}

/** Names of providers in the conventions, and where they are. */
export interface TracedProvider {
  /** Name in the conventions, such as `aws.bedrock`. Default: the adapter's id. */
  readonly name?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
}

/** Operations by family. */
const OPERATIONS: Readonly<Record<string, string>> = {
  chat: 'chat',
  embeddings: 'embeddings',
  search: 'retrieval',
  rerank: 'rerank',
  images: 'generate_content',
  speech: 'generate_content',
  video: 'generate_content',
  transcription: 'transcription',
  moderations: 'moderation',
}

/** Operations of chat by the format of the caller. */
const CHAT_OPERATIONS: Readonly<Record<string, string>> = {
  'generate-content': 'generate_content',
  completions: 'text_completion',
}

const OUTPUTS: Readonly<Record<string, ModelCallFacts['output']>> = {
  images: 'image',
  speech: 'speech',
  video: 'video',
}

/** Operation of a family, as the conventions name it. */
export function operationOf(family: string, format: string): string {
  return (family === 'chat' ? CHAT_OPERATIONS[format] : undefined) ?? OPERATIONS[family] ?? family
}

/** Facts of an attempt. Only the last attempt of a request that was served has usage. */
export function modelCallFactsOf(
  row: UsageRow,
  attempt: AttemptRow,
  { name, host, port }: TracedProvider,
  isServed: boolean,
): ModelCallFacts {
  const { family, format, session, endUser, firstByteMs, startedAt } = row
  const started = firstByteMs === undefined ? undefined : (startedAt + firstByteMs - attempt.startedAt) / 1_000
  return {
    family,
    operation: operationOf(family, format),
    provider: name ?? attempt.provider,
    host,
    port,
    model: attempt.model,
    isStream: row.stream,
    output: OUTPUTS[family],
    usage: isServed ? row.usage : undefined,
    finish: isServed ? row.finish : undefined,
    firstChunk: isServed && row.stream && started !== undefined && started >= 0 ? started : undefined,
    error: errorOf(attempt),
    cost: attempt.cost ?? undefined,
    session,
    user: endUser,
  }
}

/** Status of a rejected call, otherwise its code, otherwise the kind of its failure. */
export function errorOf({ failure, status, code }: AttemptRow): string | undefined {
  if (failure === undefined) return undefined
  return status !== undefined && status >= 400 ? String(status) : (code ?? failure)
}
