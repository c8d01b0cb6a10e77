import { bothGiven, unknownWord, wrong } from '../../canonical/fields.ts'
import { compact, isObject, type Json, object, objects, text } from '../../canonical/json.ts'
import type { FunctionTool, HostedTool, Tool, ToolChoice } from '../../canonical/request.ts'
import { extensionsOf, ownExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { hostedName } from './hosted.ts'
import { readSchema } from './schema-read.ts'
import { ID } from './wire.ts'

const DECLARATION: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])
const SEARCH: ReadonlySet<string> = new Set(['excludeDomains'])

/** Tools of a request, in order. Every declaration and every hosted tool is a separate tool. */
export function readTools(body: Json): Tool[] | undefined {
  const tools = objects(body['tools']).flatMap((tool, index) => readEntry(tool, `tools[${index}]`))
  return tools.length > 0 ? tools : undefined
}

function readEntry(entry: Json, at: string): Tool[] {
  return Object.entries(entry).flatMap(([key, value]): Tool[] => {
    if (key !== 'functionDeclarations') return [readHosted(key, value, at)]
    return objects(value).map((declaration, index) => readDeclaration(declaration, `${at}.${key}[${index}]`))
  })
}

function readDeclaration(declaration: Json, at: string): FunctionTool {
  const name = text(declaration['name'])
  if (!name?.trim()) throw wrong(`${at}.name`, 'the name of the function', undefined)
  const { parameters, parametersJsonSchema } = declaration
  if (parameters && parametersJsonSchema) throw bothGiven(at, 'parameters', 'parametersJsonSchema')
  return compact<FunctionTool>({
    type: 'function',
    at,
    name,
    description: text(declaration['description']),
    schema: object(parametersJsonSchema) ?? (isObject(parameters) ? readSchema(parameters) : undefined),
    extensions: extensionsOf(ID, unknownFields(declaration, DECLARATION)),
  })
}

function readHosted(key: string, value: unknown, at: string): HostedTool {
  const name = hostedName(key)
  if (!name || !isObject(value))
    return { type: 'hosted', at, name: key, extensions: ownExtensions(ID, { [key]: value }) }
  const tool: HostedTool = {
    type: 'hosted',
    at,
    name,
    extensions: ownExtensions(ID, unknownFields(value, SEARCH, undefined, `${key}.`)),
  }
  if (key === 'googleSearch' && Array.isArray(value['excludeDomains']))
    tool.blockedDomains = value['excludeDomains'].map(String)
  return tool
}

/** Mode in which the model can choose but must follow the schemas of functions. */
const VALIDATED = 'VALIDATED'

/** Tool choices by mode. `VALIDATED` is `auto` with strict functions, see `validated`. */
const MODES: ReadonlyMap<string, 'auto' | 'none' | 'required'> = new Map([
  ['AUTO', 'auto'],
  ['NONE', 'none'],
  ['ANY', 'required'],
  [VALIDATED, 'auto'],
] as const)

/** Reads the tool choice. */
export function readToolChoice(config: Json | undefined, at: string): ToolChoice | undefined {
  const type = readMode(text(config?.['mode']), `${at}.mode`)
  const names = Array.isArray(config?.['allowedFunctionNames']) ? config['allowedFunctionNames'].map(String) : []
  if (names.length === 0 || type === 'none') return type && { type }
  const [only] = names
  if (type === 'required' && names.length === 1 && only !== undefined) return { type: 'tool', name: only }
  return { type: 'allowed', names, required: type === 'required' }
}

/**
 * Tools with strict functions, if the `mode` requires it.
 * @param at path of the mode.
 */
export function validated(tools: readonly Tool[], mode: unknown, at: string): Tool[] {
  if (text(mode)?.toUpperCase() !== VALIDATED) return [...tools]
  return tools.map((tool) => (tool.type === 'function' ? { ...tool, strict: true, strictAt: at } : tool))
}

function readMode(mode: string | undefined, at: string): 'auto' | 'none' | 'required' | undefined {
  if (mode === undefined || mode === 'MODE_UNSPECIFIED') return undefined
  const known = MODES.get(mode.toUpperCase())
  if (!known) throw unknownWord(at, mode, [...MODES.keys()])
  return known
}
