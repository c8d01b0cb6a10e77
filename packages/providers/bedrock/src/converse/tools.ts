import {
  callsOf,
  changed,
  checkChoice,
  customDescription,
  dropped,
  FREE_TEXT,
  type Json,
  leaveOut,
  permittedTools,
  sentName,
  type Tool,
  under,
  writeExtensions,
} from '@headgate/core/codec'
import { cachePoint, ID, type Writing } from './writing.ts'

/** Tool that represents the structured output. */
export interface OutputTool {
  readonly name: string
  readonly schema: Json
}

/** `toolConfig`, if the request has tools. */
export function writeTools(context: Writing, output: OutputTool | undefined): Json {
  const { request, losses } = context
  const { toolChoice, parallelTools, paths } = request
  checkChoice(request)
  if (parallelTools === false)
    dropped(losses, paths.parallelTools ?? 'parallel_tool_calls', 'parallel tool calls cannot be disabled')
  const isOff = toolChoice?.type === 'none'
  const called = new Set(callsOf(request).map(({ name }) => sentName(context, name)))
  // A conversation with calls must declare tools.
  const tools = isOff && called.size === 0 ? [] : permittedTools(request).flatMap((tool) => writeTool(context, tool))
  if (tools.length === 0 && !output)
    for (const name of called) tools.push({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } })
  if (isOff && called.size > 0)
    changed(losses, paths.toolChoice ?? 'tool_choice', 'calls cannot be forbidden after earlier calls')
  if (output) tools.push({ toolSpec: { name: output.name, description: OUTPUT, inputSchema: { json: output.schema } } })
  if (tools.length === 0) return {}
  const choice = output && tools.length > 1 ? { any: {} } : output ? { tool: { name: output.name } } : choiceOf(context)
  return { toolConfig: { tools, ...(choice && { toolChoice: choice }) } }
}

const OUTPUT = 'Takes the answer. Call it once, with the whole answer.'

function choiceOf(context: Writing): Json | undefined {
  const { toolChoice } = context.request
  switch (toolChoice?.type) {
    case 'auto':
      return { auto: {} }
    case 'required':
      return { any: {} }
    case 'allowed':
      return toolChoice.required ? { any: {} } : { auto: {} }
    case 'tool':
      return { tool: { name: sentName(context, toolChoice.name) } }
    default:
      return undefined
  }
}

function writeTool(context: Writing, tool: Tool): Json[] {
  const { losses, model } = context
  if (tool.type === 'hosted') {
    const name = model.hosted?.[tool.name]
    if (name === undefined) {
      leaveOut(tool, context.request, losses)
      return []
    }
    for (const option of ['location', 'contextSize', 'maxUses', 'allowedDomains', 'blockedDomains'] as const)
      if (tool[option] !== undefined) dropped(losses, under(tool, OPTIONS[option]), 'the tool has no options')
    writeExtensions(tool, ID, {}, losses)
    return [{ systemTool: { name } }]
  }
  const name = sentName(context, tool.name)
  const said = tool.type === 'custom' ? customDescription(tool, losses) : tool.description
  const description = said ? { description: said } : {}
  writeExtensions(tool, ID, {}, losses)
  if (tool.type === 'custom') return [{ toolSpec: { name, ...description, inputSchema: { json: FREE_TEXT } } }]
  const strict = tool.strict === true && model.structured
  if (tool.strict && !strict)
    dropped(losses, tool.strictAt ?? under(tool, 'strict'), 'the model does not support strict schemas')
  // The root must be an object.
  const json = tool.schema?.['type'] === 'object' ? tool.schema : { ...tool.schema, type: 'object' }
  return [
    { toolSpec: { name, ...description, inputSchema: { json }, ...(strict && { strict }) } },
    ...cachePoint(context, tool, true),
  ]
}

const OPTIONS = {
  location: 'user_location',
  contextSize: 'search_context_size',
  maxUses: 'max_uses',
  allowedDomains: 'allowed_domains',
  blockedDomains: 'blocked_domains',
} as const
