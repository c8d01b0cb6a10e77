import { existsSync, writeFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { configError } from '@headgate/discovery/config'
import { HeadgateError } from '@headgate/gateway/ports'
import { findConfigFile, readConfigFile } from '../config/file.ts'
import { programFolder } from '../program.ts'
import { type Command, type CommandContext, usageError } from './command.ts'

const OUT = 'headgate.config.yaml'
/** Endings of files that can be imported. */
const READ = ['.yaml', '.yml', '.json']

type Importers = typeof import('@headgate/import-litellm')

/** Gateway whose configuration can be imported. */
interface ImportSource {
  /** Word of the command. */
  readonly word: string
  /** File, for the usage. */
  readonly file: string
  readonly title: string
  /** Description of the file, with an example of its name. */
  readonly what: string
  translatorOf(importers: Importers): Importers['translateLiteLLM']
}

export const importLiteLLM: Command = importOf({
  word: 'litellm',
  file: 'config.yaml',
  title: 'a LiteLLM configuration',
  what: "the configuration of LiteLLM's proxy, such as config.yaml",
  translatorOf: ({ translateLiteLLM }) => translateLiteLLM,
})

export const importPortkey: Command = importOf({
  word: 'portkey',
  file: 'config.json',
  title: 'a Portkey config',
  what: 'a config of Portkey, such as production.json',
  translatorOf: ({ translatePortkey }) => translatePortkey,
})

export const importBifrost: Command = importOf({
  word: 'bifrost',
  file: 'config.json',
  title: 'a Bifrost configuration',
  what: 'the configuration of Bifrost, such as config.json',
  translatorOf: ({ translateBifrost }) => translateBifrost,
})

function importOf(source: ImportSource): Command {
  const name = `import ${source.word}`
  return {
    name,
    words: `<${source.file}>`,
    summary: `converts ${source.title}, and reports settings without an equivalent`,
    options: {
      out: { type: 'string', value: 'file', help: `new .yaml or .json file to write (default ${OUT})` },
      print: {
        type: 'boolean',
        help: 'print the configuration instead of writing it; the report goes to standard error',
      },
    },
    run(context) {
      const [path, ...more] = context.words
      if (path === undefined || more.length > 0) throw usageError(`${name} takes one file: ${source.what}.`)
      return importFile(path, source, context)
    },
  }
}

async function importFile(path: string, source: ImportSource, context: CommandContext): Promise<void> {
  const isPrinted = context.values['print'] === true
  const out = isPrinted ? undefined : await freeFile(context)
  const { config, report } = await translate(resolve(context.folder, path), source, context)
  const providers = Object.keys(config.providers)
  if (providers.length === 0) {
    context.note(report)
    throw new HeadgateError('invalid-request', `No model of ${path} can be served. Nothing was written.`)
  }
  const text = await textOf(config, extname(out ?? OUT))
  if (out === undefined) {
    context.print(text)
    return context.note(report)
  }
  writeFileSync(out, text, { flag: 'wx' })
  const names = Object.keys(config.models ?? {}).length
  const found = `${names} ${names === 1 ? 'alias' : 'aliases'}, providers: ${providers.join(', ')}`
  const next = basename(out).startsWith('headgate.config.') ? '' : ` --config ${out}`
  context.print(
    `Wrote ${out}: ${found}.\n${report}\nNext: \`headgate config check${next}\`, then \`headgate${next && ` start${next}`}\`.\n`,
  )
}

async function translate(path: string, { translatorOf }: ImportSource, { folder, environment }: CommandContext) {
  const ending = extname(path)
  if (!READ.includes(ending)) {
    const message = `unknown file ending ${ending || '(none)'}; allowed: ${READ.join(', ')}`
    throw configError(path, [{ path: '', message }])
  }
  const [{ loadProviders }, importers] = await Promise.all([
    import('@headgate/discovery'),
    import('@headgate/import-litellm'),
  ])
  const value = await readConfigFile(path)
  const adapters = await loadProviders({ folder, environment, program: programFolder })
  const translation = translatorOf(importers)(value, { path, adapters, environment })
  return { config: translation.config, report: importers.reportOf(translation, path) }
}

/**
 * Path of the new configuration file. Existing files are not overwritten, and a folder gets no second configuration.
 */
async function freeFile({ values, folder }: CommandContext): Promise<string> {
  const given = values['out']
  const out = resolve(folder, typeof given === 'string' && given !== '' ? given : OUT)
  if (!['.yaml', '.json'].includes(extname(out)))
    throw usageError(`--out: found ${JSON.stringify(basename(out))}; allowed: a name that ends in .yaml or .json`)
  const other = given === undefined ? findConfigFile(folder) : undefined
  const there = other ?? (existsSync(out) ? out : undefined)
  if (there)
    throw usageError(`${there} already exists: name another file with --out, or print the configuration with --print`)
  return out
}

async function textOf(config: object, ending: string): Promise<string> {
  if (ending === '.json') return `${JSON.stringify(config, null, 2)}\n`
  const { stringify } = await import('yaml')
  return stringify(config, { lineWidth: 0, aliasDuplicateObjects: false })
}
