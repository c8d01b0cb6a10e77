import type { Problem, Rule } from '../problem.ts'
import { GENERIC_ADAPTERS, isAdapter, type Package } from '../repository.ts'
import type { SourceFile } from '../source.ts'

const PRESET = '@headgate/core/openai-compatible'
const VIDEO_LIMIT = 165

/**
 * Maximum lines of code of files that a provider with the preset measures separately: another family, another format,
 * shapes of a request, credentials.
 */
const APART: Readonly<Record<string, number>> = {
  embeddings: 35,
  rerank: 35,
  messages: 35,
  request: 52,
  responses: 45,
  credentials: 70,
  images: 110,
  moderations: 50,
  speech: 50,
  transcription: 60,
}

/** Limits the size of adapters. An adapter above its limit needs a new feature of the contract. */
export const adapterSize: Rule = ({ packages }) =>
  packages.filter(isAdapter).flatMap((adapter) => [...whole(adapter), ...apart(adapter), ...video(adapter)])

function whole(adapter: Package): Problem[] {
  const measure = measureOf(adapter)
  if (!measure) return []
  const lines = adapter.sources
    .filter((source) => !isVideo(source) && !isData(source) && !(usesPreset(adapter) && limitApart(source)))
    .reduce((sum, { codeLines }) => sum + codeLines, 0)
  if (lines <= measure.limit) return []
  const message = `has ${lines} lines of code in src; the limit for ${measure.of} is ${measure.limit}: add the missing feature to the contract`
  return [{ rule: 'adapter-size', path: adapter.folder, message }]
}

function measureOf(adapter: Package): { limit: number; of: string } | undefined {
  if (GENERIC_ADAPTERS.has(adapter.id)) return undefined
  if (adapter.kind === 'search') return { limit: 70, of: 'a search backend' }
  return usesPreset(adapter) ? { limit: 55, of: 'an OpenAI-compatible provider' } : undefined
}

function usesPreset({ kind, sources }: Package): boolean {
  return kind === 'provider' && sources.some(({ imports }) => imports.some(({ value }) => value === PRESET))
}

/** Limit of a file with a separate limit. */
function limitApart({ path }: SourceFile): number | undefined {
  const [, name = ''] = /\/src\/([a-z]+)\.ts$/.exec(path) ?? []
  return Object.hasOwn(APART, name) ? APART[name] : undefined
}

function apart(adapter: Package): Problem[] {
  if (!usesPreset(adapter) || GENERIC_ADAPTERS.has(adapter.id)) return []
  return adapter.sources.flatMap((source) => {
    const limit = limitApart(source)
    if (limit === undefined || source.codeLines <= limit) return []
    const message = `has ${source.codeLines} lines of code; the limit for this file of a provider is ${limit}: add the missing feature to the contract`
    return [{ rule: 'adapter-size', path: source.path, message }]
  })
}

function video({ sources }: Package): Problem[] {
  return sources
    .filter((source) => isVideo(source) && source.codeLines > VIDEO_LIMIT)
    .map(({ path, codeLines }) => ({
      rule: 'adapter-size',
      path,
      message: `has ${codeLines} lines of code; the limit for a video family is ${VIDEO_LIMIT}: add the missing feature to the contract`,
    }))
}

function isVideo({ path }: SourceFile): boolean {
  return path.endsWith('/src/video.ts')
}

/** Files of facts: models of a family, and accepted fields. */
function isData({ path }: SourceFile): boolean {
  return /\/src\/(?:(?:[a-z]+-)?models|accepted)\.ts$/.test(path)
}
