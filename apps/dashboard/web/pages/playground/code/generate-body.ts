import type { Attachment, ChatRequest, Turn } from '../chat/conversation.ts'
import type { Json } from './completions-body.ts'
import { inputOf } from './messages-body.ts'

/** The request in the generateContent format; the model stands in its path. */
export function generateBody({ system, turns, tools, schema, parameters }: ChatRequest): Json {
  const config = generationConfig({ schema, parameters })
  const choice = tools.length > 0 ? parameters.toolChoice : undefined
  return {
    contents: contentsOf(turns),
    ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length > 0 && { tools: toolsOf(tools) }),
    ...(choice !== undefined && { toolConfig: choiceOf(choice) }),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  }
}

/** The same as the SDK takes it, which has one `config` of all that is not said by somebody. */
export function generateConfig({ system, tools, schema, parameters }: Omit<ChatRequest, 'turns' | 'model'>): Json {
  const choice = tools.length > 0 ? parameters.toolChoice : undefined
  return {
    ...(system !== '' && { systemInstruction: system }),
    ...(tools.length > 0 && { tools: toolsOf(tools) }),
    ...(choice !== undefined && { toolConfig: choiceOf(choice) }),
    ...generationConfig({ schema, parameters }),
  }
}

export function contentsOf(turns: ChatRequest['turns']): readonly Json[] {
  return turns.map(contentOf)
}

function toolsOf(tools: ChatRequest['tools']): readonly Json[] {
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    parametersJsonSchema: parameters,
  }))
  return [{ functionDeclarations }]
}

function generationConfig({ schema, parameters }: Pick<ChatRequest, 'schema' | 'parameters'>): Json {
  const { maxTokens, temperature, topP, seed, stop, effort } = parameters
  return {
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(stop && { stopSequences: [...stop] }),
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
    ...(effort !== undefined && {
      thinkingConfig: effort === 'none' ? { thinkingBudget: 0 } : { thinkingLevel: effort.toUpperCase() },
    }),
  }
}

function choiceOf(choice: string): Json {
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
