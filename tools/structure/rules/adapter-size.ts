import type { Problem, Rule } from '../problem.ts'
import { GENERIC_ADAPTERS, isAdapter, type Package } from '../repository.ts'
import type { SourceFile } from '../source.ts'

const PRESET = '@headgate/core/openai-compatible'
const VIDEO_LIMIT = 165

/**
 * Lines of code for each file that a provider of the preset measures separately: another family, another format, forms
 * of a request, credentials.
 */
const APART: Readonly<Record<string, number>> = {
  embeddings: 35,
  rerank: 35,
  messages: 35,
  request: 52,
  responses: 45,
  credentials: 70,
}

/** How little an adapter needs measures the contract: when one outgrows its limit, the contract lacks a word. */
export const adapterSize: Rule = ({ packages }) =>
  packages.filter(isAdapter).flatMap((adapter) => [...whole(adapter), ...apart(adapter), ...video(adapter)])

function whole(adapter: Package): Problem[] {
  const measure = measureOf(adapter)
  if (!measure) return []
  const lines = adapter.sources
    .filter((source) => !isVideo(source) && !isData(source) && !(usesPreset(adapter) && limitApart(source)))
    .reduce((sum, { codeLines }) => sum + codeLines, 0)
  if (lines <= measure.limit) return []
  const message = `has ${lines} lines of code in src, ${measure.limit} are allowed for ${measure.of}: what is missing in the contract?`
  return [{ rule: 'adapter-size', path: adapter.folder, message }]
}

function measureOf(adapter: Package): { limit: number; of: string } | undefined {
  if (GENERIC_ADAPTERS.has(adapter.id)) return undefined
  if (adapter.kind === 'search') return { limit: 70, of: 'a search backend' }
  return usesPreset(adapter) ? { limit: 47, of: 'an OpenAI-compatible provider' } : undefined
}

function usesPreset({ kind, sources }: Package): boolean {
  return kind === 'provider' && sources.some(({ imports }) => imports.some(({ value }) => value === PRESET))
}

/** What a file may have that says one thing apart. */
function limitApart({ path }: SourceFile): number | undefined {
  const [, name = ''] = /\/src\/([a-z]+)\.ts$/.exec(path) ?? []
  return Object.hasOwn(APART, name) ? APART[name] : undefined
}

function apart(adapter: Package): Problem[] {
  if (!usesPreset(adapter) || GENERIC_ADAPTERS.has(adapter.id)) return []
  return adapter.sources.flatMap((source) => {
    const limit = limitApart(source)
    if (limit === undefined || source.codeLines <= limit) return []
    const message = `has ${source.codeLines} lines of code, ${limit} are allowed for what a provider says apart: what is missing in the contract?`
    return [{ rule: 'adapter-size', path: source.path, message }]
  })
}

function video({ sources }: Package): Problem[] {
  return sources
    .filter((source) => isVideo(source) && source.codeLines > VIDEO_LIMIT)
    .map(({ path, codeLines }) => ({
      rule: 'adapter-size',
      path,
      message: `has ${codeLines} lines of code, ${VIDEO_LIMIT} are allowed for a video family: what is missing in the contract?`,
    }))
}

function isVideo({ path }: SourceFile): boolean {
  return path.endsWith('/src/video.ts')
}

/** Facts: models, models of videos, and the fields that a vendor accepts. */
function isData({ path }: SourceFile): boolean {
  return /\/src\/(?:(?:video-)?models|accepted)\.ts$/.test(path)
}
