import { isObject, type Json, objects, text } from '../../chat/json.ts'
import type { FunctionTool, HostedTool, Tool, ToolChoice } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { readSchema } from './schema-read.ts'
import { OWN, sideOf, unknownFields } from './side.ts'

const DECLARATION: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])
const SEARCH: ReadonlySet<string> = new Set(['excludeDomains'])

/** Tools that several formats have, by their field here. */
export const HOSTED: Readonly<Record<string, string>> = {
  googleSearch: 'web-search',
  codeExecution: 'code-execution',
  urlContext: 'url-context',
}

/** The tools of a request, in order; every declaration and every tool that the provider runs is one of its own. */
export function readTools(list: unknown, at: string): Tool[] {
  return objects(list).flatMap((tool, index) =>
    Object.entries(tool).flatMap(([key, value]): Tool[] =>
      key === 'functionDeclarations'
        ? objects(value).map((declaration, number) => readDeclaration(declaration, `${at}[${index}].functionDeclarations[${number}]`))
        : [readHosted(key, value, `${at}[${index}]`)],
    ),
  )
}

function readDeclaration(declaration: Json, at: string): FunctionTool {
  const name = text(declaration['name'])
  if (!name) throw invalid(`${at}.name`, `${at}.name is missing. Name the function.`)
  if (declaration['parameters'] && declaration['parametersJsonSchema']) {
    throw invalid(`${at}.parametersJsonSchema`, `${at} has both parameters and parametersJsonSchema. Send one of them.`)
  }
  const tool: FunctionTool = { type: 'function', at, name }
  const description = text(declaration['description'])
  if (description !== undefined) tool.description = description
  if (isObject(declaration['parametersJsonSchema'])) tool.schema = declaration['parametersJsonSchema']
  else if (isObject(declaration['parameters'])) tool.schema = readSchema(declaration['parameters'])
  const side = sideOf(unknownFields(declaration, DECLARATION))
  if (side) tool.side = side
  return tool
}

function readHosted(key: string, value: unknown, at: string): HostedTool {
  const name = HOSTED[key]
  if (!name || !isObject(value)) return { type: 'hosted', at, name: key, side: sideOf({ [key]: value }) ?? OWN }
  const tool: HostedTool = { type: 'hosted', at, name, side: sideOf(unknownFields(value, SEARCH, `${key}.`)) ?? OWN }
  if (key === 'googleSearch' && Array.isArray(value['excludeDomains'])) tool.blockedDomains = value['excludeDomains'].map(String)
  return tool
}

const MODES: Readonly<Record<string, 'auto' | 'none' | 'required' | 'validated'>> = {
  AUTO: 'auto',
  NONE: 'none',
  ANY: 'required',
  VALIDATED: 'validated',
}

/** Which tools may or must be called. `VALIDATED` means `auto` to other formats. */
export function readToolChoice(config: Json | undefined, at: string): ToolChoice | undefined {
  const mode = readMode(text(config?.['mode']), `${at}.mode`)
  const names = Array.isArray(config?.['allowedFunctionNames']) ? config['allowedFunctionNames'].map(String) : []
  if (names.length === 0) return mode === undefined ? undefined : { type: mode === 'validated' ? 'auto' : mode }
  if (mode === 'none') return { type: 'none' }
  const [only] = names
  if (mode === 'required' && names.length === 1 && only !== undefined) return { type: 'tool', name: only }
  return { type: 'allowed', names, required: mode === 'required' }
}

function readMode(mode: string | undefined, at: string): 'auto' | 'none' | 'required' | 'validated' | undefined {
  if (mode === undefined || mode === 'MODE_UNSPECIFIED') return undefined
  const known = MODES[mode.toUpperCase()]
  if (!known) throw invalid(at, `${at} is "${mode}". It must be one of ${Object.keys(MODES).join(', ')}.`)
  return known
}
