import { problemOf, UserError } from '../../../api/problem.ts'
import { LOCALES } from '../../../formats/locale.ts'
import { decimalText } from '../../../formats/typed-numbers.ts'
import { isRecord, textOf } from '../wire/call.ts'
import type {
  Attachment,
  ChatParameters,
  ChatSettings,
  ReasoningEffort,
  SentFormat,
  ToolDefinition,
} from './conversation.ts'

/** Values of the fields as typed. */
export interface ChatDraft {
  readonly format: SentFormat
  readonly system: string
  readonly prompt: string
  readonly files: readonly Attachment[]
  readonly tools: string
  readonly schema: string
  readonly maxTokens: string
  readonly temperature: string
  readonly topP: string
  readonly seed: string
  readonly stop: string
  readonly effort: string
  readonly toolChoice: string
  readonly streams: boolean
  readonly isStrict: boolean
}

export const NO_DRAFT: ChatDraft = {
  format: 'chat-completions',
  system: '',
  prompt: '',
  files: [],
  tools: '',
  schema: '',
  maxTokens: '',
  temperature: '',
  topP: '',
  seed: '',
  stop: '',
  effort: '',
  toolChoice: '',
  streams: true,
  isStrict: false,
}

export type ChatDraftErrors = Partial<Readonly<Record<keyof ChatDraft, string>>>

const EFFORTS: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high']

/** Settings of a draft, and errors of its fields. */
export function readDraft(draft: ChatDraft): { readonly settings: ChatSettings; readonly wrong: ChatDraftErrors } {
  const wrong: { -readonly [Field in keyof ChatDraft]?: string } = {}
  const attempt = <Value>(field: keyof ChatDraft, read: () => Value): Value | undefined => {
    try {
      return read()
    } catch (error) {
      wrong[field] = problemOf(error).details.detail
      return undefined
    }
  }
  const tools = attempt('tools', () => toolsOf(draft.tools)) ?? []
  const schema = attempt('schema', () => schemaOf(draft.schema))
  const choice = draft.toolChoice
  const stop = draft.stop.split('\n').filter((text) => text !== '')
  const parameters: ChatParameters = {
    maxTokens: attempt('maxTokens', () => numberOf(draft.maxTokens, 1, 10_000_000, true)),
    temperature: attempt('temperature', () => numberOf(draft.temperature, 0, 2)),
    topP: attempt('topP', () => numberOf(draft.topP, 0, 1)),
    seed: attempt('seed', () => numberOf(draft.seed, 0, Number.MAX_SAFE_INTEGER, true)),
    stop: stop.length > 0 ? stop : undefined,
    effort: EFFORTS.find((one) => one === draft.effort),
    toolChoice:
      choice === '' || (choice.startsWith('tool:') && !tools.some(({ name }) => choice === `tool:${name}`))
        ? undefined
        : choice,
  }
  const { format, system, streams, isStrict } = draft
  return { settings: { format, system, tools, schema, parameters, streams, isStrict }, wrong }
}

/** Parses tools of chat completions, or objects like `{ name, description, parameters }`. @throws Error */
export function toolsOf(text: string): readonly ToolDefinition[] {
  if (text.trim() === '') return []
  const parsed = jsonOf(text)
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const tools = list.map((one, index): ToolDefinition => {
    const tool = isRecord(one) && isRecord(one['function']) ? one['function'] : one
    const name = isRecord(tool) ? textOf(tool['name']) : ''
    if (!isRecord(tool) || name === '') throw new UserError(`Tool ${index + 1} has no name.`)
    const description = textOf(tool['description'])
    const parameters = tool['parameters'] ?? tool['input_schema'] ?? { type: 'object', properties: {} }
    if (!isRecord(parameters)) throw new UserError(`The parameters of ${name} must be a JSON schema object.`)
    return { name, description: description || undefined, parameters }
  })
  const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) !== index)
  if (twice) throw new UserError(`Two tools have the name ${twice.name}.`)
  return tools
}

function schemaOf(text: string): ChatSettings['schema'] {
  if (text.trim() === '') return undefined
  const schema = jsonOf(text)
  if (!isRecord(schema)) throw new UserError('The schema must be a JSON object.')
  return schema
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const [, at] = /position (\d+)/.exec(String(error)) ?? []
    const line = at === undefined ? undefined : text.slice(0, Number(at)).split('\n').length
    throw new UserError(line === undefined ? 'Not valid JSON.' : `Not valid JSON: see line ${line}.`, { cause: error })
  }
}

/** Parses a number; undefined = empty. @throws Error */
function numberOf(text: string, least: number, most: number, isWhole = false): number | undefined {
  if (text.trim() === '') return undefined
  const value = Number(decimalText(text, LOCALES) ?? Number.NaN)
  if (Number.isFinite(value) && value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value
  throw new UserError(`Enter a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}.`)
}
