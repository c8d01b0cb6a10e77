import type { Problem, Rule } from '../problem.ts'
import { GENERIC_ADAPTERS, isAdapter, type Package } from '../repository.ts'
import type { SourceFile } from '../source.ts'

const PRESET = '@headgate/core/openai-compatible'
const VIDEO_LIMIT = 150

/** How little an adapter needs measures the contract: when one outgrows its limit, the contract lacks a word. */
export const adapterSize: Rule = ({ packages }) => packages.filter(isAdapter).flatMap((adapter) => [...whole(adapter), ...video(adapter)])

function whole(adapter: Package): Problem[] {
  const measure = measureOf(adapter)
  if (!measure) return []
  const lines = adapter.sources.filter((source) => !isVideo(source) && !isData(source)).reduce((sum, { codeLines }) => sum + codeLines, 0)
  if (lines <= measure.limit) return []
  const message = `has ${lines} lines of code in src, ${measure.limit} are allowed for ${measure.of}: what is missing in the contract?`
  return [{ rule: 'adapter-size', path: adapter.folder, message }]
}

function measureOf({ kind, id, sources }: Package): { limit: number; of: string } | undefined {
  if (GENERIC_ADAPTERS.has(id)) return undefined
  if (kind === 'search') return { limit: 60, of: 'a search backend' }
  const usesPreset = sources.some(({ imports }) => imports.some(({ value }) => value === PRESET))
  return usesPreset ? { limit: 40, of: 'an OpenAI-compatible provider' } : undefined
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

/** Facts of models: generated, a line a model. */
function isData({ path }: SourceFile): boolean {
  return path.endsWith('/src/models.ts')
}
