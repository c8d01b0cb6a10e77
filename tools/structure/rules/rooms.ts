import { posix } from 'node:path'
import type { Problem, Rule } from '../problem.ts'
import type { SourceFile } from '../source.ts'

/** Folders of a package, from the top. A file can import from its own folder and from folders below. */
interface Layers {
  readonly src: string
  /** `the entries` are the files at the top of `src`; `the ground` are the entries that every folder can import. */
  readonly order: readonly string[]
  readonly ground: ReadonlySet<string>
}

const ENTRIES = 'the entries'
const GROUND = 'the ground'

const CORE: Layers = {
  src: 'packages/core/src',
  order: [ENTRIES, 'presets', 'credentials', 'contract', 'formats', 'canonical', GROUND],
  ground: new Set(['errors.ts']),
}

const GATEWAY: Layers = {
  src: 'packages/gateway/src',
  order: [ENTRIES, 'families', 'serve', 'routing', 'cost', 'uploads', 'edge', 'http', 'ports', GROUND],
  ground: new Set(['clock.ts', 'uuid.ts']),
}

const FAMILIES = `${GATEWAY.src}/families`

/** Steps of `serve()` for every family, which families must not repeat. */
const STEPS: ReadonlySet<string> = new Set(
  ['deadline', 'dry-run', 'rates', 'waiting'].map((name) => `${GATEWAY.src}/serve/${name}.ts`),
)

/** Imports within core and within the gateway only point down, and families do not import each other. */
export const rooms: Rule = ({ files }) =>
  [CORE, GATEWAY].flatMap((layers) =>
    files
      .filter(({ path }) => path.startsWith(`${layers.src}/`))
      .flatMap((file) => [...place(file, layers), ...imports(file, layers)]),
  )

function folderOf(path: string, { src, ground }: Layers): string {
  const [first = '', ...inside] = path.slice(src.length + 1).split('/')
  if (inside.length > 0) return first
  return ground.has(first) ? GROUND : ENTRIES
}

/** Family of a file. Undefined for other files. */
function familyOf(path: string): string | undefined {
  const [family, ...inside] = path.startsWith(`${FAMILIES}/`) ? path.slice(FAMILIES.length + 1).split('/') : []
  return inside.length > 0 ? family : undefined
}

function place({ path }: SourceFile, layers: Layers): Problem[] {
  const folder = folderOf(path, layers)
  if (!layers.order.includes(folder)) {
    const message = `is in an undeclared folder: the folders of the package are ${layers.order.slice(1, -1).join(', ')}`
    return [{ rule: 'rooms', path, message }]
  }
  if (folder !== 'families' || familyOf(path) !== undefined || path === `${FAMILIES}/index.ts`) return []
  return [{ rule: 'rooms', path, message: 'is not allowed: families/ contains index.ts and a folder for each family' }]
}

function imports({ path, imports }: SourceFile, layers: Layers): Problem[] {
  const from = folderOf(path, layers)
  const family = familyOf(path)
  return imports.flatMap(({ value, line }) => {
    if (layers === CORE && value.startsWith('@headgate/'))
      return { rule: 'rooms', path, line, message: `imports '${value}': core must not depend on other packages` }
    if (!value.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), value)
    if (!target.startsWith(`${layers.src}/`))
      return { rule: 'rooms', path, line, message: `imports '${value}', a file of another package: import its entry` }
    const to = folderOf(target, layers)
    const other = familyOf(target)
    if (layers.order.indexOf(to) < layers.order.indexOf(from))
      return {
        rule: 'rooms',
        path,
        line,
        message: `imports '${value}', from ${from} up to ${to}: move the shared code down`,
      }
    if (family !== undefined && STEPS.has(target))
      return { rule: 'rooms', path, line, message: `imports '${value}', a step of serve() for every family` }
    if (family === undefined || other === undefined || other === family) return []
    return {
      rule: 'rooms',
      path,
      line,
      message: `imports '${value}', of another family: move the shared code to serve/`,
    }
  })
}
