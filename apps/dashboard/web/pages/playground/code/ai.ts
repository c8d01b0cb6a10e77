import type { ChatTurn, PlaygroundRequest, ReasoningEffort } from '../chat/conversation.ts'
import { type SnippetTarget, STRICT } from './clients.ts'
import type { JsonObject } from './completions-body.ts'
import { literal, members } from './literal.ts'
import { inputOf } from './messages-body.ts'

/** Code for the packages `ai` and `@ai-sdk/openai-compatible`, which use chat completions. */
export function aiCode(request: PlaygroundRequest, target: SnippetTarget): string {
  return codeOf(request, target, {
    name: '@ai-sdk/openai-compatible',
    create: 'createOpenAICompatible',
    settings: { name: 'headgate', supportsStructuredOutputs: true },
    thinking: (reasoningEffort) => ({ headgate: { reasoningEffort } }),
  })
}

/** Code for the packages `ai` and `@ai-sdk/openai`, which use the responses format. */
export function aiOpenAICode(request: PlaygroundRequest, target: SnippetTarget): string {
  return codeOf(request, target, {
    name: '@ai-sdk/openai',
    create: 'createOpenAI',
    settings: {},
    // The SDK enables reasoning for unknown models only with `forceReasoning`.
    thinking: (reasoningEffort) => ({ openai: { reasoningEffort, forceReasoning: true } }),
  })
}

/** Provider package of the AI SDK. */
interface ProviderPackage {
  readonly name: string
  readonly create: string
  readonly settings: JsonObject
  /** Provider options that set the reasoning effort. */
  thinking(effort: ReasoningEffort): JsonObject
}

function codeOf(
  request: PlaygroundRequest,
  { origin, variable, isStrict }: SnippetTarget,
  { name, create, settings, thinking }: ProviderPackage,
): string {
  const { model, tools, schema, streams, turns, system, parameters } = request
  const does = streams ? 'streamText' : 'generateText'
  const names = [
    does,
    ...(tools.length > 0 || schema ? ['jsonSchema'] : []),
    ...(schema ? ['Output'] : []),
    ...(tools.length > 0 ? ['tool'] : []),
  ]
  const provider = { baseURL: `${origin}/v1`, ...settings, headers: isStrict ? STRICT : undefined }
  const { maxTokens, temperature, topP, seed, stop, effort } = parameters
  const call = {
    instructions: system || undefined,
    messages: turns.map(messageOf),
    maxOutputTokens: maxTokens,
    temperature,
    topP,
    seed,
    stopSequences: stop,
    providerOptions: effort && thinking(effort),
  }
  return `import { ${create} } from '${name}'
import { ${names.toSorted((one, other) => one.localeCompare(other)).join(', ')} } from 'ai'

const headgate = ${create}({
${members(provider)}
  apiKey: process.env.${variable},
})
const ${streams ? 'answer =' : 'answer = await'} ${does}({
  model: headgate(${JSON.stringify(model)}),
${members(call)}
${extras(request)}})
${streams ? 'for await (const text of answer.textStream) process.stdout.write(text)' : 'console.log(answer.content)'}`
}

function extras({ tools, schema, parameters: { toolChoice } }: PlaygroundRequest): string {
  const lines: string[] = []
  if (tools.length > 0) {
    lines.push('  tools: {')
    for (const { name, description, parameters } of tools) {
      const about = description === undefined ? '' : `description: ${JSON.stringify(description)}, `
      lines.push(
        `    ${JSON.stringify(name)}: tool({ ${about}inputSchema: jsonSchema(${literal(parameters, '    ')}) }),`,
      )
    }
    lines.push('  },')
    if (toolChoice !== undefined)
      lines.push(
        `  toolChoice: ${literal(toolChoice.startsWith('tool:') ? { type: 'tool', toolName: toolChoice.slice(5) } : toolChoice, '  ')},`,
      )
  }
  if (schema) lines.push(`  output: Output.object({ schema: jsonSchema(${literal(schema, '  ')}) }),`)
  return lines.map((line) => `${line}\n`).join('')
}

function messageOf(turn: ChatTurn): JsonObject {
  if (turn.role === 'results') {
    const content = turn.results.map(({ id, name, text }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: name,
      output: { type: 'text', value: text },
    }))
    return { role: 'tool', content }
  }
  if (turn.role === 'user') {
    const { text, files } = turn
    const parts = files.map(({ type, name, data }) => ({ type: 'file', mediaType: type, filename: name, data }))
    return {
      role: 'user',
      content: files.length === 0 ? text : [...parts, ...(text === '' ? [] : [{ type: 'text', text }])],
    }
  }
  const { text, calls } = turn
  const parts = calls.map(({ id, name, arguments: given }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: inputOf(given),
  }))
  return {
    role: 'assistant',
    content: calls.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text', text }]), ...parts],
  }
}
