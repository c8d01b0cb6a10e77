import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { Catalog, Listing } from './catalog/models-dev.ts'
import { listedAs, modelsFile, modelsIn, servedBy } from './catalog/models-file.ts'
import { sharedNames } from './catalog/same-models.ts'

const SOURCE = 'https://models.dev/api.json'
const PROVIDERS = 'packages/providers'
const USAGE = `usage: pnpm catalog [<package>[=<id at models.dev>] …] --fetch
       pnpm catalog [<package>[=<id at models.dev>] …] --file <copy of ${SOURCE}> --date <yyyy-mm-dd>`

/**
 * `pnpm catalog`: writes `src/models.ts` of provider packages from models.dev, or from a copy of its JSON with the
 * given date. Without package names, it refreshes the files that it has written before. The first time, name the
 * package, and its id at models.dev if it differs.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fetch: { type: 'boolean', default: false },
    file: { type: 'string' },
    date: { type: 'string' },
    root: { type: 'string' },
  },
})
const root = values.root ?? resolve(import.meta.dirname, '..')
const refusal = await refresh()
if (refusal !== undefined) {
  console.error(refusal)
  process.exitCode = 1
}

/** Returns the reason why a file was not written. */
async function refresh(): Promise<string | undefined> {
  const file = values.fetch ? undefined : values.file
  if (!values.fetch && (file === undefined || values.date === undefined)) return USAGE
  const date = z.iso.date().parse(values.date ?? new Date().toISOString().slice(0, 10))
  const catalog = Catalog.parse(file === undefined ? await fetched() : JSON.parse(readFileSync(file, 'utf8')))
  const chosen = positionals.length > 0 ? positionals.map(named) : written()
  const listingOf = (id: string) => (Object.hasOwn(catalog, id) ? Listing.parse(catalog[id]) : undefined)
  // A shared name depends on the models of all packages, not only of the chosen ones.
  const names = sharedNames(
    [...new Map([...written(), ...chosen])].flatMap(([provider, listed]) => {
      const listing = listingOf(listed)
      return listing ? servedBy(provider, listing) : []
    }),
  )
  const missing = chosen.flatMap(
    ([provider, listed]) => write({ provider, listed, listing: listingOf(listed), date, names }) ?? [],
  )
  return missing.length > 0 ? missing.join('\n') : undefined
}

interface WrittenFile {
  /** Package. */
  readonly provider: string
  /** Id of the provider at models.dev. */
  readonly listed: string
  readonly listing: Listing | undefined
  readonly date: string
  readonly names: ReadonlyMap<string, string>
}

/** Returns the reason why the file was not written. */
function write({ provider, listed, listing, date, names }: WrittenFile): string | undefined {
  const path = pathOf(provider)
  const before = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
  if (!existsSync(join(root, PROVIDERS, provider))) return `There is no ${PROVIDERS}/${provider}.`
  if (!listing) return `${path} is unchanged: models.dev has no provider '${listed}'. Name another: ${provider}=<id>.`
  if (before !== undefined && listedAs(before) === undefined) return `${path} is unchanged: it was written by hand.`
  const text = modelsFile(provider, listed, listing, date, names)
  writeFileSync(join(root, path), text)
  console.log(`${path}: ${modelsIn(text)} models`)
  return undefined
}

function named(argument: string): readonly [provider: string, listed: string] {
  const [provider = '', listed = provider] = argument.split('=')
  return [provider, listed]
}

function written(): (readonly [provider: string, listed: string])[] {
  return globSync(pathOf('*'), { cwd: root })
    .sort()
    .flatMap((path) => {
      const listed = listedAs(readFileSync(join(root, path), 'utf8'))
      return listed === undefined ? [] : [[path.split('/')[2] ?? '', listed] as const]
    })
}

function pathOf(provider: string): string {
  return `${PROVIDERS}/${provider}/src/models.ts`
}

async function fetched(): Promise<unknown> {
  const answer = await fetch(SOURCE, { signal: AbortSignal.timeout(60_000) })
  if (!answer.ok) throw new Error(`${SOURCE} answered ${answer.status}`)
  return answer.json()
}
