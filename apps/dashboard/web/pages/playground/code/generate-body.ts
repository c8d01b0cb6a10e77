import type { Attachment, ChatTurn, PlaygroundRequest } from '../chat/conversation.ts'
import type { JsonObject } from './completions-body.ts'
import { inputOf } from './messages-body.ts'

/** Body of a request in the generateContent format, whose path has the model. */
export function generateBody({ system, turns, tools, schema, parameters }: PlaygroundRequest): JsonObject {
  const config = generationConfig({ schema, parameters })
  return {
    contents: contentsOf(turns),
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    tools: toolsOf(tools),
    toolConfig: choiceOf(tools, parameters.toolChoice),
    generationConfig: isEmpty(config) ? undefined : config,
  }
}

/** `config` of the SDK, which has everything except the model and the contents; undefined = empty. */
export function generateConfig(request: Omit<PlaygroundRequest, 'turns' | 'model'>): JsonObject | undefined {
  const { system, tools, schema, parameters } = request
  const config = {
    systemInstruction: system || undefined,
    tools: toolsOf(tools),
    toolConfig: choiceOf(tools, parameters.toolChoice),
    ...generationConfig({ schema, parameters }),
  }
  return isEmpty(config) ? undefined : config
}

function isEmpty(config: JsonObject): boolean {
  return Object.values(config).every((value) => value === undefined)
}

export function contentsOf(turns: PlaygroundRequest['turns']): readonly JsonObject[] {
  return turns.map(contentOf)
}

function toolsOf(tools: PlaygroundRequest['tools']): readonly JsonObject[] | undefined {
  if (tools.length === 0) return undefined
  const functionDeclarations = tools.map(({ name, description, parameters: parametersJsonSchema }) => ({
    name,
    description,
    parametersJsonSchema,
  }))
  return [{ functionDeclarations }]
}

function generationConfig({ schema, parameters }: Pick<PlaygroundRequest, 'schema' | 'parameters'>): JsonObject {
  const { maxTokens, temperature, topP, seed, stop, effort } = parameters
  const level = effort && (effort === 'none' ? { thinkingBudget: 0 } : { thinkingLevel: effort.toUpperCase() })
  return {
    maxOutputTokens: maxTokens,
    temperature,
    topP,
    seed,
    stopSequences: stop,
    responseMimeType: schema && 'application/json',
    responseJsonSchema: schema,
    thinkingConfig: level,
  }
}

function choiceOf(tools: PlaygroundRequest['tools'], choice: string | undefined): JsonObject | undefined {
  if (tools.length === 0 || choice === undefined) return undefined
  const named = choice.startsWith('tool:') ? { mode: 'ANY', allowedFunctionNames: [choice.slice(5)] } : undefined
  return { functionCallingConfig: named ?? { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() } }
}

function contentOf(turn: ChatTurn): JsonObject {
  if (turn.role === 'results')
    return {
      role: 'user',
      parts: turn.results.map(({ id, name, text }) => ({ functionResponse: { id, name, response: { output: text } } })),
    }
  if (turn.role === 'user')
    return { role: 'user', parts: [...turn.files.map(partOf), ...(turn.text === '' ? [] : [{ text: turn.text }])] }
  const calls = turn.calls.map(({ id, name, arguments: given, extra }) => ({
    functionCall: { id, name, args: inputOf(given) },
    thoughtSignature: signatureOf(extra),
  }))
  return { role: 'model', parts: [...(turn.text === '' ? [] : [{ text: turn.text }]), ...calls] }
}

function partOf({ type, data }: Attachment): JsonObject {
  return { inlineData: { mimeType: type, data } }
}

/** Signature of a call from a response in this format, which is sent back unchanged. */
function signatureOf(extra: unknown): string | undefined {
  const signature = typeof extra === 'object' && extra !== null && 'thoughtSignature' in extra && extra.thoughtSignature
  return typeof signature === 'string' ? signature : undefined
}
