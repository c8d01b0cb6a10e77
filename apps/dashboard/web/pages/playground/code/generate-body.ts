import type { Attachment, ChatRequest, Turn } from '../chat/conversation.ts'
import type { Json } from './completions-body.ts'
import { inputOf } from './messages-body.ts'

/** The request in the generateContent format; the model stands in its path. */
export function generateBody({ system, turns, tools, schema, parameters }: ChatRequest): Json {
  const config = generationConfig({ schema, parameters })
  return {
    contents: contentsOf(turns),
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    tools: toolsOf(tools),
    toolConfig: choiceOf(tools, parameters.toolChoice),
    generationConfig: isEmpty(config) ? undefined : config,
  }
}

/** The same as the SDK takes it, which has one `config` of all that is not said by somebody; undefined = none. */
export function generateConfig(request: Omit<ChatRequest, 'turns' | 'model'>): Json | undefined {
  const { system, tools, schema, parameters } = request
  const config = {
    systemInstruction: system || undefined,
    tools: toolsOf(tools),
    toolConfig: choiceOf(tools, parameters.toolChoice),
    ...generationConfig({ schema, parameters }),
  }
  return isEmpty(config) ? undefined : config
}

function isEmpty(config: Json): boolean {
  return Object.values(config).every((value) => value === undefined)
}

export function contentsOf(turns: ChatRequest['turns']): readonly Json[] {
  return turns.map(contentOf)
}

function toolsOf(tools: ChatRequest['tools']): readonly Json[] | undefined {
  if (tools.length === 0) return undefined
  const functionDeclarations = tools.map(({ name, description, parameters: parametersJsonSchema }) => ({
    name,
    description,
    parametersJsonSchema,
  }))
  return [{ functionDeclarations }]
}

function generationConfig({ schema, parameters }: Pick<ChatRequest, 'schema' | 'parameters'>): Json {
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

function choiceOf(tools: ChatRequest['tools'], choice: string | undefined): Json | undefined {
  if (tools.length === 0 || choice === undefined) return undefined
  const named = choice.startsWith('tool:') ? { mode: 'ANY', allowedFunctionNames: [choice.slice(5)] } : undefined
  return { functionCallingConfig: named ?? { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() } }
}

function contentOf(turn: Turn): Json {
  if (turn.role === 'results')
    return {
      role: 'user',
      parts: turn.results.map(({ id, name, text }) => ({ functionResponse: { id, name, response: { output: text } } })),
    }
  if (turn.role === 'user')
    return { role: 'user', parts: [...turn.files.map(partOf), ...(turn.text === '' ? [] : [{ text: turn.text }])] }
  const calls = turn.calls.map(({ id, name, arguments: given }) => ({
    functionCall: { id, name, args: inputOf(given) },
  }))
  return { role: 'model', parts: [...(turn.text === '' ? [] : [{ text: turn.text }]), ...calls] }
}

function partOf({ type, data }: Attachment): Json {
  return { inlineData: { mimeType: type, data } }
}
