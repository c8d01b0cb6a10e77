import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AdapterFactory } from '../../packages/discovery/src/adapter.ts'
import { type Description, descriptionOf } from '../../packages/discovery/src/description.ts'
import { BACKENDS, PROVIDERS } from '../../packages/discovery/src/kinds.ts'
import { families } from '../../packages/gateway/src/index.ts'
import type { Problem } from './problem.ts'
import { isAdapter, type Package, type Repository } from './repository.ts'

/** Field `headgate` of an adapter's package.json: the conditions that enable it, from its source. */
export async function describedField(root: string, { folder, kind }: Package): Promise<Record<string, unknown>> {
  const module: Record<string, unknown> = await import(pathToFileURL(join(root, folder, 'src/index.ts')).href)
  const factory = Object.values(module).find(isFactory)
  if (!factory) throw new Error('src/index.ts does not export an adapter')
  const { title, id } = factory
  const { enable, env, requires, needs } = descriptionOf(id, factory)
  return {
    adapter: kind,
    id,
    title,
    ...(enable !== 'configured' && { enable }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(requires.length > 0 && { requires }),
    ...(needs !== undefined && { needs }),
    ...unconfigured(factory, { enable, requires, needs }),
  }
}

/** Wrong descriptions, and adapters that cannot be imported. */
export async function descriptionProblems({ root, packages }: Repository): Promise<Problem[]> {
  const problems = packages.filter(isAdapter).map(async (one): Promise<Problem | undefined> => {
    const path = `${one.folder}/package.json`
    try {
      const expected = JSON.stringify(await describedField(root, one))
      if (JSON.stringify(one.manifest['headgate']) === expected) return undefined
      return { rule: 'description', path, message: `\`headgate\` is not ${expected}: run \`pnpm check --write\`` }
    } catch (error) {
      return {
        rule: 'description',
        path,
        message: `its source cannot be imported: ${error instanceof Error ? error.message : error}`,
      }
    }
  })
  return (await Promise.all(problems)).filter((one) => one !== undefined)
}

type Factory = AdapterFactory<{ readonly baseUrl?: string }> & {
  readonly kind: 'provider' | 'search' | 'sink'
  readonly id: string
  readonly title: string
}

function isFactory(value: unknown): value is Factory {
  return typeof value === 'function' && 'kind' in value && 'contract' in value
}

/** Discovery fields of an adapter that needs no configuration. */
function unconfigured(
  factory: Factory,
  { enable, requires, needs }: Pick<Description, 'enable' | 'requires' | 'needs'>,
) {
  if (requires.length > 0 || needs !== undefined) return {}
  if (enable === 'last-resort') return { families: familiesOf(factory) }
  if (enable === 'asked' || !factory.probe) return {}
  const { method, url, headers = {}, body } = factory.probe({})
  const { baseUrl } = factory({})
  const isPlain = method === 'GET' && body === undefined && Object.keys(headers).length === 0
  return isPlain && baseUrl !== undefined ? { probe: { method, baseUrl, url } } : {}
}

function familiesOf(factory: Factory): readonly string[] {
  const made = factory({}) as never
  return factory.kind === 'provider'
    ? PROVIDERS.families(PROVIDERS.entry(made, factory.id, {}), families)
    : BACKENDS.families(BACKENDS.entry(made, factory.id, {}), families)
}
