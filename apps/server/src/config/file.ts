import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createOwnership } from '@headgate/discovery/config'
import { HeadgateError } from '@headgate/gateway/ports'
import { LineCounter, parseDocument } from 'yaml'

const NAME = 'headgate.config'
const READ = ['.ts', '.mjs', '.json', '.yaml']
/** File endings that are not supported but look as if they were. */
const NOT_READ = ['.js', '.cjs', '.mts', '.cts', '.yml', '.toml', '.jsonc', '.json5']

/**
 * Configuration file in a folder; undefined without one. @throws HeadgateError if there are several files, an
 * unsupported file ending, or a file that another user may have written.
 */
export function findConfigFile(folder: string): string | undefined {
  const files = readdirSync(folder).filter((file) => file.startsWith(`${NAME}.`))
  const found = READ.map((ending) => `${NAME}${ending}`).filter((file) => files.includes(file))
  const strange = NOT_READ.map((ending) => `${NAME}${ending}`).find((file) => files.includes(file))

  if (found.length > 1)
    throw wrong(
      `Two configuration files in ${folder}: ${found.join(' and ')}. Remove one, or name one in HEADGATE_CONFIG.`,
    )
  if (strange)
    throw wrong(
      `${join(folder, strange)} is not a supported configuration file. Rename it to one of ${READ.map((ending) => NAME + ending).join(', ')}.`,
    )
  const file = found[0] && join(folder, found[0])
  const reason = file && createOwnership(folder).againstOwn(file)
  if (reason)
    throw wrong(`${reason}, in a folder that all users can write to. To use the file, name it in HEADGATE_CONFIG.`)
  return file
}

/** Content of a configuration file before validation. Errors never quote the file, which may contain secrets. */
export async function readConfigFile(path: string): Promise<unknown> {
  switch (extname(path)) {
    case '.json':
      return readJson(path)
    case '.yaml':
    case '.yml':
      return readYaml(path)
    case '.ts':
    case '.mjs':
    case '.js':
      return importConfig(path)
    default:
      throw wrong(`${path}: unknown file ending ${extname(path) || '(none)'}; allowed: ${READ.join(', ')}`)
  }
}

function readJson(path: string): unknown {
  const text = read(path)
  try {
    const value: unknown = JSON.parse(text)
    checkNames(path, text)
    return value
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    const message = error instanceof Error ? error.message : ''
    const place = /\(line \d+ column \d+\)/.exec(message)?.[0] ?? ''
    const reason = /^[^,"]*/.exec(message)?.[0] ?? ''
    throw wrong(`${path} is not valid JSON: ${reason.replace(place, '').trim()} ${place}`.trim())
  }
}

/**
 * Rejects repeated names in an object, of which `JSON.parse` silently uses the last. JSON is YAML, so the YAML parser
 * finds them.
 */
function checkNames(path: string, text: string): void {
  const lineCounter = new LineCounter()
  const { errors } = parseDocument(text, { prettyErrors: false, lineCounter })
  const twice = errors.find(({ code }) => code === 'DUPLICATE_KEY')
  if (!twice) return
  const { line, col } = lineCounter.linePos(twice.pos[0])
  throw wrong(`${path} has the same name twice in one object (line ${line} column ${col}). Remove one of them.`)
}

function readYaml(path: string): unknown {
  const lineCounter = new LineCounter()
  const document = parseDocument(read(path), { prettyErrors: false, lineCounter })
  const [error] = document.errors
  if (!error) return document.toJS()
  const { line, col } = lineCounter.linePos(error.pos[0])
  const reason = /^[^:"]*/.exec(error.message)?.[0] ?? ''
  throw wrong(`${path} is not valid YAML: ${reason.trim()} (line ${line} column ${col})`)
}

async function importConfig(path: string): Promise<unknown> {
  const module = await importModule(path)
  if (!('default' in module)) throw wrong(`${path} has no default export: write \`export default { … }\`.`)
  return module['default']
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  // Node loads a module once per URL, so a changed file gets a different URL.
  const version = createHash('sha256').update(read(path)).digest('hex').slice(0, 16)
  try {
    return await import(/* @vite-ignore */ `${pathToFileURL(path).href}?version=${version}`)
  } catch (error) {
    throw wrong(`${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw wrong(code === 'ENOENT' ? `There is no ${basename(path)} at ${path}.` : `${path} cannot be read: ${code}`)
  }
}

function wrong(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message)
}
